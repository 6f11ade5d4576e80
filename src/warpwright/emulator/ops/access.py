"""Memory instructions and barriers as executors need them: what is moved where, independent of spelling."""

from dataclasses import dataclass

from warpwright.emulator.ops.builder import LaneType
from warpwright.emulator.ops.declare import is_signed, lane_type
from warpwright.emulator.ops.operands import flatten
from warpwright.emulator.ops.table import Bound, Effect, Form
from warpwright.emulator.ptx.ir import Address, Immediate, Instruction, Operand, Space

_SPACES = {
    "global": Space.GLOBAL,
    "shared": Space.SHARED,
    "shared::cta": Space.SHARED,
    "local": Space.LOCAL,
    "const": Space.CONST,
    "param": Space.PARAM,
    "param::entry": Space.PARAM,
    "param::func": Space.PARAM,
}


def space_of(form: Form) -> Space:
    """State space that the form names; GENERIC if none."""
    return next((_SPACES[token] for token in form.tokens if token in _SPACES), Space.GENERIC)


@dataclass(frozen=True, slots=True)
class Access:
    """One LOAD, STORE, ATOMIC or REDUCTION. Lanes access `len(elements)` neighbours from `address` on.

    elements: load: destinations; store: values; atomics: one place for the accessed word.
    operands: of an atomic, behind the address. result: register of an atomic's old value (None: `red`, or `_`).
    signed: a loaded element fills a wider register with its sign, else with zeros.
    """

    space: Space
    address: Address
    element: LaneType
    signed: bool
    elements: tuple[Operand, ...]
    operands: tuple[Operand, ...]
    result: Operand | None

    @property
    def element_bytes(self) -> int:
        """Size of one element."""
        return self.element.bits // 8

    @property
    def bytes_per_lane(self) -> int:
        """Bytes that a lane moves; the address must be a multiple of it."""
        return self.element_bytes * len(self.elements)


def access_of(bound: Bound, instruction: Instruction) -> Access:
    """The access of an instruction whose effect is LOAD, STORE, ATOMIC or REDUCTION."""
    first, *rest = instruction.operands
    effect, form = bound.operation.effect, bound.form
    element, signed = lane_type(form.type), is_signed(form.type)
    if effect is Effect.LOAD:
        return Access(space_of(form), _address(rest[0]), element, signed, flatten(first), (), None)
    if effect is Effect.STORE:
        return Access(space_of(form), _address(first), element, signed, flatten(rest[0]), (), None)
    if effect is Effect.ATOMIC:
        return Access(space_of(form), _address(rest[0]), element, signed, (first,), tuple(rest[1:]), first)
    return Access(space_of(form), _address(first), element, signed, (first,), tuple(rest), None)


def _address(operand: Operand) -> Address:
    assert isinstance(operand, Address), operand
    return operand


@dataclass(frozen=True, slots=True)
class BarrierUse:
    """A block barrier. number: which of 16. threads: how many must arrive (None: the whole block).

    waits: false for `.arrive`. reduction: `popc`, `and`, `or` with its predicate and result, else None.
    """

    number: Operand
    threads: Operand | None
    waits: bool
    reduction: str | None = None
    predicate: Operand | None = None
    result: Operand | None = None


def barrier_of(bound: Bound, instruction: Instruction) -> BarrierUse:
    """The barrier of an instruction whose effect is BARRIER."""
    form, operands = bound.form, instruction.operands
    reduction = next((word for word in ("popc", "and", "or") if word in form.modifiers), None)
    if reduction is None:
        number = operands[0] if operands else Immediate(0, 64)
        return BarrierUse(number, operands[1] if len(operands) > 1 else None, "arrive" not in form.modifiers)
    threads = operands[2] if len(operands) > 3 else None
    return BarrierUse(operands[1], threads, waits=True, reduction=reduction, predicate=operands[-1], result=operands[0])
