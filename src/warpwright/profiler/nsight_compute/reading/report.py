"""What a report holds of one launch, whoever read it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from warpwright.profiler.profile import RawMetric, RuleResult

_MARKER = re.compile(r"@(?:section|url|sass|source):(.*?)@", re.DOTALL)
_KEEPS_LAST = re.compile(r"^.*:", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LineValue:
    """One machine instruction, or one source line, and what a metric counted there. opcode: None unknown."""

    line: int
    metric: str
    value: float
    opcode: str | None = None


@dataclass(frozen=True, slots=True)
class ReportLaunch:
    """One profiled launch. name: symbol, or the function's name where the reader knows no more."""

    name: str
    raw: Mapping[str, RawMetric]
    rules: tuple[RuleResult, ...] = ()
    lines: tuple[LineValue, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """launches: in the order in which they ran. notes: what could not be read, in sentences."""

    launches: tuple[ReportLaunch, ...]
    notes: tuple[str, ...] = field(default=())


class UnreadableReport(Exception):
    """The file is no report, is cut short, or prints what cannot be understood; the text says which."""


def without_markers(text: str) -> str:
    """Rule text without its links: `@section:Occupancy:the table@` -> `the table`, `@url:Guide:https://..@` -> `Guide`."""
    return " ".join(_MARKER.sub(_shown, text).split())


def _shown(match: re.Match[str]) -> str:
    """What a reader sees of a link."""
    kind = match[0][1:].partition(":")[0]
    if kind == "url":
        return match[1].partition(":")[0]
    return _KEEPS_LAST.sub("", match[1])
