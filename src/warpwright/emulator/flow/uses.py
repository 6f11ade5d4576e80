"""Which registers an instruction reads and writes, whatever its effect."""

from collections.abc import Iterable

from warpwright.emulator.ops.operands import flatten
from warpwright.emulator.ops.table import Bound, Effect
from warpwright.emulator.ptx.ir import Address, Instruction, Negated, Operand, Register

_RESULT_FIRST = frozenset({Effect.PURE, Effect.LOAD, Effect.ATOMIC})


def registers_written(bound: Bound, instruction: Instruction) -> frozenset[str]:
    """Destinations."""
    if not _writes(bound) or not instruction.operands:
        return frozenset()
    return frozenset(part.name for part in flatten(instruction.operands[0]) if isinstance(part, Register))


def registers_read(bound: Bound, instruction: Instruction) -> frozenset[str]:
    """Inputs, bases of addresses, the guard; under a guard also the destinations, which may keep their value."""
    inputs = instruction.operands[1:] if _writes(bound) else instruction.operands
    names = set(_names(inputs))
    if instruction.guard is not None:
        names.add(instruction.guard.register.name)
        names |= registers_written(bound, instruction)
    return frozenset(names)


def _writes(bound: Bound) -> bool:
    effect = bound.operation.effect
    reduces = effect is Effect.BARRIER and bool(bound.operation.signature(bound.form).results)
    return effect in _RESULT_FIRST or reduces


def _names(operands: Iterable[Operand]) -> Iterable[str]:
    for operand in operands:
        for part in flatten(operand):
            bare = part.base if isinstance(part, Address) else part.operand if isinstance(part, Negated) else part
            if isinstance(bare, Register):
                yield bare.name
