"""How a row of the table is written: PTX types as lane types, shapes of operations, and the decorator that collects rows."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from warpwright.emulator.ops.builder import LaneType
from warpwright.emulator.ops.table import LANE_TYPES, TYPE_NAMES, Definition, Effect, Form, Operation, Pipe, Signature

BITS = frozenset({"b16", "b32", "b64"})
SIGNED = frozenset({"s16", "s32", "s64"})
UNSIGNED = frozenset({"u16", "u32", "u64"})
INTEGERS = SIGNED | UNSIGNED
WIDE = frozenset({"s32", "u32", "s64", "u64"})
F32 = frozenset({"f32"})
F64 = frozenset({"f64"})
PRED = frozenset({"pred"})
MEMORY = TYPE_NAMES - {"pred", "f16", "bf16", "f16x2", "bf16x2", "u16x2", "s16x2", "tf32"}
"""Types of loads and stores."""


def lane_type(name: str) -> LaneType:
    """Lane type of a PTX type: `s32` -> I32, `f16x2` -> I32, `pred` -> I1."""
    return LANE_TYPES[name]


def is_signed(name: str) -> bool:
    """True for `s8` .. `s64`."""
    return name.startswith("s")


def double_width(kind: LaneType) -> LaneType:
    """The integer type of twice the width (results of `mul.wide`)."""
    return LaneType[f"I{kind.bits * 2}"]


@dataclass(frozen=True, slots=True)
class Shape:
    """Types of an operation. types: accepted last types; result_types: accepted first types where a form names two."""

    types: frozenset[str]
    signature: Callable[[Form], Signature]
    result_types: frozenset[str] = frozenset()


def same(types: Iterable[str], inputs: int = 2, results: int = 1) -> Shape:
    """All operands have the instruction's type."""

    def signature(form: Form) -> Signature:
        kind = lane_type(form.type)
        return Signature((kind,) * results, (kind,) * inputs)

    return Shape(frozenset(types), signature)


def shaped(types: Iterable[str], results: Iterable[LaneType | None], inputs: Iterable[LaneType | None]) -> Shape:
    """Fixed lane types; None stands for the instruction's type."""
    result_kinds, input_kinds = tuple(results), tuple(inputs)

    def signature(form: Form) -> Signature:
        own = lane_type(form.type) if form.types else LaneType.I32
        return Signature(tuple(k or own for k in result_kinds), tuple(k or own for k in input_kinds))

    return Shape(frozenset(types), signature)


NO_OPERANDS = Shape(frozenset(), lambda _: Signature((), ()))
"""Of effects whose operands the executor reads itself."""


class Family:
    """Rows of one chapter of the PTX ISA; `op` is the decorator, `rows` what it collected."""

    def __init__(self, chapter: str) -> None:
        self._chapter = chapter
        self.rows: list[Operation] = []

    def op(
        self, name: str, shape: Shape, pipe: Pipe, modifiers: str = "", flops: int = 0
    ) -> Callable[[Definition], Definition]:
        """Declare a pure operation; the decorated function gives its results from (builder, form, *inputs)."""

        def declare(definition: Definition) -> Definition:
            self.rows.append(self._row(name, shape, pipe, modifiers, (definition, Effect.PURE, flops)))
            return definition

        return declare

    def update(
        self, name: str, shape: Shape, effect: Effect, modifiers: str = "", flops: int = 0
    ) -> Callable[[Definition], Definition]:
        """Declare an atomic; the decorated function gives the new value from (builder, form, old, operand[, operand])."""

        def declare(definition: Definition) -> Definition:
            self.rows.append(self._row(name, shape, Pipe.LSU, modifiers, (definition, effect, flops)))
            return definition

        return declare

    def effect(self, name: str, shape: Shape, pipe: Pipe, effect: Effect, modifiers: str = "") -> None:
        """Declare an operation that the executor performs itself."""
        self.rows.append(self._row(name, shape, pipe, modifiers, (None, effect, 0)))

    def _row(
        self, name: str, shape: Shape, pipe: Pipe, modifiers: str, meaning: tuple[Definition | None, Effect, int]
    ) -> Operation:
        define, effect, flops = meaning
        return Operation(
            name=name,
            types=shape.types,
            modifiers=frozenset(modifiers.split()),
            signature=shape.signature,
            define=define,
            effect=effect,
            pipe=pipe,
            flops=flops,
            source=f"PTX ISA, {self._chapter}: {name.split('.', maxsplit=1)[0]}",
            result_types=shape.result_types,
        )
