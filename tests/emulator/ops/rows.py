"""Evaluate one PTX form on the NumPy lanes: what tests of the operation table share."""

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from warpwright.emulator.interp.array_builder import DTYPES, WARP, ArrayBuilder
from warpwright.emulator.interp.exact import Lanes
from warpwright.emulator.ops.builder import LaneType
from warpwright.emulator.ops.registry import TABLE
from warpwright.emulator.ops.table import Bound
from warpwright.emulator.ptx.ir import Instruction, Register


def bind(form: str) -> Bound:
    """The row of `add.rn.f32`."""
    opcode, *modifiers = form.split(".")
    instruction = Instruction(opcode, tuple(modifiers), (Register("d"), Register("a")), None, 1, None)
    bound = TABLE.bind(instruction)
    assert bound is not None, form
    return bound


def no_special(name: str, axis: str | None) -> Lanes:
    raise AssertionError(f"%{name}.{axis}")


def evaluate(form: str, *operands: Sequence[int | float] | Any) -> Lanes:
    """First result of a form on up to 32 lanes. Integers are bit patterns (negative ones wrap); floats are values."""
    bound = bind(form)
    kinds = bound.operation.signature(bound.form).inputs
    builder = ArrayBuilder(no_special)
    lanes = [_lanes(values, kind) for values, kind in zip(operands, kinds, strict=True)]
    with np.errstate(all="ignore"):
        result: Lanes = bound.evaluate(builder, *lanes)[0]
    return result[: len(operands[0])]


def _lanes(values: Sequence[int | float], kind: LaneType) -> Lanes:
    padded = [*values, *([values[-1]] * (WARP - len(values)))]
    if kind.is_float:
        return np.array(padded, DTYPES[kind])
    return np.array([int(v) & ((1 << kind.bits) - 1) for v in padded], DTYPES[kind])


def bits32(value: float) -> int:
    """Pattern of a binary32."""
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def half_bits(values: Sequence[float]) -> list[int]:
    """Patterns of binary16."""
    return [int(v) for v in np.array(values, np.float16).view(np.uint16)]


def half_values(patterns: Sequence[int] | Lanes) -> Lanes:
    """Values of binary16 patterns, in float64."""
    return np.array(patterns, np.uint16).view(np.float16).astype(np.float64)
