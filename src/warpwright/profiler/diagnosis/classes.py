"""The bottleneck classes of `thresholds.toml`."""

import math
import re
import tomllib
from collections.abc import Mapping, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from warpwright.conditions.language import (
    Amount,
    Answer,
    Condition,
    ExpressionError,
    Values,
    parse_amount,
    parse_condition,
)
from warpwright.profiler.counters import format_counter
from warpwright.units import format_us, labelled

_FIELD = re.compile(r"\{([^{}:]+)(?::(%|us|times))?\}")
_WHERE_KNOWN = re.compile(r"\[([^\[\]|]*)\|?([^\[\]|]*)\]")
_UNIT = "UNIT"
_NEARLY_ONCE = 0.95


class Rank(StrEnum):
    """Order of treatment. `condition`: nothing else is meaningful before it is cured. `hint`: worth a look."""

    ROOF = "roof"
    CONDITION = "condition"
    CAUSE = "cause"
    SYMPTOM = "symptom"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class ClassTest:
    """One way to recognise a class. score: 0..1 after clipping. bound: largest speed-up of curing it, None = no formula.
    about: what curing it brings as a rule, which is no ceiling.

    hint: it is a weaker sign. alone: it is given only where no cause and no symptom holds, whose figures it would contradict.
    refuted: where this is known to hold, the test does not.
    """

    when: Condition
    score: Amount
    text: str
    bound: Amount | None
    hint: bool
    alone: bool = False
    refuted: Condition | None = None
    about: Amount | None = None

    def answer(self, values: Values) -> Answer:
        """Whether it holds for what is known."""
        if self.refuted is not None and self.refuted.answer(values).holds:
            return Answer(holds=False)
        return self.when.answer(values)

    def sentence(self, values: Values, estimated: Set[str] = frozenset()) -> str:
        """The text with the values in it. estimated: names whose values are estimates; figures that rest on one say so."""
        whole = _WHERE_KNOWN.sub(lambda part: part[1 if _known(part[1], values) else 2], self.text)
        text = _FIELD.sub(lambda found: _formatted(found[1], found[2], values, estimated), whole)
        return text[:1].upper() + text[1:] if text.startswith(labelled("", estimated=True)) else text


@dataclass(frozen=True, slots=True)
class BottleneckClass:
    """A class. name: `dram_bound`, `pipe_bound:fma`. unless: classes that explain it away. lines: whose hot lines to show.

    each_suffices: its tests are signs of their own, and the first that holds decides; else they are ways to measure one sign,
    and the first that can be decided does.
    """

    name: str
    rank: Rank
    tests: tuple[ClassTest, ...]
    unless: frozenset[str] = frozenset()
    lines: frozenset[str] = frozenset()
    each_suffices: bool = False

    @property
    def kind(self) -> str:
        """Without its unit: `pipe_bound`."""
        return self.name.partition(":")[0]


@cache
def bottleneck_classes() -> Mapping[str, BottleneckClass]:
    """Every class by name, in the order of the file."""
    text = (files("warpwright.profiler.diagnosis") / "thresholds.toml").read_text(encoding="utf-8")
    return MappingProxyType(parse_classes(text))


def parse_classes(text: str) -> dict[str, BottleneckClass]:
    """The classes in a file like `thresholds.toml`. Raises: ExpressionError that names class and key."""
    found: dict[str, BottleneckClass] = {}
    for name, row in tomllib.loads(text).items():
        for unit in row.get("units", [None]):
            made = _class(name, unit, row)
            found[made.name] = made
    return found


def _class(kind: str, unit: str | None, row: Mapping[str, Any]) -> BottleneckClass:
    name = kind if unit is None else f"{kind}:{unit}"
    lines = [line if unit is None else line.replace(_UNIT, unit) for line in row.get("lines", ())]
    return BottleneckClass(
        name=name,
        rank=Rank(row["rank"]),
        tests=tuple(_test(name, unit, test) for test in row["tests"]),
        unless=frozenset(row.get("unless", ())),
        lines=frozenset(lines),
        each_suffices=row.get("each_suffices", False),
    )


def _test(name: str, unit: str | None, row: Mapping[str, Any]) -> ClassTest:
    texts = {
        key: value if unit is None else value.replace(_UNIT, unit)
        for key, value in row.items()
        if isinstance(value, str)
    }
    try:
        bound, about = (parse_amount(texts[key]) if key in texts else None for key in ("bound", "about"))
        for found in _FIELD.finditer(texts["text"]):
            parse_amount(found[1])
        return ClassTest(
            when=parse_condition(texts["when"]),
            score=parse_amount(texts["score"]),
            text=" ".join(texts["text"].split()),
            bound=bound,
            hint=row.get("hint", False),
            alone=row.get("alone", False),
            refuted=parse_condition(texts["refuted"]) if "refuted" in texts else None,
            about=about,
        )
    except ExpressionError as error:
        raise ExpressionError(f"thresholds.toml, class {name}: {error}") from error


def _known(text: str, values: Values) -> bool:
    return all(parse_amount(found[1]).value(values) is not None for found in _FIELD.finditer(text))


def _formatted(amount: str, style: str | None, values: Values, estimated: Set[str]) -> str:
    parsed = parse_amount(amount)
    value, least = parsed.value(values), parsed.least(values)
    if value is None and not 0 < least < math.inf:
        return "an unknown part"
    figure = _printed(amount, style, least if value is None else value)
    marked = labelled(figure, estimated=not estimated.isdisjoint(parsed.names))
    return f"at least {marked}" if value is None else marked


def _printed(amount: str, style: str | None, value: float) -> str:
    match style:
        case "%":
            return f"{value * 100:.0f} %"
        case "us":
            return format_us(value)
        case "times":
            return f"{value:.2g} times" if value < _NEARLY_ONCE else f"{max(1.0, value):.1f} times"
        case _:
            return format_counter(amount, value)
