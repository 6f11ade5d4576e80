"""Values bound to a case: what a kernel is called with, and what it must give back."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from types import MappingProxyType
from typing import Any

import numpy as np

from warpwright.workload.recipe import Generated

Array = np.ndarray[Any, np.dtype[Any]]


_NONE: Mapping[str, Generated] = MappingProxyType({})


class HostInputs(Mapping[str, Array]):
    """Inputs by name, not writable; those with a recipe are made on the host only when somebody asks. Safe for threads.

    arrays: made already. generated: recipe and key of the others. make: the array of one of those names.
    """

    def __init__(
        self, arrays: Mapping[str, Array], generated: Mapping[str, Generated], make: Callable[[str], Array]
    ) -> None:
        self.generated = MappingProxyType(dict(generated))
        self._given = {name: _locked(array) for name, array in arrays.items()}
        self._made: dict[str, Array] = {}
        self._make = make
        self._lock = Lock()

    def __getitem__(self, name: str) -> Array:
        """The array of one input."""
        if name in self._given:
            return self._given[name]
        if name not in self.generated:
            raise KeyError(name)
        with self._lock:
            if name not in self._made:
                self._made[name] = _locked(self._make(name))
            return self._made[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is such an input; asks for no array."""
        return name in self._given or name in self.generated

    def __iter__(self) -> Iterator[str]:
        """The names; asks for no array."""
        yield from self._given
        yield from self.generated

    def __len__(self) -> int:
        """How many inputs there are."""
        return len(self._given) + len(self.generated)

    def held_bytes(self) -> int:
        """Bytes of the arrays that lie in memory now."""
        with self._lock:
            return sum(array.nbytes for array in (*self._given.values(), *self._made.values()))

    def given_bytes(self) -> int:
        """Bytes of the arrays that cannot be made again from a recipe."""
        return sum(array.nbytes for array in self._given.values())

    def forget_generated(self) -> None:
        """Give up the arrays that can be made again."""
        with self._lock:
            self._made.clear()


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

    @property
    def generated(self) -> Mapping[str, Generated]:
        """The inputs that a device can make by itself; empty where somebody put other arrays in their place."""
        return self.inputs.generated if isinstance(self.inputs, HostInputs) else _NONE


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


def _locked(array: Array) -> Array:
    array.setflags(write=False)
    return array
