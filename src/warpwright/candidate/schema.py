"""The `[kernel]` table of workload.toml and candidate.toml, and the candidate it describes."""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictInt, StrictStr, model_validator

from warpwright.candidate.candidate import Candidate, CaseOverride, Launch, LaunchPlan, Scratch
from warpwright.candidate.expressions import ExpressionError, parse
from warpwright.candidate.validation import did_you_mean, read_text
from warpwright.errors import InputError

IDENTIFIER = re.compile(r"[A-Za-z_]\w{0,63}", re.ASCII)


def _expression(value: object) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise ValueError(
            f"found {value!r}; allowed: an integer expression, such as 'ceil_div(n, BLOCK)', or an integer"
        )
    try:
        parse(value)
    except ExpressionError as error:
        raise ValueError(str(error)) from None
    return value


def check_inside(name: str) -> None:
    """Raises: ValueError if the name of a file may lead out of the directory that names it."""
    path = PurePosixPath(name)
    if not name or path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
        raise ValueError(f"file {name!r}; allowed: a relative path with / inside the directory, without ..")


def _identifier(value: object) -> object:
    if not isinstance(value, str) or not IDENTIFIER.fullmatch(value):
        raise ValueError(f"found {value!r}; allowed: a C identifier (letters, digits, _; at most 64 characters)")
    return value


def _expressions(value: object) -> object:
    return value if isinstance(value, list) else [value]


ExpressionText = Annotated[StrictStr, BeforeValidator(_expression)]
Identifier = Annotated[StrictStr, BeforeValidator(_identifier)]
Dimensions = Annotated[list[ExpressionText], BeforeValidator(_expressions), Field(min_length=1, max_length=3)]


class Table(BaseModel):
    """A table of a user's file: unknown keys are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class LaunchTable(Table):
    """One of several launches."""

    entry: StrictStr
    grid: Dimensions
    block: Dimensions
    shared: ExpressionText = "0"
    cluster: Dimensions | None = None
    cooperative: StrictBool = False
    args: list[StrictStr] | None = None

    def launch(self) -> Launch:
        """The launch it describes."""
        return Launch(
            self.entry, tuple(self.grid), tuple(self.block), self.shared, _tuple(self.cluster), self.cooperative,
            _tuple(self.args),
        )  # fmt: skip


class ScratchTable(Table):
    """A device buffer for one run of the plan."""

    name: Identifier
    dtype: StrictStr
    shape: Annotated[list[ExpressionText], Field(min_length=1, max_length=8)]


class CaseTable(Table):
    """What one case does differently."""

    grid: Dimensions | None = None
    block: Dimensions | None = None
    shared: ExpressionText | None = None
    point: dict[Identifier, StrictInt] = {}


class KernelTable(Table):
    """`[kernel]`: source, launch plan, tunables and compile options."""

    source: StrictStr = "kernel.cu"
    entry: StrictStr | None = None
    grid: Dimensions | None = None
    block: Dimensions | None = None
    shared: ExpressionText | None = None
    cluster: Dimensions | None = None
    cooperative: StrictBool | None = None
    args: list[StrictStr] | None = None
    tunables: dict[Identifier, Annotated[list[StrictInt], Field(min_length=1)]] = {}
    point: dict[Identifier, StrictInt] = {}
    options: list[StrictStr] = []
    headers: list[StrictStr] = []
    launches: list[LaunchTable] = []
    scratch: list[ScratchTable] = []
    case: dict[str, CaseTable] = {}

    @model_validator(mode="after")
    def _one_plan(self) -> Self:
        single = ("entry", "grid", "block", "shared", "cluster", "cooperative", "args")
        given = [name for name in single if getattr(self, name) is not None]
        if self.launches and given:
            raise ValueError(f"{', '.join(given)} beside [[kernel.launches]]; allowed: one or the other")
        missing = [name for name in ("entry", "grid", "block") if getattr(self, name) is None]
        if not self.launches and missing:
            raise ValueError(f"{', '.join(missing)} missing; give entry, grid and block, or [[kernel.launches]]")
        return self

    @model_validator(mode="after")
    def _points_are_allowed(self) -> Self:
        for name, allowed in self.tunables.items():
            if len(set(allowed)) != len(allowed):
                raise ValueError(f"tunables.{name} lists a value twice: {allowed}")
            if any(not -(2**63) <= value < 2**63 for value in allowed):
                raise ValueError(f"tunables.{name} has a value that does not fit in 64 bits")
            if name.startswith("__"):
                raise ValueError(f"tunables.{name}: names that begin with __ belong to the compiler")
        self._check_point("point", self.point)
        for case, table in self.case.items():
            self._check_point(f"case.{case}.point", table.point)
        return self

    def _check_point(self, key: str, point: Mapping[str, int]) -> None:
        for name, value in point.items():
            if name not in self.tunables:
                known = list(self.tunables)
                allowed = ", ".join(known) or "none"
                raise ValueError(f"{key}.{name} is not a tunable; tunables: {allowed}.{did_you_mean(name, known)}")
            if value not in self.tunables[name]:
                raise ValueError(f"{key}.{name}: found {value}; allowed: {', '.join(map(str, self.tunables[name]))}")

    @model_validator(mode="after")
    def _files_stay_inside(self) -> Self:
        if len(PurePosixPath(self.source).parts) != 1:
            raise ValueError(f"source: found {self.source!r}; allowed: the name of a file in the same directory")
        for name in [self.source, *self.headers]:
            check_inside(name)
        names = [table.name for table in self.scratch]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"scratch {twice[0]!r} is described twice")
        return self

    def candidate(self, directory: Path, error: type[InputError]) -> Candidate:
        """The candidate, with source and headers read from `directory`. Raises: `error` for an unreadable file."""
        return Candidate(
            source=read_text(directory / self.source, error),
            plan=self.plan(),
            source_name=self.source,
            tunables=MappingProxyType({name: tuple(allowed) for name, allowed in self.tunables.items()}),
            point=MappingProxyType(dict(self.point)),
            options=tuple(self.options),
            headers=MappingProxyType({name: read_text(directory / name, error) for name in self.headers}),
        )

    def plan(self) -> LaunchPlan:
        """The launch plan it describes."""
        launches = tuple(table.launch() for table in self.launches)
        if not launches:
            assert self.entry is not None
            assert self.grid is not None
            assert self.block is not None
            launches = (
                Launch(
                    self.entry, tuple(self.grid), tuple(self.block), self.shared or "0", _tuple(self.cluster),
                    bool(self.cooperative), _tuple(self.args),
                ),
            )  # fmt: skip
        overrides = {
            name: CaseOverride(_tuple(t.grid), _tuple(t.block), t.shared, MappingProxyType(dict(t.point)))
            for name, t in self.case.items()
        }
        scratch = tuple(Scratch(table.name, table.dtype, tuple(table.shape)) for table in self.scratch)
        return LaunchPlan(launches, scratch, MappingProxyType(overrides))


class CandidateFile(Table):
    """candidate.toml."""

    kernel: KernelTable


def _tuple(values: list[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)
