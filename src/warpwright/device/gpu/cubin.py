"""What a cubin holds, read from its ELF symbol table. Source: System V ABI, ELF-64 object file format."""

import struct
from collections.abc import Iterator

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOL_TABLE = 2
_OBJECT = 1
_BINDINGS = (0, 1)
"""Local (`static`, or in an unnamed namespace) and global."""
_WRITABLE_SECTIONS = (".nv.global",)
"""`.nv.global` (zeroed) and `.nv.global.init`; constant memory lies in `.nv.constantN`."""


def writable_variables(cubin: bytes) -> tuple[str, ...]:
    """Variables in global memory, those with internal linkage included; none for what is no ELF file."""
    if not cubin.startswith(b"\x7fELF") or len(cubin) < _HEADER.size:
        return ()
    try:
        return tuple(sorted(set(_variables(cubin))))
    except (struct.error, IndexError, OverflowError, ValueError):
        return ()  # cut short or damaged: the driver will refuse it with its own words


def _variables(cubin: bytes) -> Iterator[str]:
    header = _HEADER.unpack_from(cubin)
    table, entry_bytes, count, names_index = header[6], header[11], header[12], header[13]
    sections = [_SECTION.unpack_from(cubin, table + number * entry_bytes) for number in range(count)]
    section_names = [_text(cubin, sections[names_index][4] + section[0]) for section in sections]
    for section in sections:
        if section[1] != _SYMBOL_TABLE:
            continue
        strings = sections[section[6]][4]
        for offset in range(section[4], section[4] + section[5], _SYMBOL.size):
            name, info, _, index, _, size = _SYMBOL.unpack_from(cubin, offset)
            visible = info & 15 == _OBJECT and info >> 4 in _BINDINGS and 0 < index < count and size > 0
            if visible and section_names[index].startswith(_WRITABLE_SECTIONS):
                yield _text(cubin, strings + name)


def _text(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode("utf-8", "replace")
