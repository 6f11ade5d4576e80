"""The XML that `--xml --save FILE` writes: one `record` per report, with kind, what, who and where."""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

from warpwright.profiler.sanitizer.records import Dim3, Place, Record

ROOT = "ComputeSanitizerOutput"
_HOST_KINDS = re.compile(r"api|driver|leak|unused|sanitizer|internal|stream.?ordered|launch", re.IGNORECASE)
_HOST_STACKS = re.compile(r"host\w*stack", re.IGNORECASE)
_FUNCTION = ("func", "function", "name")
_FILE = ("path", "file", "filename", "fileName")
_LINE = ("line", "lineno", "lineNumber")
_MAX_BYTES = 64 * 1024 * 1024
_ENTITIES = (b"<!DOCTYPE", b"<!ENTITY")


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
    return tuple(_record(element) for element in root.iter("record"))


def _record(element: Element) -> Record:
    kind, what = _text(element, ("kind",)), element.find("what")
    said = [] if what is None else [_flat(child) for child in what]
    headline = _text(what, ("text",)) if what is not None else ""
    rest = [text for text in said if text and text != headline]
    who = element.find("who")
    return Record(
        text=" | ".join(part for part in (headline or kind, *rest) if part),
        places=tuple(dict.fromkeys(_places(element))),
        block=None if who is None else _dim3(who.find("blockIdx")),
        thread=None if who is None else _dim3(who.find("threadIdx")),
        warning=_text(element, ("level",)).lower().startswith(("warn", "info")),
        about_device=_HOST_KINDS.search(kind) is None,
    )


def _places(element: Element) -> Iterator[Place]:
    """In document order, whatever an element with function and line is called; host frames are ours."""
    for child in element:
        if _HOST_STACKS.fullmatch(child.tag):
            continue
        function, line = _text(child, _FUNCTION), _text(child, _LINE)
        if function or line:
            yield Place(
                function, Path(_text(child, _FILE)).name, int(line) if line.isdecimal() and line != "0" else None
            )
        yield from _places(child)


def _text(element: Element, names: tuple[str, ...]) -> str:
    for name in names:
        found = element.find(name)
        if found is not None and found.text and found.text.strip():
            return found.text.strip()
    return ""


def _flat(element: Element) -> str:
    return " ".join(" ".join(element.itertext()).split())


def _dim3(element: Element | None) -> Dim3 | None:
    """Children x, y and z, or one text `(1, 0, 0)`."""
    if element is None:
        return None
    parts = [_text(element, (axis,)) for axis in ("x", "y", "z")]
    numbers = re.findall(r"\d+", " ".join(parts) if any(parts) else _flat(element))
    return (int(numbers[0]), int(numbers[1]), int(numbers[2])) if len(numbers) == 3 else None
