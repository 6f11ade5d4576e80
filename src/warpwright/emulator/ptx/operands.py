"""Operands of an instruction: registers, literals, addresses, vectors, pairs, calls."""

from warpwright.emulator.ptx.cursor import Cursor
from warpwright.emulator.ptx.declarations import float_bits
from warpwright.emulator.ptx.ir import (
    Address,
    Immediate,
    Negated,
    Operand,
    Pair,
    Register,
    Sink,
    Special,
    Symbol,
    Vector,
)
from warpwright.emulator.ptx.lexer import Kind, PtxSyntaxError, integer_value
from warpwright.emulator.ptx.scope import Scope

_AXES = (".x", ".y", ".z", ".w")
_COLOURS = {".r": ".x", ".g": ".y", ".b": ".z", ".a": ".w"}
_WIDTH = 64
_WARP_SIZE = 32


class OperandReader:
    """Reads operands at a cursor; names are looked up in the scope."""

    def __init__(self, cursor: Cursor, scope: Scope) -> None:
        self._cursor = cursor
        self._scope = scope

    def read_all(self) -> tuple[Operand, ...]:
        """Operands up to the `;` (not over it)."""
        operands: list[Operand] = []
        while not self._cursor.at(";"):
            operands.append(self.read())
            if not self._cursor.accept(","):
                break
        return tuple(operands)

    def read_call(self) -> tuple[Operand, ...]:
        """`(result), name, (argument, ...)[, prototype]` as (results, callee, arguments); absent lists are empty."""
        cursor = self._cursor
        results = self._parenthesised() if cursor.at("(") else Vector(())
        cursor.accept(",")
        callee = self.read()
        arguments = Vector(())
        while cursor.accept(","):
            if cursor.at("("):
                arguments = self._parenthesised()
            else:
                self.read()  # a prototype or list of targets of an indirect call
        return (results, callee, arguments)

    def _parenthesised(self) -> Vector:
        self._cursor.expect("(")
        items: list[Operand] = []
        while not self._cursor.accept(")"):
            items.append(self.read())
            self._cursor.accept(",")
        return Vector(tuple(items))

    def read(self) -> Operand:
        """One operand."""
        first = self._single()
        if self._cursor.accept("|"):
            return Pair(first, self._single())
        return first

    def _single(self) -> Operand:
        cursor = self._cursor
        if cursor.at("{"):
            return self._vector()
        if cursor.at("["):
            return self._address()
        if cursor.accept("!"):
            return self._negated()
        if cursor.token.kind is Kind.WORD:
            return self._name()
        return self.literal()

    def _vector(self) -> Operand:
        self._cursor.expect("{")
        items: list[Operand] = []
        while not self._cursor.accept("}"):
            items.append(self.read())
            self._cursor.accept(",")
        return Vector(tuple(items))

    def _negated(self) -> Operand:
        line = self._cursor.line
        operand = self._name()
        if not isinstance(operand, Register):
            raise PtxSyntaxError(line, "'!' before something that is no predicate")
        return Negated(operand)

    def literal(self) -> Immediate:
        """A signed number."""
        cursor = self._cursor
        negative = cursor.accept("-")
        token = cursor.take()
        if token.kind is Kind.FLOAT:
            bits, width = float_bits(token.text)
            return Immediate(bits ^ (negative << (width - 1)), width, is_float=True)
        if token.kind is not Kind.INTEGER:
            raise PtxSyntaxError(token.line, f"expected an operand, found {token.text!r}")
        value = integer_value(token.text)
        return Immediate((-value if negative else value) & ((1 << _WIDTH) - 1), _WIDTH)

    def _name(self) -> Operand:
        cursor = self._cursor
        token = cursor.expect_kind(Kind.WORD)
        if token.text == "_":
            return Sink()
        if token.text == "WARP_SZ":
            return Immediate(_WARP_SIZE, _WIDTH)
        register = self._register(token.text)
        if register is not None:
            return register
        if token.text.startswith("%"):
            axis = cursor.take().text[1:] if cursor.token.text in _AXES else None
            return Special(token.text[1:], axis)
        return Symbol(self._scope.variable(token.text), self._offset())

    def _register(self, name: str) -> Operand | None:
        found = self._scope.register(name)
        if isinstance(found, Vector) and self._cursor.token.kind is Kind.DOT:
            axis = self._cursor.take().text
            return self._scope.register(name + _COLOURS.get(axis, axis))
        return found

    def _offset(self) -> int:
        cursor = self._cursor
        offset = 0
        while cursor.at("+", "-"):
            cursor.accept("+")
            offset += cursor.integer()
        return offset

    def _address(self) -> Operand:
        """`[base + offset]`; what textures and bulk copies write behind a comma is kept, for the error that names them."""
        cursor, line = self._cursor, self._cursor.line
        cursor.expect("[")
        base = self._single()
        rest: list[Operand] = []
        offset = self._offset()
        while cursor.accept(","):
            rest.append(self.read())
        cursor.expect("]")
        if isinstance(base, Symbol):
            base, offset = Symbol(base.name), base.offset + offset
        if not isinstance(base, Register | Symbol | Immediate):
            raise PtxSyntaxError(line, "an address is a register, variable or number plus an offset")
        address = Address(base, offset)
        return Vector((address, *rest)) if rest else address
