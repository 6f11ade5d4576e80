"""The profiler on a kernel whose executor is played by NumPy, so that every count is known."""

import numpy as np
import pytest

from warpwright.emulator.counters.profile import LaunchProfile
from warpwright.emulator.counters.raw import MemoryCount, RawCounts
from warpwright.emulator.counters.summary import KernelCosts
from warpwright.emulator.execution import TRACE_DTYPE, RunReport
from warpwright.emulator.flow.graph import BasicBlock, KernelGraph, Node
from warpwright.emulator.launch.api import Launch
from warpwright.emulator.launch.profiling import Profiler, Sample
from warpwright.emulator.memory.arena import Arena
from warpwright.emulator.memory.fault import Fault, FaultKind
from warpwright.emulator.ops.registry import TABLE
from warpwright.emulator.ptx import parse
from warpwright.emulator.ptx.ir import Instruction
from warpwright.hardware import load_gpu

H200 = load_gpu("h200")
COPY = """.version 8.0
.target sm_90
.address_size 64
.visible .entry copy() {
.reg .b64 %d<9>; .reg .f32 %f<9>;
ld.global.f32 %f1, [%d1];
fma.rn.f32 %f2, %f1, %f1, %f1;
st.global.f32 [%d2], %f2;
ret;
}"""


def copy_graph() -> KernelGraph:
    nodes: list[Node] = []
    for statement in parse(COPY).functions["copy"].body:
        assert isinstance(statement, Instruction)
        bound = TABLE.bind(statement)
        assert bound is not None
        nodes.append(Node(statement, bound, {"ld": 0, "st": 1}.get(statement.opcode)))
    block = BasicBlock(tuple(nodes), (), frozenset(), frozenset())
    return KernelGraph("copy", (), 0, {}, (block,), (nodes[0], nodes[2]), {}, 0, {}, 0, {})


class Copier:
    """Plays the executor: every thread copies one float; the last block has only `last_lanes` active lanes a warp."""

    def __init__(self, blocks: int, threads: int = 256, stride: int = 1, last_lanes: int = 32) -> None:
        self.blocks, self.warps, self.stride, self.last_lanes = blocks, threads // 32, stride, last_lanes
        self.launch = Launch((blocks, 1, 1), (threads, 1, 1), 0, ())
        size = 4 * blocks * threads * stride
        self.arena = Arena(Arena.capacity_for([size, size]))
        self.places = [self.arena.allocate(name, size).address for name in ("source", "target")]
        self.ran: list[int] = []

    def run(self, block: int, trace_requests: int) -> RunReport:
        self.ran.append(block)
        lanes = self.last_lanes if block == self.blocks - 1 else 32
        counts = RawCounts.zeros(1, 2)
        counts.block_warps[0], counts.block_lanes[0] = self.warps, self.warps * lanes
        sectors = min(32, max(1, lanes * 4 * self.stride // 32))
        counts.memory[:, MemoryCount.REQUESTS] = self.warps
        counts.memory[:, MemoryCount.LANES] = self.warps * lanes
        counts.memory[:, MemoryCount.SECTORS] = self.warps * sectors
        counts.memory[:, MemoryCount.WAVEFRONTS] = self.warps * max(1, sectors // 4)
        trace = np.zeros(2 * self.warps if trace_requests else 0, TRACE_DTYPE)
        for row in range(len(trace)):
            warp, access = divmod(row, 2)
            first = (block * self.warps + warp) * 32
            trace[row] = (block, warp, access, (1 << lanes) - 1, 4, 0)
            trace[row]["address"] = self.places[access] + 4 * self.stride * (first + np.arange(32, dtype=np.uint64))
        return RunReport(counts, None, trace)

    def profile(self) -> LaunchProfile:
        profiler = Profiler(KernelCosts(copy_graph()), self.launch, 16, H200)
        sample, profile = profiler.sampled(self.run, self.arena.allocations)
        assert sample.fault is None
        assert profile is not None
        return profile


@pytest.mark.parametrize("blocks", [1, 7, 64, 65, 1000, 100_000])
def test_counts_are_scaled_to_the_whole_grid(blocks: int) -> None:
    profile = Copier(blocks).profile()
    warps = blocks * 8
    assert profile.instructions == pytest.approx(4 * warps)
    assert profile.flops_fp32 == pytest.approx(2 * 32 * warps)
    assert [t.sectors for t in profile.traffic] == pytest.approx([4 * warps, 4 * warps])
    assert [(t.space, t.access, t.bytes_per_lane) for t in profile.traffic] == [
        ("global", "load", 4),
        ("global", "store", 4),
    ]
    assert profile.blocks_run == (blocks if blocks <= 64 else profile.blocks_run)
    assert profile.blocks_run <= 64


def test_a_ragged_end_counts_for_one_block_only() -> None:
    profile = Copier(10_000, last_lanes=1).profile()
    assert profile.traffic[0].lanes == pytest.approx(10_000 * 256 - 8 * 31)


def test_no_block_runs_twice() -> None:
    copier = Copier(5000)
    copier.profile()
    assert len(set(copier.ran)) == len(copier.ran)


@pytest.mark.parametrize("blocks", [64, 1000, 50_000])
def test_a_stream_reads_and_writes_each_byte_once(blocks: int) -> None:
    footprint = Copier(blocks).profile().footprint
    moved = 4 * 256 * blocks
    assert footprint.l1_miss_ratio == 1.0
    assert footprint.l2_sectors == pytest.approx(2 * moved / 32)
    assert footprint.unique_sectors == pytest.approx(2 * moved / 32, rel=0.01)
    assert footprint.dram_read_bytes == pytest.approx(moved, rel=0.01)
    assert footprint.dram_write_bytes == pytest.approx(moved, rel=0.01)
    assert footprint.hottest_atomic is None


def test_a_strided_stream_moves_whole_granules() -> None:
    footprint = Copier(1000, stride=16).profile().footprint
    assert footprint.dram_read_bytes == pytest.approx(256_000 * 64, rel=0.01)


def test_a_fault_ends_the_sample_and_there_is_no_profile() -> None:
    copier = Copier(1000)
    fault = Fault(FaultKind.OOB_READ, "out of bounds", None, None, None, None)

    def fails(block: int, trace_requests: int) -> RunReport:
        report = copier.run(block, trace_requests)
        return RunReport(report.counts, fault, report.trace) if block == 999 else report

    profiler = Profiler(KernelCosts(copy_graph()), copier.launch, 16, H200)
    sample, profile = profiler.sampled(fails, copier.arena.allocations)
    assert isinstance(sample, Sample)
    assert sample.fault is fault
    assert profile is None


def test_without_a_gpu_nothing_is_traced_and_the_footprint_is_unknown() -> None:
    copier = Copier(100)
    sample, profile = Profiler(KernelCosts(copy_graph()), copier.launch, 16, None).sampled(copier.run, ())
    assert not sample.traces
    assert profile is not None
    assert profile.footprint.dram_read_bytes is None


def test_disagreeing_blocks_are_sampled_further() -> None:
    copier = Copier(100_000)

    def uneven(block: int, trace_requests: int) -> RunReport:
        report = copier.run(block, trace_requests)
        report.counts.block_warps[0] *= 1 + block % 7
        return report

    _, profile = Profiler(KernelCosts(copy_graph()), copier.launch, 16, H200).sampled(uneven, copier.arena.allocations)
    assert profile is not None
    assert profile.blocks_run >= 64
    assert profile.spread > 1.5
    assert profile.instructions == pytest.approx(4 * 8 * 100_000 * 4, rel=0.15)
