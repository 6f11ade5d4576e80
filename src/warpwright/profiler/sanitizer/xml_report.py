"""The XML that `--xml --save FILE` writes. Shape: as version 2025.3 printed it for the faults of `tests/gpu/test_sanitizer.py`.

A record has kind, level (not of every tool), who (thread and block), what (text and details) and where (function, file, line);
a race has two places instead, in the source and the destination of its what.
"""

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

from warpwright.profiler.sanitizer.records import Dim3, Place, Record

ROOT = "ComputeSanitizerOutput"
_MAX_BYTES = 64 * 1024 * 1024
_ENTITIES = (b"<!DOCTYPE", b"<!ENTITY")
_DETAILS = ("type", "error")
"""What says more than the headline; the rest repeats it or is an address."""


def read_xml(path: Path) -> tuple[Record, ...] | None:
    """Every report in the file, in order; None if it is absent, cut off, too large, or no report of this tool."""
    if not path.is_file() or path.stat().st_size > _MAX_BYTES:
        return None
    raw = path.read_bytes()
    if any(mark in raw for mark in _ENTITIES):  # no report has one; expanding them can fill any memory
        return None
    try:
        root = ET.fromstring(raw)
    except ET.ParseError:
        return None
    if root.tag != ROOT:
        return None
    return tuple(_record(record) for record in root.findall("record"))


def _record(record: Element) -> Record:
    headline = _text(record, "what/text") or _text(record, "kind")
    details = [text for name in _DETAILS if (text := _text(record, f"what/{name}")) and text not in headline]
    places = tuple(dict.fromkeys(_places(record)))
    thread, block = _dim3(record, "who/threadIdx"), _dim3(record, "who/blockIdx")
    return Record(
        text=" | ".join(part for part in (headline, *details) if part),
        places=places,
        block=block,
        thread=thread,
        warning=_text(record, "level").lower() in ("warning", "info"),
        about_device=bool(places) or thread is not None,
    )


def _places(record: Element) -> Iterator[Place]:
    """The access; of a race both, the write that the tool names first in front. Host frames have no `where`."""
    for where in record.iter("where"):
        function, line = _text(where, "func"), _text(where, "line")
        if function or line:
            known = int(line) if line.isdecimal() and line != "0" else None
            yield Place(function, Path(_text(where, "path")).name, known)


def _text(element: Element, path: str) -> str:
    return " ".join(element.findtext(path, "").split())


def _dim3(record: Element, path: str) -> Dim3 | None:
    found = [_text(record, f"{path}/{axis}") for axis in ("x", "y", "z")]
    if not all(axis.isdecimal() for axis in found):
        return None
    x, y, z = (int(axis) for axis in found)
    return x, y, z
