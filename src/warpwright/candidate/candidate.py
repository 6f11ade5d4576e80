"""A candidate: source, launch plan, tunables and compile options. Immutable; a change makes a new one."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

_EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch; sizes are integer expressions over dims, tunables and `device.*` (`expressions.py`)."""

    entry: str
    grid: tuple[str, ...]
    block: tuple[str, ...]
    shared: str = "0"
    """Dynamic shared memory, bytes."""
    cluster: tuple[str, ...] | None = None
    cooperative: bool = False
    args: tuple[str, ...] | None = None
    """Parameter and scratch names in order; None: all parameters, then all scratch."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """A device buffer that lives for one run of the plan and is poisoned before it."""

    name: str
    dtype: str
    shape: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaseOverride:
    """What one case does differently; None keeps the plan's value. Applies to the first launch."""

    grid: tuple[str, ...] | None = None
    block: tuple[str, ...] | None = None
    shared: str | None = None
    point: Mapping[str, int] = field(default_factory=lambda: _EMPTY)


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """One or more launches in order, the scratch they share, and overrides by case name."""

    launches: tuple[Launch, ...]
    scratch: tuple[Scratch, ...] = ()
    overrides: Mapping[str, CaseOverride] = field(default_factory=lambda: _EMPTY)


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is compiled, verified and timed as one.

    tunables: the values each compile-time constant may take, first = default; each reaches the source as `-DNAME=value`.
    point: the values chosen; names missing here take their default.
    headers: text of the workload's own headers by include name.
    """

    source: str
    plan: LaunchPlan
    source_name: str = "kernel.cu"
    tunables: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: _EMPTY)
    point: Mapping[str, int] = field(default_factory=lambda: _EMPTY)
    options: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=lambda: _EMPTY)

    def values(self, case: str | None = None) -> dict[str, int]:
        """Every tunable's value for a case: default, then `point`, then the case's override."""
        chosen = {name: allowed[0] for name, allowed in self.tunables.items()}
        chosen.update(self.point)
        if case is not None and case in self.plan.overrides:
            chosen.update(self.plan.overrides[case].point)
        return chosen

    @property
    def compiled_by_case(self) -> bool:
        """True if some case has values of its own, so that there may be several binaries."""
        return any(override.point for override in self.plan.overrides.values())

    def at(self, point: Mapping[str, int]) -> "Candidate":
        """The same candidate at another point of its tunables."""
        return replace(self, point=MappingProxyType({**self.point, **point}))

    @property
    def identity(self) -> str:
        """SHA-256 over everything that can change the binary or the launch."""
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Plain JSON of every field, for hashing and for worker processes."""
        return {
            "source": self.source,
            "source_name": self.source_name,
            "launches": [_launch_json(launch) for launch in self.plan.launches],
            "scratch": [{"name": s.name, "dtype": s.dtype, "shape": list(s.shape)} for s in self.plan.scratch],
            "overrides": {name: _override_json(o) for name, o in sorted(self.plan.overrides.items())},
            "tunables": {name: list(allowed) for name, allowed in sorted(self.tunables.items())},
            "point": dict(sorted(self.point.items())),
            "options": list(self.options),
            "headers": dict(sorted(self.headers.items())),
        }


def allowed_overrides(
    overrides: Mapping[str, CaseOverride], tunables: Mapping[str, tuple[int, ...]]
) -> Mapping[str, CaseOverride]:
    """Overrides whose points have only what the tunables still allow; one that is left without anything falls away."""
    kept = {}
    for case, override in overrides.items():
        point = {name: value for name, value in override.point.items() if value in tunables.get(name, ())}
        kept[case] = replace(override, point=MappingProxyType(point))
    return MappingProxyType({case: override for case, override in kept.items() if override != CaseOverride()})


def _launch_json(launch: Launch) -> dict[str, Any]:
    return {
        "entry": launch.entry,
        "grid": list(launch.grid),
        "block": list(launch.block),
        "shared": launch.shared,
        "cluster": None if launch.cluster is None else list(launch.cluster),
        "cooperative": launch.cooperative,
        "args": None if launch.args is None else list(launch.args),
    }


def _override_json(override: CaseOverride) -> dict[str, Any]:
    return {
        "grid": None if override.grid is None else list(override.grid),
        "block": None if override.block is None else list(override.block),
        "shared": override.shared,
        "point": dict(sorted(override.point.items())),
    }
