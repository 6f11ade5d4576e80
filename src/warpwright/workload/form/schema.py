"""The tables of workload.toml."""

import re
from math import isfinite
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StrictBool, StrictFloat, StrictInt, StrictStr

from warpwright.candidate.schema import ExpressionText, Identifier, KernelTable, Table, check_inside
from warpwright.workload.model import DimRange, PropertyKind

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", re.ASCII)
_RANGE = re.compile(r"\s*(\d{1,15})\s*\.\.\s*(\d{1,15})\s*", re.ASCII)


def _name(value: object) -> object:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ValueError(f"found {value!r}; allowed: letters, digits, '_', '-' and '.', at most 64 characters")
    return value


def _range(value: object) -> object:
    match = _RANGE.fullmatch(value) if isinstance(value, str) else None
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise ValueError(f"found {value!r}; allowed: a range from 1 or more, such as '1..65536'")
    return DimRange(int(match[1]), int(match[2]))


def _bound(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value < 0:
        raise ValueError(f"found {value!r}; allowed: a finite number, 0 or above")
    return float(value)


def _inside(value: str) -> str:
    check_inside(value)
    return value


Name = Annotated[StrictStr, BeforeValidator(_name)]
Range = Annotated[DimRange, BeforeValidator(_range)]
Bound = Annotated[float, BeforeValidator(_bound)]
FileName = Annotated[StrictStr, AfterValidator(_inside)]
Number = StrictInt | StrictFloat


class ParameterTable(Table):
    """One of `[[params]]`: an array has role and shape, a scalar has value."""

    name: Identifier
    dtype: StrictStr
    role: Literal["in", "out", "inout"] | None = None
    shape: Annotated[list[ExpressionText], Field(min_length=1, max_length=8)] | None = None
    align: StrictInt | None = None
    values: StrictStr | None = None
    zeroed: StrictBool = False
    alias: StrictStr | None = None
    value: StrictInt | StrictFloat | StrictStr | None = None


class OutputToleranceTable(Table):
    """`[tolerance.outputs.NAME]`."""

    rtol: Bound | None = None
    atol: Bound | None = None
    reduction: ExpressionText | None = None


class ToleranceTable(OutputToleranceTable):
    """`[tolerance]`."""

    outputs: dict[str, OutputToleranceTable] = Field(default_factory=dict)


class WorkTable(Table):
    """`[work]`."""

    bytes: ExpressionText | None = None
    flops: ExpressionText | None = None


class CaseEntry(Table):
    """One of `[[cases]]`."""

    name: Name
    kind: Literal["check", "perf"]
    dims: dict[str, StrictInt]
    on: Literal["gpu", "emulator", "both"] = "both"
    seed: StrictInt | None = None
    scalars: dict[str, Number] = Field(default_factory=dict)


class OracleTable(Table):
    """`[oracle]`."""

    kind: Literal["numpy", "kernel"] = "numpy"


class PolicyTable(Table):
    """`[policy]`."""

    lower_precision: StrictBool = False
    specialise: StrictBool = False


class TimingTable(Table):
    """`[timing]`."""

    cache: Literal["cold", "warm"] = "cold"


class PropertyTable(Table):
    """One of `[[properties]]`; `property_checks.py` says which keys each kind has."""

    kind: PropertyKind
    inputs: list[StrictStr] = Field(default_factory=list)
    output: StrictStr | None = None
    axis: StrictInt | None = None
    output_axis: StrictInt | None = None
    degree: Number | None = None
    value: Number | None = None
    low: Number | None = None
    high: Number | None = None


class WorkloadFile(Table):
    """workload.toml."""

    name: Name
    summary: StrictStr = ""
    dims: Annotated[dict[Identifier, Range], Field(min_length=1)]
    params: Annotated[list[ParameterTable], Field(min_length=1)]
    kernel: KernelTable
    cases: Annotated[list[CaseEntry], Field(min_length=1)]
    reference: KernelTable | None = None
    tolerance: ToleranceTable = ToleranceTable()
    work: WorkTable = WorkTable()
    oracle: OracleTable = OracleTable()
    policy: PolicyTable = PolicyTable()
    timing: TimingTable = TimingTable()
    properties: list[PropertyTable] = Field(default_factory=list)
    files: list[FileName] = Field(default_factory=list)
    """Further files that reference.py reads; frozen and hashed with the rest."""
