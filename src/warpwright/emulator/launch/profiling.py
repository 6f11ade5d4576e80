"""Counting a launch by running part of it: which blocks, for how long, and what that says about the whole grid."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from warpwright.emulator.counters.footprint import Residency, ServedRatios, footprint
from warpwright.emulator.counters.profile import UNKNOWN_FOOTPRINT, Footprint, LaunchProfile
from warpwright.emulator.counters.raw import MemoryCount, RawCounts
from warpwright.emulator.counters.summary import KernelCosts, scale
from warpwright.emulator.execution import RunReport
from warpwright.emulator.launch.api import Launch
from warpwright.emulator.launch.sampling import FULL_GRID_BLOCKS, Stratum, run_order, strata, whole
from warpwright.emulator.memory.arena import Allocation
from warpwright.emulator.memory.fault import Fault
from warpwright.hardware import GpuSpec, theoretical_occupancy

LEAST_BLOCKS, FIRST_BLOCKS, MOST_BLOCKS = 4, 24, 64
"""Blocks of the largest stratum: at least, usually, and when their counts disagree."""

DISAGREEMENT_RATIO = 0.05
"""Standard deviation over mean of instructions per block above which more blocks are run."""

SAMPLE_INSTRUCTIONS = 10_000_000
"""Warp instructions after which no further block is begun (once LEAST_BLOCKS ran): about 0.2 s in the JIT."""

TRACE_REQUESTS = 131_072
"""Requests recorded of one block at most (36 MB)."""

TRACED_REQUESTS = 98_304
"""Requests after which no further block is traced (once two are)."""

MOST_TRACED_BLOCKS = 16

RunBlock = Callable[[int, int], RunReport]
"""(linear block id, requests to trace) -> what happened."""


@dataclass(slots=True)
class Sample:
    """What ran so far."""

    ran: set[int] = field(default_factory=set)
    counts: list[RawCounts] = field(default_factory=list)
    stratum: list[int] = field(default_factory=list)
    instructions: list[int] = field(default_factory=list)
    traces: list[np.ndarray[Any, np.dtype[Any]]] = field(default_factory=list)
    traced_requests: float = 0.0
    """Global requests of the traced blocks, recorded or not."""
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class Profiler:
    """Profiles one launch. gpu: whose caches and residency the footprint is worked out for; None: no footprint."""

    costs: KernelCosts
    launch: Launch
    registers: int | None
    gpu: GpuSpec | None

    def sampled(self, run_block: RunBlock, allocations: tuple[Allocation, ...]) -> tuple[Sample, LaunchProfile | None]:
        """Run a sample of blocks; the profile is None after a fault."""
        parts = self._strata()
        sample = Sample()
        resident = self._resident_blocks()
        together = self._together(parts[0], resident)
        for block in together:
            stratum = next(i for i, part in enumerate(parts) if part.holds(self.launch.grid, block))
            if not self._wants_trace(sample) or not self._run(sample, run_block, (stratum, block), TRACE_REQUESTS):
                break
        for stratum, block in run_order(parts):
            if sample.fault or self._enough(sample, stratum, parts):
                continue
            if block not in sample.ran:
                self._run(sample, run_block, (stratum, block), 0)
        if sample.fault:
            return sample, None
        weights = self._weights(sample, parts)
        profile = self.profile(sample.counts, weights, sample.instructions)
        if self.gpu is None or not sample.traces:
            return sample, profile
        prints, served = self._footprint(sample, resident, allocations)
        scaled = scale(sample.counts, weights)
        warps = profile.grid_blocks * profile.block_warps
        l2_waits = self.costs.waits(scaled, served.beyond_l1) / warps
        dram_waits = self.costs.waits(scaled, served.beyond_l2) / warps
        return sample, replace(profile, footprint=prints, l2_waits=l2_waits, dram_waits=dram_waits)

    def profile(self, counts: list[RawCounts], weights: list[float], instructions: list[int]) -> LaunchProfile:
        """Counts of runs, each standing for `weight` blocks like it. One run for the grid may also hold all of it."""
        costs, launch = self.costs, self.launch
        scaled = scale(counts, weights)
        flops = costs.flops(scaled)
        grid_blocks = self._grid_blocks()
        warps = grid_blocks * -(-launch.block[0] * launch.block[1] * launch.block[2] // 32)
        global_waits, loads = costs.total(scaled, "global_waits"), costs.total(scaled, "global_loads")
        mean = sum(instructions) / len(instructions)
        return LaunchProfile(
            grid=launch.grid,
            block=launch.block,
            shared_static_bytes=costs.graph.shared_static_bytes,
            shared_dynamic_bytes=launch.shared_bytes,
            registers=self.registers,
            blocks_run=len(counts) if len(counts) > 1 else round(grid_blocks / weights[0]),
            instructions=float(scaled.block_warps @ costs.instructions),
            lanes=float(scaled.block_lanes @ costs.instructions),
            by_pipe=costs.by_pipe(scaled),
            flops_fp16=flops[16],
            flops_fp32=flops[32],
            flops_fp64=flops[64],
            barriers=scaled.barriers,
            shuffles=costs.shuffles(scaled),
            traffic=costs.traffic(scaled),
            footprint=UNKNOWN_FOOTPRINT,
            loads_in_flight=loads / global_waits if global_waits else 1.0,
            spread=max(instructions) / mean if mean else 1.0,
            slots=costs.slots(scaled),
            chain_cycles=costs.total(scaled, "cycles") / warps,
            global_waits=global_waits / warps,
            shared_waits=costs.total(scaled, "shared_waits") / warps,
            merged_wavefronts=costs.merged_wavefronts(scaled),
            shared_atomic_cycles=costs.shared_atomic_cycles(scaled),
            local_bytes=costs.graph.local_bytes,
        )

    def _strata(self) -> tuple[Stratum, ...]:
        grid, blocks = self.launch.grid, self._grid_blocks()
        if blocks <= FULL_GRID_BLOCKS:
            return (whole(grid),)
        return strata(grid, MOST_BLOCKS)

    def _resident_blocks(self) -> tuple[int, int]:
        """(per SM, on the whole GPU) for this grid."""
        if self.gpu is None:
            return 1, 1
        launch = self.launch
        threads = launch.block[0] * launch.block[1] * launch.block[2]
        shared = self.costs.graph.shared_static_bytes + launch.shared_bytes
        grid_blocks = self._grid_blocks()
        most = max(1, theoretical_occupancy(self.gpu, threads, self.registers, shared).blocks_per_sm)
        per_sm = min(most, -(-grid_blocks // self.gpu.sm_count))
        return per_sm, min(grid_blocks, per_sm * self.gpu.sm_count)

    def _together(self, largest: Stratum, resident: tuple[int, int]) -> list[int]:
        """Blocks that share one SM: the hardware deals the blocks of a wave out to the SMs in turn."""
        if self.gpu is None:
            return []
        blocks = self._grid_blocks()
        step = self._step()
        count = min(max(2, resident[0]), MOST_TRACED_BLOCKS, -(-blocks // step))
        last_start = max(0, blocks - 1 - (count - 1) * step)
        groups = [[first + index * step for index in range(count)] for first in (*largest.sample, last_start)]
        fitting = [group for group in groups if group[-1] < blocks]
        grid = self.launch.grid
        # Ragged border blocks would be taken for the rule; a group of inner blocks only is better, where there is one.
        return max(fitting, key=lambda group: sum(largest.holds(grid, block) for block in group))

    def _step(self) -> int:
        """Distance of blocks on one SM."""
        sms = 1 if self.gpu is None else self.gpu.sm_count
        return sms if self._grid_blocks() > sms else 1

    def _grid_blocks(self) -> int:
        x, y, z = self.launch.grid
        return x * y * z

    def _wants_trace(self, sample: Sample) -> bool:
        return len(sample.traces) < 2 or sample.traced_requests < TRACED_REQUESTS

    def _enough(self, sample: Sample, stratum: int, parts: tuple[Stratum, ...]) -> bool:
        own = [n for n, s in zip(sample.instructions, sample.stratum, strict=True) if s == 0]
        whole_grid = len(parts) == 1 and len(parts[0].sample) == parts[0].blocks
        limit = SAMPLE_INSTRUCTIONS * (2 if whole_grid else 1)
        if sum(sample.instructions) > limit and len(own) >= LEAST_BLOCKS:
            return True
        if whole_grid or stratum or len(own) < FIRST_BLOCKS:
            return False
        return float(np.std(own)) <= DISAGREEMENT_RATIO * float(np.mean(own))

    def _run(self, sample: Sample, run_block: RunBlock, place: tuple[int, int], trace_requests: int) -> bool:
        stratum, block = place
        report = run_block(block, trace_requests)
        if report.fault:
            sample.fault = report.fault
            return False
        sample.ran.add(block)
        sample.counts.append(report.counts)
        sample.stratum.append(stratum)
        sample.instructions.append(self.costs.warp_instructions(report.counts))
        if trace_requests:
            sample.traces.append(report.trace)
            sample.traced_requests += self._global_requests(report.counts)
        return True

    def _global_requests(self, counts: RawCounts) -> float:
        requests = counts.memory[:, MemoryCount.REQUESTS]
        return float(requests[self.costs.in_global].sum())

    def _weights(self, sample: Sample, parts: tuple[Stratum, ...]) -> list[float]:
        """Blocks that each run stands for; strata that were not reached count with those that were."""
        ran = {index: sample.stratum.count(index) for index in set(sample.stratum)}
        reached = sum(parts[index].blocks for index in ran)
        total = sum(part.blocks for part in parts)
        return [parts[index].blocks / ran[index] * total / reached for index in sample.stratum]

    def _footprint(
        self, sample: Sample, resident: tuple[int, int], allocations: tuple[Allocation, ...]
    ) -> tuple[Footprint, ServedRatios]:
        assert self.gpu is not None
        launch, gpu, graph = self.launch, self.gpu, self.costs.graph
        recorded = sum(len(trace) for trace in sample.traces)
        warps = -(-launch.block[0] * launch.block[1] * launch.block[2] // 32)
        seen = sum(len(np.unique(trace["warp"])) for trace in sample.traces)
        shared = (graph.shared_static_bytes + launch.shared_bytes + gpu.limits.shared_reserved_bytes) * resident[0]
        residency = Residency(
            grid_blocks=self._grid_blocks(),
            row_blocks=_row_blocks(launch),
            resident_blocks=resident[1],
            blocks_per_sm=resident[0],
            traced_blocks=len(sample.traces),
            span_blocks=(len(sample.traces) - 1) * self._step() + 1,
            request_ratio=min(1.0, recorded / sample.traced_requests) if sample.traced_requests else 1.0,
            warp_ratio=seen / (warps * len(sample.traces)) if recorded else 1.0,
            l1_bytes=float(gpu.memory.l1_bytes - min(shared, gpu.limits.shared_per_sm_bytes)),
            l2_bytes=float(gpu.memory.l2_bytes),
            granule_bytes=gpu.memory.dram_granule_bytes,
        )
        return footprint(graph, sample.traces, allocations, residency)


def _row_blocks(launch: Launch) -> int:
    x, y, z = launch.grid
    return x * y if z > 1 else x if y > 1 else 1
