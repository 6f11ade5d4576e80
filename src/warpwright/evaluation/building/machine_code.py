"""What of a compiled candidate decides what the GPU does: its machine code and its launches, without line tables and names.

A kernel is known by its place among the functions of the binary, so that it may have any name.
"""

import hashlib
import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from warpwright.candidate.resolved import ResolvedPlan
from warpwright.evaluation.course import Course

_ELF_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_NO_BITS = 8
_TEXT = ".text."
_KEPT = (
    _TEXT,
    ".rel.text.",
    ".rela.text.",
    ".nv.info",
    ".nv.constant",
    ".rel.nv.constant",
    ".rela.nv.constant",
    ".nv.global",
    ".nv.shared",
)
"""Sections of a cubin that are loaded or say how a kernel is launched; line tables and symbol names are left out."""


def machine_identity(course: Course) -> str | None:
    """Equal for candidates that run the same machine code in the same launches on every case; None if one was not built."""
    if course.built is None or len(course.built.programs) < len(course.cases):
        return None
    facts = []
    for case in course.cases:
        program = course.program(case)
        places = _places(list(_sections(program.cubin)))
        entries = {entry: places.get(symbol, symbol) for entry, symbol in program.lowered.items()}
        facts.append((case.name, repr(_nameless(course.plans[case.name], entries)), code_digest(program.cubin)))
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def code_digest(cubin: bytes) -> str:
    """SHA-256 over what a cubin loads, whatever its functions are called; over all of it if it is no 64-bit ELF file."""
    digest = hashlib.sha256()
    sections = list(_sections(cubin))
    places = _places(sections)
    kept = sorted((_placed(name, places), content) for name, content in sections)
    for name, content in kept or [("", cubin)]:
        digest.update(f"{name}:{len(content)}:".encode())
        digest.update(content)
    return digest.hexdigest()


def _places(sections: Sequence[tuple[str, bytes]]) -> Mapping[str, str]:
    """Symbol of each function with code of its own -> its place in the binary: `#0`."""
    symbols = [name.removeprefix(_TEXT) for name, _ in sections if name.startswith(_TEXT)]
    return {symbol: f"#{place}" for place, symbol in enumerate(symbols)}


def _placed(section: str, places: Mapping[str, str]) -> str:
    """`.nv.info.softmax` -> `.nv.info.#0`."""
    for symbol, place in places.items():
        if section.endswith(f".{symbol}"):
            return section.removesuffix(symbol) + place
    return section


def _nameless(plan: ResolvedPlan, entries: Mapping[str, str]) -> ResolvedPlan:
    launches = tuple(replace(launch, entry=entries.get(launch.entry, launch.entry)) for launch in plan.launches)
    return replace(plan, launches=launches)


def _sections(cubin: bytes) -> Iterator[tuple[str, bytes]]:
    """Kept sections by name, with their bytes; a section without bytes has its size instead."""
    if len(cubin) < _ELF_HEADER.size or cubin[:5] != b"\x7fELF\x02":
        return
    header = _ELF_HEADER.unpack_from(cubin)
    table, size, count, names_at = header[6], header[11], header[12], header[13]
    if size != _SECTION.size or table + size * count > len(cubin) or names_at >= count:
        return
    rows = [_SECTION.unpack_from(cubin, table + size * row) for row in range(count)]
    names = _content(cubin, rows[names_at])
    for row in rows:
        name = names[row[0] :].partition(b"\0")[0].decode("ascii", "replace")
        if name.startswith(_KEPT):
            yield name, str(row[5]).encode() if row[1] == _NO_BITS else _content(cubin, row)


def _content(cubin: bytes, row: tuple[int, ...]) -> bytes:
    return cubin[row[4] : row[4] + row[5]]
