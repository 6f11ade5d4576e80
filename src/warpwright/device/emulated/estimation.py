"""The estimate of a plan, launch by launch."""

from collections.abc import Mapping
from typing import Any

from warpwright.emulator.cost.estimate import UNCERTAINTY_RATIO, Estimate, estimate
from warpwright.emulator.counters.normalise import emulated_counters
from warpwright.emulator.counters.profile import LaunchProfile
from warpwright.hardware import GpuSpec

FULL_RUN_INSTRUCTIONS = 100_000_000
"""Warp instructions of a launch that is run in full to prepare the memory of the next: a few seconds in the JIT."""


class PlanEstimate:
    """Adds up launches that run one after another on one GPU.

    cold_cache: for the first; the ones behind it find in L2 what it left there.
    """

    def __init__(self, gpu: GpuSpec, *, cold_cache: bool) -> None:
        self._gpu = gpu
        self._cold_cache = cold_cache
        self._launches: list[tuple[str, LaunchProfile, Estimate]] = []
        self._notes: list[str] = []

    def add(self, entry: str, profile: LaunchProfile) -> None:
        """The next launch."""
        cold = self._cold_cache and not self._launches
        self._launches.append((entry, profile, estimate(profile, self._gpu, cold_cache=cold)))
        self._notes += [note for note in (*profile.notes, *_sampled(entry, profile)) if note not in self._notes]

    def may_run_in_full(self, profile: LaunchProfile) -> bool:
        """Whether a launch is small enough to be run before the next is profiled; if not, that is noted."""
        if profile.instructions <= FULL_RUN_INSTRUCTIONS:
            return True
        self._notes.append(
            f"{self._launches[-1][0]} was sampled only, so the launches behind it were profiled on memory that it had "
            "not written."
        )
        return False

    def message(self) -> dict[str, Any]:
        """Time, terms, what binds, counters of the longest launch and which one that is."""
        terms: dict[str, float] = {}
        for _, _, part in self._launches:
            for name, value in part.terms_us.items():
                terms[name] = terms.get(name, 0.0) + value
        position = max(range(len(self._launches)), key=lambda place: self._launches[place][2].time_us)
        entry, profile, longest = self._launches[position]
        if len(self._launches) > 1:
            self._notes.append(f"counters are those of {entry}, the longest of {len(self._launches)} launches.")
        counters: Mapping[str, float] = emulated_counters(profile, longest, self._gpu)
        return {
            "time_us": sum(part.time_us for _, _, part in self._launches),
            "terms_us": terms,
            "binding": max(terms, key=lambda name: terms[name]),
            "counters": dict(counters),
            "counted": {
                "entry": entry,
                "position": position,
                "launches": len(self._launches),
                "blocks_run": profile.blocks_run,
                "grid_blocks": profile.grid_blocks,
            },
            "uncertainty_ratio": UNCERTAINTY_RATIO,
            "notes": self._notes,
        }


def _sampled(entry: str, profile: LaunchProfile) -> tuple[str, ...]:
    """What counts of a launch leave out if only part of its grid ran."""
    if profile.blocks_run >= profile.grid_blocks:
        return ()
    ran = f"{profile.blocks_run} of {profile.grid_blocks} blocks"
    return (f"counts of {entry} are scaled from {ran}: a block that differs may be missed.",)
