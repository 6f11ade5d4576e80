"""What of a compiled candidate decides what the GPU does: its machine code and its launches, without names of lines."""

import hashlib
import json
import struct
from collections.abc import Iterator

from warpwright.evaluation.course import Course

_ELF_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_NO_BITS = 8
_KEPT = (".text.", ".nv.info", ".nv.constant", ".nv.global", ".nv.shared")
"""Sections of a cubin that are loaded or say how a kernel is launched; line tables and symbol names are left out."""


def machine_identity(course: Course) -> str | None:
    """Equal for candidates that run the same machine code in the same launches on every case; None if one was not built."""
    if course.built is None or len(course.built.programs) < len(course.cases):
        return None
    facts = []
    for case in course.cases:
        program = course.program(case)
        lowered = sorted(program.lowered.items())
        facts.append((case.name, repr(course.plans[case.name]), lowered, code_digest(program.cubin)))
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def code_digest(cubin: bytes) -> str:
    """SHA-256 over what a cubin loads; over all of it if it is no 64-bit ELF file."""
    digest = hashlib.sha256()
    sections = list(_sections(cubin))
    for name, content in sorted(sections) or [("", cubin)]:
        digest.update(f"{name}:{len(content)}:".encode())
        digest.update(content)
    return digest.hexdigest()


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
