"""Call parameters become registers; where their bytes are accessed in different sizes, a local variable."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from warpwright.emulator.flow.inlining import FlatFunction
from warpwright.emulator.flow.names import instruction_like
from warpwright.emulator.ops.operands import flatten
from warpwright.emulator.ops.table import LANE_TYPES, TYPE_NAMES
from warpwright.emulator.ptx.ir import Address, Instruction, Operand, Register, Space, Statement, Symbol


def lower_call_parameters(flat: FlatFunction) -> None:
    """Replace every `ld.param` and `st.param` of a call parameter."""
    accesses: dict[str, set[tuple[int, int]]] = {name: set() for name in flat.call_parameters}
    taken: set[str] = set()
    for statement in flat.statements:
        if isinstance(statement, Instruction):
            found = _access(statement, flat)
            if found is not None:
                accesses[found].update(_pieces(statement))
            else:
                taken |= _mentioned(statement.operands) & accesses.keys()
    local = {name for name, pieces in accesses.items() if name in taken or _overlap(pieces)}
    for name in local:
        flat.variables[name] = replace(flat.call_parameters[name], space=Space.LOCAL)
    flat.statements = [new for old in flat.statements for new in _lowered(old, flat, local)]


def _access(instruction: Instruction, flat: FlatFunction) -> str | None:
    """Name of the call parameter that a load or store accesses."""
    if instruction.opcode not in ("ld", "st") or not any(m.startswith("param") for m in instruction.modifiers):
        return None
    address = instruction.operands[1 if instruction.opcode == "ld" else 0]
    if isinstance(address, Address) and isinstance(address.base, Symbol) and address.base.name in flat.call_parameters:
        return address.base.name
    return None


def _pieces(instruction: Instruction) -> list[tuple[int, int]]:
    """(byte offset, bits) of every element."""
    address, values = _split(instruction)
    kind = _type(instruction)
    step = LANE_TYPES[kind].bits
    start = address.offset + (address.base.offset if isinstance(address.base, Symbol) else 0)
    return [(start + place * step // 8, step) for place in range(len(values))]


def _split(instruction: Instruction) -> tuple[Address, tuple[Operand, ...]]:
    first, second = instruction.operands
    address, value = (second, first) if instruction.opcode == "ld" else (first, second)
    assert isinstance(address, Address)
    return address, flatten(value)


def _type(instruction: Instruction) -> str:
    return next(m for m in reversed(instruction.modifiers) if m in TYPE_NAMES)


def _overlap(pieces: Iterable[tuple[int, int]]) -> bool:
    """True if two accesses share bytes without being the same."""
    ordered = sorted(pieces)
    return any(a + bits // 8 > b for (a, bits), (b, _) in pairwise(ordered))


def _mentioned(operands: Iterable[Operand]) -> set[str]:
    names: set[str] = set()
    for operand in operands:
        for part in flatten(operand):
            base = part.base if isinstance(part, Address) else part
            if isinstance(base, Symbol):
                names.add(base.name)
    return names


def _lowered(statement: Statement, flat: FlatFunction, local: set[str]) -> list[Statement]:
    name = _access(statement, flat) if isinstance(statement, Instruction) else None
    if name is None or not isinstance(statement, Instruction):
        return [statement]
    if name in local:
        modifiers = tuple("local" if m.startswith("param") else m for m in statement.modifiers)
        return [replace(statement, modifiers=modifiers)]
    moves: list[Statement] = []
    _, values = _split(statement)
    kind = _type(statement)
    for value, (offset, bits) in zip(values, _pieces(statement), strict=True):
        register = Register(f"{name}+{offset}")
        width = max(bits, 16)  # bytes travel in 16-bit registers
        flat.registers[register.name] = width
        move_type = f"b{width}"
        pair = (value, register) if statement.opcode == "ld" else (register, value)
        moves.append(_move(statement, kind, move_type, pair))
    return moves


def _move(model: Instruction, kind: str, move_type: str, pair: tuple[Operand, Operand]) -> Instruction:
    """A move of the element; a signed or narrow element is extended as the load would."""
    if kind in ("s8", "u8", "b8"):
        return instruction_like(model, f"cvt.u16.{'s8' if kind == 's8' else 'u8'}", pair)
    return instruction_like(model, f"mov.{move_type}", pair)
