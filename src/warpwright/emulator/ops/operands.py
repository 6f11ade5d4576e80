"""Which operands of an instruction are results and which inputs, flattened in the order of the operation's signature."""

import struct

from warpwright.emulator.ops.builder import LaneType
from warpwright.emulator.ops.declare import is_signed
from warpwright.emulator.ops.table import Bound
from warpwright.emulator.ptx.ir import Immediate, Instruction, Operand, Pair, Vector

_OF_THE_LAUNCH = ("tid", "ntid", "ctaid", "nctaid", "laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid")
_CLOCKS_AND_SIZES = ("clock", "clock_hi", "clock64", "globaltimer", "dynamic_smem_size", "total_smem_size")
_LANE_MASKS = ("lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt", "lanemask_ge")
SPECIAL_REGISTERS = frozenset({*_OF_THE_LAUNCH, *_CLOCKS_AND_SIZES, *_LANE_MASKS})
"""Special registers that executors have; `flow` refuses the others before anything runs."""


def flatten(operand: Operand) -> tuple[Operand, ...]:
    """Parts of a vector `{a, b}` or pair `p|q`; else the operand alone."""
    match operand:
        case Vector(items):
            return items
        case Pair(first, second):
            return (first, second)
    return (operand,)


def result_operands(instruction: Instruction) -> tuple[Operand, ...]:
    """Destinations of a pure instruction; an operation may define more results than the instruction names."""
    return flatten(instruction.operands[0])


def input_operands(instruction: Instruction) -> tuple[Operand, ...]:
    """Inputs of a pure instruction, one for each input of its signature."""
    return tuple(part for operand in instruction.operands[1:] for part in flatten(operand))


def sign_extends(bound: Bound) -> bool:
    """True if a result narrower than its register fills the upper bits with its sign, else with zeros."""
    return bool(bound.form.types) and is_signed(bound.form.types[0])


def immediate_bits(literal: Immediate, kind: LaneType) -> int:
    """Bit pattern of a literal where `kind` is wanted.

    Integers are cut to the width; float literals of the other width are rounded; in an integer place their pattern counts.
    """
    if literal.is_float and kind.is_float and literal.width != kind.bits:
        return _convert_float(literal, kind)
    if not literal.is_float and kind.is_float:
        return _pattern(float(_as_signed(literal.bits)), kind)
    return literal.bits & ((1 << kind.bits) - 1)


def _as_signed(bits: int) -> int:
    return bits - (1 << 64) if bits >> 63 else bits


def _convert_float(literal: Immediate, kind: LaneType) -> int:
    source = "<d" if literal.width == 64 else "<f"
    (value,) = struct.unpack(source, literal.bits.to_bytes(literal.width // 8, "little"))
    return _pattern(value, kind)


def _pattern(value: float, kind: LaneType) -> int:
    target = "<d" if kind is LaneType.F64 else "<f"
    try:
        packed = struct.pack(target, value)
    except OverflowError:
        packed = struct.pack(target, float("inf") if value > 0 else float("-inf"))
    return int.from_bytes(packed, "little")
