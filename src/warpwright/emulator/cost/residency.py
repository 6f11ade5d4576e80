"""How a grid lies on the SMs: who runs together, in how many rounds, and how much of the GPU stays idle."""

from dataclasses import dataclass

from warpwright.emulator.counters.profile import LaunchProfile
from warpwright.hardware import GpuSpec, Occupancy, theoretical_occupancy

_SMOOTH_ROUNDS = 4
"""From this many rounds on, blocks of different rounds mix and the last one no longer shows."""


@dataclass(frozen=True, slots=True)
class Residency:
    """blocks_per_sm: together on an SM that has work. rounds: a block's duration times this is the duration of all.

    imbalance: work of the busiest SM over the mean of all SMs, at least 1; idle SMs count.
    """

    occupancy: Occupancy
    blocks_per_sm: int
    rounds: float
    imbalance: float

    @property
    def warps_per_sm(self) -> int:
        """Warps together on an SM that has work."""
        occupancy = self.occupancy
        return self.blocks_per_sm * (occupancy.warps // occupancy.blocks_per_sm if occupancy.blocks_per_sm else 1)


def residency(profile: LaunchProfile, gpu: GpuSpec) -> Residency:
    """Of a launch on a GPU. A block that does not fit on an SM is treated as if exactly one did."""
    occupancy = theoretical_occupancy(gpu, profile.block_threads, profile.registers, profile.shared_bytes)
    blocks = profile.grid_blocks
    busiest = -(-blocks // gpu.sm_count)
    together = min(max(1, occupancy.blocks_per_sm), busiest)
    rounds = busiest / together
    if rounds < _SMOOTH_ROUNDS:
        rounds = float(-(-busiest // together))
    return Residency(occupancy, together, rounds, busiest * gpu.sm_count / blocks)
