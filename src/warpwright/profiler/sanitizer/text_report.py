"""The text that compute-sanitizer writes: headlines, indented lines below them, and a summary at the end."""

import re
from collections.abc import Iterator

from warpwright.profiler.sanitizer.records import Dim3, Place, Record, Summary

PREFIX = "========="
_LINE = re.compile(rf"^{PREFIX}( *)(.*?)\s*$")
_SUMMARY = re.compile(
    r"(?:ERROR|RACECHECK) SUMMARY: (\d+) (?:error|hazard)\S*(?: displayed)?(?: \((\d+) errors?, (\d+) w)?"
)
_NO_REPORT = re.compile(r"COMPUTE-SANITIZER|\w* ?SUMMARY:|No attachable|Launch #")
_HOST = re.compile(r"Program hit|Host API|Leaked|Unused memory|Internal Sanitizer", re.IGNORECASE)
_WHERE = r"(?:0x[0-9a-f]+ in )?(.+?)(?:\+0x[0-9a-f]+)?(?: in ([^\s:]+):(\d+))?"
_ACCESS_PLACE = re.compile(rf"access at {_WHERE}(?= and | \[|$)")
_PLACE = re.compile(rf"^(?:at|Device Frame:) ?{_WHERE}$")
_FILE_FIRST = re.compile(r"\b(?:at 0x[0-9a-f]+ in) ([^\s:]+):(\d+):(\S+)")
_WHO = re.compile(r"by thread \((\d+), ?(\d+), ?(\d+)\) in block \((\d+), ?(\d+), ?(\d+)\)")


def read_summary(log: str) -> Summary | None:
    """The last summary of a log; None if there is none, as when the tool was ended."""
    found = list(_SUMMARY.finditer(log))
    if not found:
        return None
    last = found[-1]
    errors = last[1] if last[2] is None else last[2]
    return Summary(int(errors), int(last[3] or 0), last[0])


def read_text(log: str) -> tuple[Record, ...]:
    """Every report of a log, in order; what names neither a place in device code nor a thread is about the host."""
    return tuple(_record(headline, below) for headline, below in _blocks(log))


def _blocks(log: str) -> Iterator[tuple[str, list[str]]]:
    """Each headline with the indented lines below it."""
    headline: str | None = None
    below: list[str] = []
    for line in log.splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        if not match[2] or _NO_REPORT.match(match[2]):
            if headline is not None:
                yield headline, below
            headline = None
        elif len(match[1]) > 1 or match[2].startswith("and ") or match[2].startswith("at "):
            below.append(match[2])
        else:
            if headline is not None:
                yield headline, below
            headline, below = match[2], []
    if headline is not None:
        yield headline, below


def _record(headline: str, below: list[str]) -> Record:
    device = _before_host_frames(below)
    who = next((found for line in device if (found := _WHO.search(line))), None)
    numbers = () if who is None else tuple(int(n) for n in who.groups())
    thread: Dim3 | None = None if who is None else (numbers[0], numbers[1], numbers[2])
    block: Dim3 | None = None if who is None else (numbers[3], numbers[4], numbers[5])
    places = tuple(dict.fromkeys(place for line in (headline, *device) for place in _places(line)))
    said = [line for line in device if line.startswith(("Address", "and "))]
    return Record(
        text=" | ".join((headline, *said)),
        places=places,
        block=block,
        thread=thread,
        warning=headline.startswith(("Warning", "Info")),
        about_device=bool(places or who) and _HOST.match(headline) is None,
    )


def _before_host_frames(below: list[str]) -> list[str]:
    for index, line in enumerate(below):
        if line.startswith(("Saved host backtrace", "Host Frame")):
            return below[:index]
    return below


def _places(line: str) -> Iterator[Place]:
    for match in _FILE_FIRST.finditer(line):
        yield Place(match[3], match[1], int(match[2]))
        return
    for pattern in (_ACCESS_PLACE, _PLACE):
        for match in pattern.finditer(line):
            yield Place(match[1], match[2] or "", int(match[3]) if match[3] else None)
