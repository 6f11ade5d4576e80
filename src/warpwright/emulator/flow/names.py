"""Renaming the pieces of an inlined function so that two copies of it never meet."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from warpwright.emulator.ptx.ir import (
    Address,
    Guard,
    Instruction,
    Label,
    Negated,
    Operand,
    Pair,
    Register,
    Statement,
    Symbol,
    Vector,
)


@dataclass(frozen=True, slots=True)
class Renaming:
    """suffix: behind every register and label. symbols: variable of the function -> its name in the caller."""

    suffix: str
    symbols: Mapping[str, str]

    def statement(self, statement: Statement) -> Statement:
        """A label or instruction under new names."""
        if isinstance(statement, Label):
            return Label(statement.name + self.suffix)
        guard = statement.guard
        return replace(
            statement,
            operands=tuple(self.operand(part) for part in statement.operands),
            guard=Guard(Register(guard.register.name + self.suffix), guard.negated) if guard else None,
        )

    def operand(self, operand: Operand) -> Operand:  # noqa: PLR0911 - one return per kind of operand
        """An operand under new names."""
        match operand:
            case Register(name):
                return Register(name + self.suffix)
            case Label(name):
                return Label(name + self.suffix)
            case Symbol(name, offset):
                return Symbol(self.symbols.get(name, name), offset)
            case Address(base, offset):
                renamed = self.operand(base)
                assert isinstance(renamed, Register | Symbol) or renamed is base
                return Address(renamed, offset)
            case Vector(items):
                return Vector(tuple(self.operand(item) for item in items))
            case Pair(first, second):
                return Pair(self.operand(first), self.operand(second))
            case Negated(register):
                return Negated(Register(register.name + self.suffix))
        return operand


def instruction_like(model: Instruction, opcode: str, operands: tuple[Operand, ...]) -> Instruction:
    """Another instruction at the same place under the same guard: `instruction_like(call, "bra.uni", (target,))`."""
    word, *modifiers = opcode.split(".")
    return replace(model, opcode=word, modifiers=tuple(modifiers), operands=operands)
