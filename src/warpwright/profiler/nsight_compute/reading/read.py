"""Reads a report by whichever means this machine has: NVIDIA's module, or what Nsight Compute prints."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from warpwright.profiler.nsight_compute.command import import_arguments
from warpwright.profiler.nsight_compute.locate import Ncu
from warpwright.profiler.nsight_compute.reading.report import Report, ReportLaunch, UnreadableReport
from warpwright.profiler.nsight_compute.reading.report_csv import read_raw, read_rules
from warpwright.profiler.nsight_compute.reading.report_module import find_module, read_with_module
from warpwright.profiler.nsight_compute.reading.source_csv import read_lines
from warpwright.profiler.tool_process import ToolCommand, run_tool

_LIMIT_S = 120.0
_MOST_BYTES = 256 * 2**20
"""Of a printed page. 10 000 machine instructions with the metrics of tier 2 print 6 MB."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a report is read. source: whether lines are wanted. source_name: of the candidate. printed: never use the module."""

    ncu: Ncu
    environment: Mapping[str, str]
    source: bool
    source_name: str
    printed: bool = False


def read_report(path: Path, how: Reading) -> Report:
    """Raises: UnreadableReport."""
    module = None if how.printed else find_module(how.ncu.path)
    if module is None:
        return _printed(path, how)
    try:
        return read_with_module(module, path, how.source_name)
    except UnreadableReport as unreadable:  # a module older than the report says that it is none
        try:
            return _printed(path, how)
        except UnreadableReport:
            raise unreadable from None


def _printed(path: Path, how: Reading) -> Report:
    launches = read_raw(_page(path, how, "raw"))
    notes: list[str] = []
    try:
        rules = read_rules(_page(path, how, "details", ("--print-metric-name", "label-name")))
        launches = tuple(
            replace(launch, rules=found) for launch, found in zip(launches, _filled(rules, len(launches)), strict=True)
        )
    except UnreadableReport as error:
        notes.append(f"what Nsight Compute's own rules say could not be read: {error}")
    if how.source:
        launches, lines_note = _with_lines(path, how, launches)
        notes += [lines_note] if lines_note is not None else []
    return Report(launches, tuple(notes))


def _with_lines(
    path: Path, how: Reading, launches: tuple[ReportLaunch, ...]
) -> tuple[tuple[ReportLaunch, ...], str | None]:
    try:
        lines = read_lines(_page(path, how, "source", ("--print-source", "cuda,sass")))
    except UnreadableReport as error:
        return launches, f"source lines could not be read: {error}"
    if not any(lines):
        return (
            launches,
            "source lines are unknown: the printed source page has none with counters; ncu-report reads them",
        )
    if len(lines) != len(launches):
        return launches, f"source lines are unknown: they were printed for {len(lines)} of {len(launches)} launches"
    return tuple(replace(launch, lines=found) for launch, found in zip(launches, lines, strict=True)), None


def _filled[T](rules: tuple[tuple[T, ...], ...], count: int) -> tuple[tuple[T, ...], ...]:
    """Rules of each launch; those of a launch that the page does not name are none."""
    return (*rules, *((),) * count)[:count]


def _page(path: Path, how: Reading, page: str, more: tuple[str, ...] = ()) -> str:
    arguments = import_arguments(how.ncu, path, page, more)
    try:
        done = run_tool(ToolCommand(arguments, how.environment, path.parent, _LIMIT_S, most_bytes=_MOST_BYTES))
    except OSError as error:
        raise UnreadableReport(f"{how.ncu.path} cannot be started ({error.strerror or error})") from error
    if done.exit_code != 0:
        how_it_ended = "did not end" if done.exit_code is None else f"ended with exit code {done.exit_code}"
        said = " ".join(done.text.split())[-300:] or "nothing"
        raise UnreadableReport(f"{how.ncu.label} {how_it_ended} as it read {path.name}; it said: {said}")
    if done.truncated:
        raise UnreadableReport(
            f"{how.ncu.label} printed more than {_MOST_BYTES // 2**20} MiB for the page {page} of {path.name}; ncu-report "
            "reads the file itself"
        )
    return done.output
