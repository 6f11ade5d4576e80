"""From reports of a tool to findings about the candidate: in Warpwright's words, at its lines, each fault once."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from warpwright.profiler.sanitizer.records import Place, Record
from warpwright.profiler.sanitizer.report import SanitizerFinding, Tool

_SAID_LENGTH = 300


@dataclass(frozen=True, slots=True)
class Kernels:
    """Whose lines count. entries: mangled name -> kernel entry of the plan. source_name: the candidate's file."""

    entries: Mapping[str, str]
    source_name: str


@dataclass(frozen=True, slots=True)
class _Kind:
    tool: Tool
    pattern: re.Pattern[str]
    label: str
    message: str


def findings_of(tool: Tool, records: Sequence[Record], kernels: Kernels) -> tuple[SanitizerFinding, ...]:
    """What the reports say of the candidate; reports of many threads about one place become one finding."""
    merged: dict[tuple[object, ...], SanitizerFinding] = {}
    for record in records:
        if not record.about_device:
            continue
        finding = _finding(tool, record, kernels)
        key = (finding.label, finding.message, finding.line, finding.entry, finding.serious)
        known = merged.get(key)
        merged[key] = finding if known is None else replace(known, occurrences=known.occurrences + 1)
    return tuple(sorted(merged.values(), key=lambda found: not found.serious))


def unread_finding(tool: Tool, said: str) -> SanitizerFinding:
    """The tool counted faults, but none of its reports could be read: its word stands. said: its last words."""
    kind, _ = _kind_of(tool, "")
    return SanitizerFinding(tool, kind.label, "faults were counted, but their reports could not be read", said)


def _finding(tool: Tool, record: Record, kernels: Kernels) -> SanitizerFinding:
    kind, groups = _kind_of(tool, record.text)
    lines = tuple(dict.fromkeys(_own_lines(record.places, kernels.source_name)))
    message = kind.message.format("", *groups)
    if tool is Tool.RACECHECK and len(lines) > 1:
        message += f" (with line {', '.join(str(line) for line in lines[1:])})"
    return SanitizerFinding(
        tool=tool,
        label=kind.label,
        message=message,
        said=record.text[:_SAID_LENGTH],
        entry=_entry(record.places, kernels.entries),
        line=lines[0] if lines else None,
        block=record.block,
        thread=record.thread,
        serious=not record.warning,
    )


def _own_lines(places: Sequence[Place], source_name: str) -> list[int]:
    """A fault inside a header's function is shown where the candidate calls it."""
    return [place.line for place in places if place.line is not None and place.file == source_name]


def _entry(places: Sequence[Place], entries: Mapping[str, str]) -> str | None:
    by_name = {re.split(r"[(<]", symbol)[0].strip(): entry for symbol, entry in entries.items()}
    for place in places:
        name = place.function
        found = entries.get(name) or by_name.get(re.split(r"[(<]", name)[0].strip())
        if found is not None:
            return found
    only = set(entries.values())
    return only.pop() if len(only) == 1 else None


def _kind_of(tool: Tool, text: str) -> tuple[_Kind, tuple[str, ...]]:
    for kind in _kinds():
        found = kind.pattern.search(text) if kind.tool is tool else None
        if found is not None:
            return kind, tuple(group or "" for group in found.groups())
    raise ValueError(f"kinds.toml has no entry for every report of {tool.value}")


@cache
def _kinds() -> tuple[_Kind, ...]:
    text = (files("warpwright.profiler.sanitizer") / "kinds.toml").read_text(encoding="utf-8")
    return tuple(
        _Kind(Tool(row["tool"]), re.compile(row["pattern"], re.IGNORECASE), row["label"], row["message"])
        for row in tomllib.loads(text)["kind"]
    )
