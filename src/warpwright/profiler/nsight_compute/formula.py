"""How a normalised counter comes from Nsight Compute's metrics, as `metrics.toml` says."""

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from warpwright.profiler.counters import metrics
from warpwright.profiler.profile import RawMetric

_PREFIXES = {"": 1.0, "n": 1e-9, "u": 1e-6, "m": 1e-3, "K": 1e3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_TIME = re.compile(r"([num]?)(?:s|second|seconds)")
_BYTES = re.compile(r"([KkMGT]?)(?:byte|bytes|B)")
_NS_PER_S = 1e9
_PERCENT = 100.0


@dataclass(frozen=True, slots=True)
class Formula:
    """any_of: metrics of which the first present is taken, or the largest present one. over: of the divisor likewise.

    sum_of: metric -> weight, instead of any_of. guard: metrics that count the accesses which a value is about.
    """

    any_of: tuple[str, ...] = ()
    largest: bool = False
    over: tuple[str, ...] = ()
    sum_of: Mapping[str, float] = MappingProxyType({})
    guard: tuple[str, ...] = ()

    @property
    def ways(self) -> tuple[tuple[str, ...], ...]:
        """Sets of metrics; if at least one name of each set exists, the counter may."""
        return (*((name,) for name in self.sum_of), *(names for names in (self.any_of, self.over) if names))


@cache
def formulas() -> Mapping[str, Formula]:
    """By normalised name, those that Nsight Compute can give."""
    text = (files("warpwright.profiler") / "metrics.toml").read_text(encoding="utf-8")
    found = {
        name: Formula(
            any_of=tuple(row.get("ncu", ())),
            largest=row.get("ncu_largest", False),
            over=tuple(row.get("ncu_over", ())),
            sum_of=MappingProxyType({metric: float(weight) for metric, weight in row.get("ncu_sum", {}).items()}),
            guard=tuple(row.get("ncu_guard", ())),
        )
        for name, row in tomllib.loads(text).items()
        if "ncu" in row or "ncu_sum" in row
    }
    return MappingProxyType(found)


@dataclass(frozen=True, slots=True)
class Unknown:
    """Why a counter has no value; None: nothing more than that it was not counted."""

    why: str | None = None


def evaluate(name: str, raw: Mapping[str, RawMetric]) -> float | Unknown:
    """The counter in the unit of the vocabulary."""
    formula = formulas()[name]
    if formula.sum_of:
        return _sum(formula, raw)
    taken = _taken(formula.any_of, raw, name, largest=formula.largest)
    if isinstance(taken, Unknown) or not formula.over:
        return taken if isinstance(taken, Unknown) else _guarded(formula, taken, raw)
    divisor = _taken(formula.over, raw, None, largest=False)
    if isinstance(divisor, Unknown):
        return divisor
    if divisor == 0:
        metric = next(metric for metric in formula.over if metric in raw)
        return Unknown(f"there is nothing to divide by: {metric} is 0")
    return taken / divisor


def _sum(formula: Formula, raw: Mapping[str, RawMetric]) -> float | Unknown:
    total = 0.0
    for metric, weight in formula.sum_of.items():
        value = _taken((metric,), raw, None, largest=False)
        if isinstance(value, Unknown):
            return value
        total += weight * value
    return total


def _guarded(formula: Formula, value: float, raw: Mapping[str, RawMetric]) -> float | Unknown:
    """A 0 may mean that there was no access at all."""
    if not formula.guard:
        return value
    counted = [(m, _number(raw[m])) for m in formula.guard if m in raw]
    known = [(metric, count) for metric, count in counted if count is not None]
    if not known:
        return value if value else Unknown("0, and whether there was any such access was not counted")
    metric, count = known[0]
    return value if count else Unknown(f"there was no such access: {metric} is 0")


def _taken(
    names: tuple[str, ...], raw: Mapping[str, RawMetric], counter: str | None, *, largest: bool
) -> float | Unknown:
    """The value of the first present name with a number, or the largest. counter: whose unit is wanted; None: the metric's."""
    present = [name for name in names if name in raw]
    values = [value for name in present if (value := _converted(name, raw[name], counter)) is not None]
    if values:
        return max(values) if largest else values[0]
    return Unknown(f"Nsight Compute gave no number for {present[0]}") if present else Unknown()


def _converted(metric: str, raw: RawMetric, counter: str | None) -> float | None:
    value = _number(raw)
    if value is None or counter is None:
        return value
    wanted = metrics()[counter].unit
    unit = raw.unit.partition("/")[0]
    if wanted == "ratio":
        return value / _PERCENT if unit == "%" or "pct" in metric else value
    if wanted == "ns":
        time = _TIME.fullmatch(unit)
        return value if time is None else value * _PREFIXES[time[1]] * _NS_PER_S
    size = _BYTES.fullmatch(unit) if wanted == "byte" else None
    return value if size is None else value * _PREFIXES[size[1]]


def _number(raw: RawMetric) -> float | None:
    return raw.value if isinstance(raw.value, float | int) and math.isfinite(raw.value) else None
