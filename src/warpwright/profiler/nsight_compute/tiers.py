"""What Nsight Compute is asked for, by tier (`tiers.toml`)."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Tier:
    """sections: by identifier. metrics: beside what sections hold."""

    sections: tuple[str, ...]
    metrics: tuple[str, ...]


def tier(number: int) -> Tier:
    """Everything of tiers 1 to `number`; a number beyond the last means the last. Raises: ValueError below 1."""
    if number < 1:
        raise ValueError(f"tier {number}: Nsight Compute is asked from tier 1 on; what is below needs no profiler")
    rows = _data()["tier"][:number]
    sections = [section for row in rows for section in row["sections"]]
    metrics = [metric for row in rows for metric in row["metrics"]]
    return Tier(tuple(dict.fromkeys(sections)), tuple(dict.fromkeys(metrics)))


def chip_of(arch: str) -> str | None:
    """Nsight Compute's name of an architecture (`sm_90` -> `gh100`); None: not known here, so nothing is asked about it."""
    chips: Mapping[str, str] = _data()["chips"]
    return chips.get(arch)


@cache
def _data() -> dict[str, Any]:
    text = (files("warpwright.profiler.nsight_compute") / "tiers.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
