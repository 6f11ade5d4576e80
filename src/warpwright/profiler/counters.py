"""The vocabulary of normalised counters: what a name means, in which unit, and how well it is known."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from warpwright.units import format_us


class Quality(StrEnum):
    """`measured`: by hardware counters. `exact`: counted in the emulator. `sampled`: counted there on some of the blocks, and
    scaled to the grid. `estimated`: by its cost model.
    """

    MEASURED = "measured"
    EXACT = "exact"
    SAMPLED = "sampled"
    ESTIMATED = "estimated"


@dataclass(frozen=True, slots=True)
class Metric:
    """One normalised counter.

    ncu: Nsight Compute metrics that give it, the first present wins. emulator: how the emulator knows it, None = not at all;
    sampled = exact where every block ran.
    worked_out: amounts over other counters that give it where nobody counted it; the first that is known wins.
    """

    name: str
    unit: str
    meaning: str
    ncu: tuple[str, ...]
    emulator: Quality | None
    worked_out: tuple[str, ...] = ()

    @property
    def is_ratio(self) -> bool:
        """True for a part of a whole, 0..1."""
        return self.unit == "ratio"


@cache
def metrics() -> Mapping[str, Metric]:
    """Every normalised counter by name, in the order of `metrics.toml`."""
    text = (files("warpwright.profiler") / "metrics.toml").read_text(encoding="utf-8")
    return MappingProxyType(
        {
            name: Metric(
                name=name,
                unit=row["unit"],
                meaning=row["meaning"],
                ncu=tuple(row.get("ncu", ())),
                emulator=Quality(row["emulator"]) if "emulator" in row else None,
                worked_out=tuple(row.get("worked_out", ())),
            )
            for name, row in tomllib.loads(text).items()
        }
    )


def format_counter(name: str, value: float) -> str:
    """A value with its unit, for people: ratio 0.5 -> `50 %`, bytes -> `1.2 MB`, ns -> `11.5 us`, counts -> `4.19 M sector`."""
    metric = metrics().get(name)
    if metric is None:
        return f"{value:,.4g}"
    if metric.is_ratio:
        return f"{value * 100:.0f} %"
    if metric.unit == "ns":
        return format_us(value / NS_PER_US)
    if metric.unit == "byte" and value >= _THOUSAND:
        return f"{_scaled(value)}B"
    figure = f"{_scaled(value)} " if value >= _THOUSAND else f"{value:,.4g} "
    return figure + (_singular(metric.unit) if figure == "1 " else metric.unit)


NS_PER_US = 1000.0
_HUNDRED, _THOUSAND = 100.0, 1000.0
_PREFIXES = ("", "k", "M", "G", "T")


def _scaled(value: float) -> str:
    """`4.19 M`. The prefix is chosen for the rounded figure: 999 960 is `1 M`, not 1000 k."""
    value = float(f"{value:.3g}")
    place = min(len(_PREFIXES) - 1, max(0, len(f"{value:.0f}") - 1) // 3)
    figure = value / _THOUSAND**place
    return f"{figure:,.0f} {_PREFIXES[place]}" if figure >= _HUNDRED else f"{figure:.3g} {_PREFIXES[place]}"


def _singular(unit: str) -> str:
    """`blocks` -> `block`; most units are written in the singular already."""
    return unit.removesuffix("s") if not unit.endswith("ss") else unit
