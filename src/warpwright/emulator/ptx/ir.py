"""PTX as data: what the parser gives and everything else reads. Registers are untyped bits; types sit on instructions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Space(StrEnum):
    """State space of a variable or an access."""

    PARAM = "param"
    GLOBAL = "global"
    CONST = "const"
    SHARED = "shared"
    LOCAL = "local"
    GENERIC = "generic"


@dataclass(frozen=True, slots=True)
class Register:
    """A virtual register, renamed uniquely within its function."""

    name: str


@dataclass(frozen=True, slots=True)
class Immediate:
    """A literal. bits: its pattern in `width` bits (64 for integers, 32 or 64 for `0f`/`0d` floats)."""

    bits: int
    width: int
    is_float: bool = False


@dataclass(frozen=True, slots=True)
class Special:
    """A special register: `Special("tid", "x")`, `Special("laneid")`."""

    name: str
    axis: str | None = None


@dataclass(frozen=True, slots=True)
class Symbol:
    """The address of a variable (or a function's name in a call), plus a byte offset."""

    name: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Address:
    """`[base + offset]` of a memory operand."""

    base: "Register | Symbol | Immediate"
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Vector:
    """`{a, b, c, d}`."""

    items: "tuple[Operand, ...]"


@dataclass(frozen=True, slots=True)
class Pair:
    """`p|q`: two results of one instruction."""

    first: "Operand"
    second: "Operand"


@dataclass(frozen=True, slots=True)
class Negated:
    """`!p` as a predicate operand."""

    operand: Register


@dataclass(frozen=True, slots=True)
class Sink:
    """`_`: a result that nobody wants."""


@dataclass(frozen=True, slots=True)
class Label:
    """Target of a branch."""

    name: str


Operand = Register | Immediate | Special | Symbol | Address | Vector | Pair | Negated | Sink | Label


@dataclass(frozen=True, slots=True)
class SourceLine:
    """Place in the user's source from `.loc`."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Guard:
    """`@p` or `@!p` before an instruction."""

    register: Register
    negated: bool


@dataclass(frozen=True, slots=True)
class Instruction:
    """`@p opcode.modifier.modifier operand, operand;` opcode: first word; modifiers: the rest, in order."""

    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: Guard | None
    ptx_line: int
    source: SourceLine | None

    @property
    def full_opcode(self) -> str:
        """As written: `ld.global.nc.v4.f32`."""
        return ".".join((self.opcode, *self.modifiers))


Statement = Instruction | Label


@dataclass(frozen=True, slots=True)
class Variable:
    """A declared variable.

    size_bytes is None for `.extern .shared x[]`. relocations: byte offset -> symbol whose address stands there.
    """

    name: str
    space: Space
    align: int
    size_bytes: int | None
    initial: bytes | None = None
    relocations: Mapping[int, Symbol] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an entry or device function, with its byte offset in the parameter block."""

    name: str
    size_bytes: int
    align: int
    offset: int


@dataclass(frozen=True, slots=True)
class Function:
    """An entry or a device function. registers: name -> width in bits (1 = predicate)."""

    name: str
    is_entry: bool
    parameters: tuple[Parameter, ...]
    returns: tuple[Parameter, ...]
    registers: Mapping[str, int]
    variables: tuple[Variable, ...]
    """Local, shared and call-`.param` variables declared inside."""
    body: tuple[Statement, ...]
    max_threads: int | None = None


@dataclass(frozen=True, slots=True)
class Module:
    """One PTX translation unit. variables: module scope."""

    version: str
    target: str
    functions: Mapping[str, Function]
    variables: Mapping[str, Variable]
