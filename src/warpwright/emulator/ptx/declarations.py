"""Variable declarations: `.shared .align 8 .b8 x[64];`, with initialisers and the addresses in them."""

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from warpwright.emulator.ptx.cursor import Cursor
from warpwright.emulator.ptx.ir import Space, Symbol, Variable
from warpwright.emulator.ptx.lexer import Kind, PtxSyntaxError, integer_value

SPACES = {
    ".global": Space.GLOBAL,
    ".const": Space.CONST,
    ".shared": Space.SHARED,
    ".local": Space.LOCAL,
    ".param": Space.PARAM,
}

WIDTHS = {
    "pred": 1,
    **{f"{sign}{bits}": bits for sign in "bsu" for bits in (8, 16, 32, 64, 128)},
    "f16": 16,
    "bf16": 16,
    "f16x2": 32,
    "bf16x2": 32,
    "tf32": 32,
    "f32": 32,
    "f64": 64,
}
"""Bits of every type that a declaration may name."""

_MOST_ELEMENTS = 1 << 30
"""Of an array."""

_ATTRIBUTES = frozenset({".ptr", ".global", ".const", ".shared", ".local", ".generic"})


@dataclass(slots=True)
class Declared:
    """One declared name with its storage. dims is empty for a scalar; None stands for `[]`."""

    name: str
    element_bytes: int
    align: int
    dims: tuple[int | None, ...]

    @property
    def size_bytes(self) -> int | None:
        """Whole size; None for `x[]`."""
        if None in self.dims:
            return None
        return self.element_bytes * math.prod(dim or 0 for dim in self.dims)


@dataclass(slots=True)
class Content:
    """Initial bytes and the addresses among them."""

    bytes: bytearray
    relocations: dict[int, Symbol] = field(default_factory=dict)


def read_type(cursor: Cursor) -> tuple[int, int]:
    """Attributes up to the name: (bytes of an element, alignment). A vector type is one element."""
    width, count, align, by_pointer = 0, 1, 0, False
    while cursor.token.kind is Kind.DOT:
        word = cursor.take().text
        if word == ".align":
            value = _alignment(cursor)
            align = align if by_pointer else value  # `.ptr .align` speaks of what the pointer points to
        elif word == ".ptr":
            by_pointer = True
        elif word[1:] in WIDTHS:
            width = WIDTHS[word[1:]]
        elif word in (".v2", ".v4", ".v8"):
            count = int(word[2:])
        elif word == ".attribute":
            cursor.skip_until(")")
            cursor.expect(")")
        elif word not in _ATTRIBUTES:
            raise cursor.error(f"a type, found {word!r} before")
    if not width:
        raise cursor.error("a type before a name")
    element = -(-width // 8) * count
    return element, align or element


def _alignment(cursor: Cursor) -> int:
    line, value = cursor.line, cursor.integer()
    if value < 1 or value & (value - 1):
        raise PtxSyntaxError(line, f"alignment {value} is no power of two")
    return value


def read_declared(cursor: Cursor) -> Declared:
    """Type, name and dimensions of one declaration."""
    element, align = read_type(cursor)
    return read_name(cursor, element, align)


def read_name(cursor: Cursor, element_bytes: int, align: int) -> Declared:
    """Name and dimensions behind a type."""
    name = cursor.expect_kind(Kind.WORD).text
    dims: list[int | None] = []
    while cursor.accept("["):
        dims.append(None if cursor.at("]") else cursor.count(_MOST_ELEMENTS))
        cursor.expect("]")
    if math.prod(dim or 0 for dim in dims) > _MOST_ELEMENTS:
        raise cursor.error(f"an array of at most {_MOST_ELEMENTS} elements")
    return Declared(name, element_bytes, align, tuple(dims))


def read_variables(cursor: Cursor, space: Space, rename: Callable[[str], str]) -> list[Variable]:
    """Every variable of one declaration, up to and over its `;`. The space word has been read."""
    element, align = read_type(cursor)
    variables = []
    while True:
        declared = read_name(cursor, element, align)
        content = _read_initialiser(cursor, declared) if cursor.accept("=") else None
        variables.append(
            Variable(
                rename(declared.name),
                space,
                declared.align,
                declared.size_bytes if content is None else len(content.bytes),
                bytes(content.bytes) if content else None,
                content.relocations if content else {},
            )
        )
        if not cursor.accept(","):
            break
    cursor.expect(";")
    return variables


def _read_initialiser(cursor: Cursor, declared: Declared) -> Content:
    size = declared.size_bytes
    content = Content(bytearray(size or 0))
    if cursor.at("{"):
        strides = [declared.element_bytes]
        for dim in reversed(declared.dims[1:]):
            strides.insert(0, strides[0] * (dim or 0))
        _read_list(cursor, content, 0, strides)
    else:
        _read_element(cursor, content, 0, declared.element_bytes)
    return content


def _read_list(cursor: Cursor, content: Content, offset: int, strides: list[int]) -> None:
    """`{ a, b, { c } }` with the first of `strides` between its items."""
    cursor.expect("{")
    while not cursor.accept("}"):
        if cursor.at("{"):
            _read_list(cursor, content, offset, strides[1:] or strides)
            offset += strides[0]
        else:
            _read_element(cursor, content, offset, strides[-1])
            offset += strides[-1]
        cursor.accept(",")


def _read_element(cursor: Cursor, content: Content, offset: int, size: int) -> None:
    if len(content.bytes) < offset + size:
        content.bytes.extend(bytes(offset + size - len(content.bytes)))
    if cursor.token.kind is Kind.WORD:
        content.relocations[offset] = _read_symbol(cursor)
        return
    if cursor.token.kind is Kind.INTEGER and cursor.peek().text == "(":
        _read_masked(cursor, content, offset)
        return
    content.bytes[offset : offset + size] = _literal_bytes(cursor, size)


def _read_masked(cursor: Cursor, content: Content, offset: int) -> None:
    """`0xFF(symbol)`: one byte of an address; the lowest byte places the whole address."""
    mask = cursor.integer()
    cursor.expect("(")
    symbol = _read_symbol(cursor)
    cursor.expect(")")
    if mask == 0xFF:
        content.relocations[offset] = symbol


def _read_symbol(cursor: Cursor) -> Symbol:
    name = cursor.expect_kind(Kind.WORD).text
    if name == "generic" and cursor.accept("("):
        inner = _read_symbol(cursor)
        cursor.expect(")")
        return Symbol(inner.name, inner.offset + _read_offset(cursor))
    return Symbol(name, _read_offset(cursor))


def _read_offset(cursor: Cursor) -> int:
    return cursor.integer() if cursor.accept("+") or cursor.at("-") else 0


def _literal_bytes(cursor: Cursor, size: int) -> bytes:
    negative = cursor.accept("-")
    token = cursor.take()
    if token.kind is Kind.FLOAT:
        bits, width = float_bits(token.text)
        if width != size * 8:
            (value,) = struct.unpack("<d" if width == 64 else "<f", bits.to_bytes(width // 8, "little"))
            return struct.pack("<d" if size == 8 else "<f", -value if negative else value)
        return (bits ^ (negative << (width - 1))).to_bytes(size, "little")
    if token.kind is not Kind.INTEGER:
        raise cursor.error("a number")
    value = integer_value(token.text)
    return ((-value if negative else value) & ((1 << size * 8) - 1)).to_bytes(size, "little")


def float_bits(text: str) -> tuple[int, int]:
    """(pattern, width) of a FLOAT token: `0f` is 32 bits wide, `0d` and decimal notation 64."""
    prefix = text[:2].lower()
    if prefix == "0f":
        return int(text[2:], 16), 32
    if prefix == "0d":
        return int(text[2:], 16), 64
    return int.from_bytes(struct.pack("<d", float(text)), "little"), 64
