"""What a launch plan becomes for one case: plain integers, checked against the device."""

from dataclasses import dataclass

from warpwright.hardware.gpu_spec import Dim3


@dataclass(frozen=True, slots=True)
class ResolvedLaunch:
    """One launch of one case, ready for a device."""

    entry: str
    grid: Dim3
    block: Dim3
    shared_bytes: int
    args: tuple[str, ...]
    cluster: Dim3 | None = None
    cooperative: bool = False

    @property
    def block_threads(self) -> int:
        """Threads per block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def grid_blocks(self) -> int:
        """Blocks in the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]


@dataclass(frozen=True, slots=True)
class ResolvedScratch:
    """A scratch buffer with its shape in elements."""

    name: str
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ResolvedPlan:
    """A whole plan for one case."""

    launches: tuple[ResolvedLaunch, ...]
    scratch: tuple[ResolvedScratch, ...]


@dataclass(frozen=True, slots=True)
class PlanFault:
    """Why a plan cannot be launched; `reason` is a suffix of `invalid_plan` or `launch_error` (`outcome` says which)."""

    outcome: str
    reason: str
    message: str
