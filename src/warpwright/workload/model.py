"""A workload: what a kernel must compute, for which cases, how exactly, and the kernel to begin with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from warpwright.candidate.candidate import Candidate

_NONE: Mapping[str, Any] = MappingProxyType({})


class Role(StrEnum):
    """What a kernel may do with an array."""

    IN = "in"
    OUT = "out"
    INOUT = "inout"


class CaseKind(StrEnum):
    """`check`: correctness only. `perf`: also timed and ranked."""

    CHECK = "check"
    PERF = "perf"


class OracleKind(StrEnum):
    """Where the expected outputs come from."""

    NUMPY = "numpy"
    """`reference` in reference.py, in float64."""
    KERNEL = "kernel"
    """The initial kernel itself: a candidate must agree with it, which proves no more than that."""


class DeviceKind(StrEnum):
    """Where a case applies."""

    GPU = "gpu"
    EMULATOR = "emulator"


@dataclass(frozen=True, slots=True)
class ArrayParameter:
    """An array parameter; `shape` holds integer expressions over dims."""

    name: str
    role: Role
    dtype: str
    shape: tuple[str, ...]
    align_bytes: int
    values: str | None
    """Distribution of an input (`normal(0, 1)`); None: outputs, and inputs from `make_inputs`."""
    zeroed: bool = False
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class ScalarParameter:
    """A scalar parameter with the exact width of its dtype; `value` is an expression over dims or a number."""

    name: str
    dtype: str
    value: str | int | float


Parameter = ArrayParameter | ScalarParameter


@dataclass(frozen=True, slots=True)
class DimRange:
    """Legal values of a dim, both ends included."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Case:
    """One binding of dims, values and seed."""

    name: str
    kind: CaseKind
    dims: Mapping[str, int]
    on: frozenset[DeviceKind]
    seed: int
    scalars: Mapping[str, int | float]
    """Scalar parameters set by this case instead of by the workload."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Limits of the comparison, for all elements: |got - want| <= atol + rtol * |want|.

    None means: derived from the dtype, the longest reduction and the scale of the expected values
    (`verification.md` V12, V13; formula in `comparator.py`).
    """

    rtol: float | None = None
    atol: float | None = None
    reduction: str | None = None
    """Length of the longest sum behind one output element, as an expression over dims; None: from the shapes."""
    by_output: Mapping[str, "Tolerance"] = field(default_factory=lambda: _NONE)
    """What single outputs have of their own; integers are compared exactly unless they are named here."""

    def of(self, output: str) -> "Tolerance":
        """The tolerance of one output."""
        return self.by_output.get(output, self)


@dataclass(frozen=True, slots=True)
class WorkModel:
    """Bytes that must move and operations that must run, as expressions over dims; None: derived or unknown."""

    bytes: str | None = None
    flops: str | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """What a candidate may do beyond computing the same function."""

    lower_precision: bool = False
    specialise: bool = False


class PropertyKind(StrEnum):
    """What must hold between results of one reference (`lint/properties.py` says how each is tried)."""

    LINEAR = "linear"
    HOMOGENEOUS = "homogeneous"
    SHIFT_INVARIANT = "shift_invariant"
    SHIFT_EQUIVARIANT = "shift_equivariant"
    PERMUTATION_INVARIANT = "permutation_invariant"
    PERMUTATION_EQUIVARIANT = "permutation_equivariant"
    SYMMETRIC = "symmetric"
    IDEMPOTENT = "idempotent"
    SUMS_TO = "sums_to"
    BOUNDED = "bounded"
    NONDECREASING = "nondecreasing"


@dataclass(frozen=True, slots=True)
class Property:
    """One of `[[properties]]`: a law of the function itself, which no implementation of it may break.

    inputs: those that are changed together. axis: of the inputs, or of the output where no input is changed.
    output_axis: along which the output is permuted. numbers: degree, value, low, high, as far as the kind has them.
    """

    kind: PropertyKind
    output: str
    inputs: tuple[str, ...] = ()
    axis: int = -1
    output_axis: int = -1
    numbers: Mapping[str, float] = field(default_factory=lambda: _NONE)


@dataclass(frozen=True, slots=True)
class Workload:
    """A validated workload directory."""

    name: str
    summary: str
    directory: Path
    dims: Mapping[str, DimRange]
    parameters: tuple[Parameter, ...]
    tolerance: Tolerance
    initial: Candidate
    reference_kernel: Candidate | None
    work: WorkModel
    cases: tuple[Case, ...]
    policy: Policy
    cold_cache: bool
    content_hash: str
    """SHA-256 over every file that defines the workload."""
    files: tuple[str, ...] = ()
    """Those files, relative to `directory`."""
    oracle: OracleKind = OracleKind.NUMPY
    properties: tuple[Property, ...] = ()
    """Laws that the oracle is held to."""

    @property
    def arrays(self) -> tuple[ArrayParameter, ...]:
        """The array parameters, in order."""
        return tuple(p for p in self.parameters if isinstance(p, ArrayParameter))

    @property
    def inputs(self) -> tuple[ArrayParameter, ...]:
        """Arrays that the kernel reads: roles `in` and `inout`."""
        return tuple(a for a in self.arrays if a.role is not Role.OUT)

    @property
    def outputs(self) -> tuple[ArrayParameter, ...]:
        """Arrays that the kernel writes: roles `out` and `inout`."""
        return tuple(a for a in self.arrays if a.role is not Role.IN)

    @property
    def scalars(self) -> tuple[ScalarParameter, ...]:
        """The scalar parameters, in order."""
        return tuple(p for p in self.parameters if isinstance(p, ScalarParameter))

    def cases_on(self, device: DeviceKind, kind: CaseKind | None = None) -> tuple[Case, ...]:
        """Cases that apply to a device, in file order; every one of them must pass in full there."""
        return tuple(c for c in self.cases if device in c.on and (kind is None or c.kind is kind))

    def case(self, name: str) -> Case:
        """The case of that name."""
        return next(c for c in self.cases if c.name == name)
