"""Values bound to a case: what a kernel is called with, and what it must give back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class CaseArguments:
    """Host values of every parameter for one (case, seed).

    inputs: arrays of role `in` and `inout`, C order, native endian.
    scalars: each with the exact dtype of its parameter.
    shapes: of every array parameter, outputs too.
    """

    inputs: Mapping[str, Array]
    scalars: Mapping[str, np.generic]
    shapes: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One wrong element."""

    index: tuple[int, ...]
    got: float
    want: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Verdict on one output array.

    margin: worst error over its budget; above 1 fails. rms_margin: the same for the relative RMS gate.
    wrong: number of elements over budget; first: up to eight of them.
    """

    output: str
    passed: bool
    margin: float
    rms_margin: float
    wrong: int
    total: int
    first: tuple[Mismatch, ...]
    reason: str | None = None
    """Suffix of `wrong_result`: mismatch, nonfinite, shape, dtype; None if passed."""
    message: str = ""
