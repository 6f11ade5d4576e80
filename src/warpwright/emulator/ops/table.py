"""The one table of operations: PTX form -> operand types, meaning, pipe and effect.

Parsing legality, both executors, counter classes, cost pipes and the list of supported forms all read it. A form is an
opcode with its modifiers; a row names what it requires (`mul.lo`), the types it takes and the modifiers it accepts.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ptx.ir import Instruction, Vector

_INTEGER_TYPES = {f"{sign}{bits}": LaneType[f"I{bits}"] for sign in "bsu" for bits in (8, 16, 32, 64)}
_HALF_TYPES = {"f16": LaneType.I16, "bf16": LaneType.I16, "f16x2": LaneType.I32, "bf16x2": LaneType.I32}
_OTHER_TYPES = {"u16x2": LaneType.I32, "s16x2": LaneType.I32, "tf32": LaneType.I32}
_FLOAT_TYPES = {"f32": LaneType.F32, "f64": LaneType.F64}
LANE_TYPES = {"pred": LaneType.I1, **_INTEGER_TYPES, **_HALF_TYPES, **_OTHER_TYPES, **_FLOAT_TYPES}
"""Every PTX type and the lane type that holds it."""

TYPE_NAMES = frozenset(LANE_TYPES)
"""Every modifier that is a type."""


class Pipe(StrEnum):
    """Unit that executes the operation; the cost model has one rate for each."""

    ALU = "alu"
    FMA = "fma"
    FP64 = "fp64"
    HALF = "half"
    SFU = "sfu"
    TENSOR = "tensor"
    LSU = "lsu"
    CONTROL = "control"


class Effect(StrEnum):
    """What an executor must do beyond computing lanes."""

    PURE = "pure"
    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"
    REDUCTION = "reduction"
    ASYNC_COPY = "async_copy"
    BARRIER = "barrier"
    WARP_BARRIER = "warp_barrier"
    FENCE = "fence"
    BRANCH = "branch"
    BRANCH_TABLE = "branch_table"
    EXIT = "exit"
    TRAP = "trap"
    CALL = "call"
    RETURN = "return"
    PRINT = "print"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Form:
    """One concrete instruction form: `cvt.rn.f32.s32` is base `cvt`, types (`f32`, `s32`), modifiers {`rn`}."""

    base: str
    types: tuple[str, ...]
    modifiers: frozenset[str]
    tokens: tuple[str, ...]
    """All modifiers in order, types included."""

    @property
    def type(self) -> str:
        """The last type, which names the operation's operands unless its signature says otherwise."""
        return self.types[-1] if self.types else ""


@dataclass(frozen=True, slots=True)
class Signature:
    """Lane types of results and inputs; registers are bit patterns and are cast to these."""

    results: tuple[LaneType, ...]
    inputs: tuple[LaneType, ...]


Definition = Callable[..., Value | tuple[Value, ...]]
"""(builder, form, *inputs) -> result or results, in the types of the signature."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One row.

    name: required tokens (`mul.wide`). types: accepted values of the last type; empty: takes none.
    modifiers: further tokens accepted. define: None for effects that an executor performs itself (memory, control);
    atomics define the read-modify-write on (old, operand[, operand]).
    flops: floating-point operations per lane (an FMA is 2).
    result_types: accepted values of the types before the last (`cvt.f32.s32`); empty: one type only.
    """

    name: str
    types: frozenset[str]
    modifiers: frozenset[str]
    signature: Callable[[Form], Signature]
    define: Definition | None
    effect: Effect
    pipe: Pipe
    flops: int
    source: str
    result_types: frozenset[str] = frozenset()

    def accepts(self, form: Form) -> bool:
        """Whether a form fits: required tokens there, types legal, nothing left over."""
        required = frozenset(self.name.split(".")[1:])
        if not required <= form.modifiers:
            return False
        if form.modifiers - required - self.modifiers:
            return False
        if not self.types:
            return not form.types
        if form.type not in self.types:
            return False
        if not self.result_types:
            return len(form.types) == 1
        # A third type is that of the first of two sources (`vabsdiff4.u32.u32.u32`).
        return len(form.types) in (2, 3) and self.result_types.issuperset(form.types[:-1])


@dataclass(frozen=True, slots=True)
class Bound:
    """An instruction with the row and form that define it."""

    operation: Operation
    form: Form

    def evaluate(self, builder: Builder, *inputs: Value) -> tuple[Value, ...]:
        """Results of the defined operation, always as a tuple."""
        assert self.operation.define is not None
        result = self.operation.define(builder, self.form, *inputs)
        return result if isinstance(result, tuple) else (result,)


class Table:
    """Rows by opcode. `bind` finds the one row whose required tokens, types and modifiers an instruction fits."""

    def __init__(self, rows: Iterable[Operation]) -> None:
        self._rows: dict[str, list[Operation]] = {}
        for row in rows:
            self._rows.setdefault(row.name.split(".")[0], []).append(row)

    def rows(self) -> tuple[Operation, ...]:
        """Every row, for tests over the table and for the generated list of forms."""
        return tuple(row for rows in self._rows.values() for row in rows)

    def bind(self, instruction: Instruction) -> Bound | None:
        """The row and form of an instruction; None if the table has none (the caller names the source line).

        Of several rows that fit, the one that requires most tokens wins (`add.cc` before `add`).
        """
        form = form_of(instruction)
        fitting = [row for row in self._rows.get(form.base, ()) if row.accepts(form)]
        if not fitting:
            return None
        return Bound(max(fitting, key=lambda row: row.name.count(".")), form)


def form_of(instruction: Instruction) -> Form:
    """Form of an instruction. `mov` with a vector operand gets the token `packN` or `unpackN` (N parts)."""
    tokens = instruction.modifiers + _mov_tokens(instruction)
    types = tuple(token for token in tokens if token in TYPE_NAMES)
    return Form(instruction.opcode, types, frozenset(tokens) - TYPE_NAMES, tokens)


def _mov_tokens(instruction: Instruction) -> tuple[str, ...]:
    if instruction.opcode != "mov":
        return ()
    result, source = instruction.operands
    if isinstance(source, Vector):
        return (f"pack{len(source.items)}",)
    return (f"unpack{len(result.items)}",) if isinstance(result, Vector) else ()
