"""What executors need not know: carry flags, asynchronous copies."""

from dataclasses import replace

from warpwright.emulator.flow.inlining import FlatFunction
from warpwright.emulator.flow.names import instruction_like
from warpwright.emulator.flow.refusal import refuse
from warpwright.emulator.ptx.ir import (
    Address,
    Guard,
    Immediate,
    Instruction,
    Operand,
    Pair,
    Register,
    Statement,
    Vector,
)

_CARRY = Register("%cc")
_SETS = ("add", "sub", "mad")
_READS = ("addc", "subc", "madc")
_COPIED = "%copied"


def lower(flat: FlatFunction) -> None:
    """Rewrite the statements of a flat function in place; `flow.graph` lists the rules."""
    flat.statements = [new for old in flat.statements for new in _lowered(old, flat)]


def _lowered(statement: Statement, flat: FlatFunction) -> list[Statement]:
    if not isinstance(statement, Instruction):
        return [statement]
    if statement.opcode in _READS or (statement.opcode in _SETS and "cc" in statement.modifiers):
        flat.registers[_CARRY.name] = 1
        return [_with_carry(statement)]
    if statement.opcode == "cp" and statement.modifiers[:2] in (("async", "ca"), ("async", "cg")):
        return _copy(statement, flat)
    return [statement]


def _with_carry(instruction: Instruction) -> Instruction:
    result, *inputs = instruction.operands
    if instruction.opcode in _READS:
        inputs.append(_CARRY)
    if "cc" in instruction.modifiers:
        result = Pair(result, _CARRY)
    return replace(instruction, operands=(result, *inputs))


def _copy(copy: Instruction, flat: FlatFunction) -> list[Statement]:
    """`cp.async [shared], [global], size[, source size]` as a load and a store; bytes behind the source size are zero."""
    target, source, size, *rest = copy.operands
    if not isinstance(size, Immediate):
        raise refuse(copy, "cp.async with a size that is no number")
    words = max(size.bits // 4, 1)
    names = [f"{_COPIED}{place}" for place in range(words)]
    flat.registers.update(dict.fromkeys(names, 32))
    value: Operand = Vector(tuple(Register(name) for name in names)) if words > 1 else Register(names[0])
    vector = f".v{words}" if words > 1 else ""
    load = instruction_like(copy, f"ld.global{vector}.b32", (value, source))
    store = instruction_like(copy, f"st.shared{vector}.b32", (target, value))
    if not rest:
        return [load, store]
    return [*_zero_filled(copy, flat, names, load, rest[0]), store]


def _zero_filled(
    copy: Instruction, flat: FlatFunction, names: list[str], load: Instruction, source_bytes: Operand
) -> list[Statement]:
    """Words behind the source size are 0; a size that splits a word would need half a load: it traps."""
    if copy.guard is not None:
        raise refuse(copy, "a guarded cp.async with zero fill")
    if isinstance(source_bytes, Register) and flat.registers.get(source_bytes.name) == 1:
        raise refuse(copy, "cp.async with an ignore-src predicate")
    present, rest = Register(f"{_COPIED}?"), Register(f"{_COPIED}%")
    flat.registers.update({present.name: 1, rest.name: 32})
    source = load.operands[1]
    assert isinstance(source, Address)
    lowered: list[Statement] = [
        instruction_like(copy, "and.b32", (rest, source_bytes, Immediate(3, 64))),
        instruction_like(copy, "setp.ne.u32", (present, rest, Immediate(0, 64))),
        replace(instruction_like(copy, "trap", ()), guard=Guard(present, negated=False)),
    ]
    for place, name in enumerate(names):
        lowered.append(instruction_like(copy, "mov.b32", (Register(name), Immediate(0, 64))))
        lowered.append(instruction_like(copy, "setp.gt.u32", (present, source_bytes, Immediate(4 * place, 64))))
        word = Address(source.base, source.offset + 4 * place)
        fetch = instruction_like(copy, "ld.global.b32", (Register(name), word))
        lowered.append(replace(fetch, guard=Guard(present, negated=False)))
    return lowered
