"""How Nsight Compute is asked, and what comes of it: counters by launch, or why there are none."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from warpwright.profiler.profile import Cache, LaunchCounters

TIME_LIMIT_S = 300.0
"""Wall clock of one profile. 38 passes over 15 kernels took 32 s on an H200 (measured)."""


@dataclass(frozen=True, slots=True)
class NsightOptions:
    """tier: 1 triage, 2 diagnosis (memory tables, instruction mix, source lines). cache: what L2 holds as a launch begins.

    program: ncu, used alone if named; None = looked for. report: where the report is kept, a path that ends in `.ncu-rep`;
    None: it is removed. source: the candidate's CUDA text, for hot lines. time_limit_s: wall clock of the profiled run.
    """

    tier: int = 1
    cache: Cache = Cache.COLD
    program: Path | None = None
    report: Path | None = None
    source: str | None = None
    time_limit_s: float = TIME_LIMIT_S


@dataclass(frozen=True, slots=True)
class Collected:
    """launches: in plan order, those that were profiled. missing: normalised name -> why it is unknown. report: if kept.

    notes: what weakens the counters, in sentences. seconds: wall time of the profiled run.
    """

    tool: str
    launches: tuple[LaunchCounters, ...]
    missing: Mapping[str, str]
    notes: tuple[str, ...] = ()
    report: Path | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Why there are no counters, and what to do about it; both are sentences. lasting: nothing else can be profiled either."""

    reason: str
    remedy: str = ""
    lasting: bool = False

    @property
    def text(self) -> str:
        """Both in one."""
        return f"{self.reason} {self.remedy}".strip()
