"""Nsight Compute on real hardware: counters of known kernels, every launch of a plan, both ways to read a report."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from warpwright.candidate.resolved import ResolvedLaunch, ResolvedPlan
from warpwright.cli.bench_options import bench_options, device_options
from warpwright.cli.environment import environment
from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import Compiled, CompileRequest
from warpwright.device.protocol import ArrayArgument, Device, Program, RunOnceDevice, RunRequest, ScalarArgument
from warpwright.device.registry import open_device
from warpwright.isolation.environment import gpu_environment
from warpwright.profiler.nsight_compute.collect import collect
from warpwright.profiler.nsight_compute.command import tool_environment
from warpwright.profiler.nsight_compute.locate import Ncu, find_ncu
from warpwright.profiler.nsight_compute.reading.read import Reading, read_report
from warpwright.profiler.nsight_compute.reading.report import Report
from warpwright.profiler.nsight_compute.reading.report_module import find_module
from warpwright.profiler.nsight_compute.result import Collected, NsightOptions, Unavailable
from warpwright.profiler.profile import Cache, LaunchCounters
from warpwright.workload.model import Role
from warpwright.workload.recipe import Generated, Recipe

pytestmark = pytest.mark.gpu

COUNT, BLOCK, STRIDE = 1 << 22, 256, 32
SOURCE = """\
template <int STRIDE> __global__ void gathered(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[(long long)i * STRIDE % n];
}
__global__ void doubled(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += 2 * x[i];
}
"""
GATHERING_LINE = 3
ENTRIES = (f"gathered<{STRIDE}>", "doubled")


@dataclass(frozen=True)
class Stand:
    device: RunOnceDevice
    ncu: Ncu
    request: RunRequest


@pytest.fixture(scope="module")
def stand(device: str) -> Iterator[Stand]:
    ncu = find_ncu(environment().ncu)
    if isinstance(ncu, Unavailable):
        pytest.skip(ncu.text)
    with (
        open_device(device, device_options()) as opened,  # type: ignore[attr-defined]
        Compiler(bench_options().cache_directory, environment().nvrtc, newest=opened.target.cuda) as compiler,
    ):
        opened.prepare(compiler)
        assert isinstance(opened, RunOnceDevice)
        yield Stand(opened, ncu, request_of(opened, compiler))


def request_of(device: Device, compiler: Compiler) -> RunRequest:
    """Two kernels, one a template, on inputs that a kernel of ours makes in the same process."""
    outcome = compiler.compile(CompileRequest(SOURCE, "kernel.cu", device.target.arch, ENTRIES, defines={}, headers={}))
    assert isinstance(outcome, Compiled), outcome
    program = Program(outcome.ptx, outcome.cubin, outcome.arch, outcome.lowered, outcome.resources, "kernel.cu")
    launches = tuple(
        ResolvedLaunch(entry, (COUNT // BLOCK, 1, 1), (BLOCK, 1, 1), 0, ("y", "x", "n")) for entry in ENTRIES
    )
    made = Generated(Recipe("normal", "float32", 0.0, 1.0), 7)
    arguments = (
        ArrayArgument("y", Role.OUT, "float32", (COUNT,), 4, None),
        ArrayArgument("x", Role.IN, "float32", (COUNT,), 4, None, generated=made),
        ScalarArgument("n", "int32", np.int32(COUNT).tobytes()),
    )
    return RunRequest(program, ResolvedPlan(launches, ()), arguments, least_alignment=False)


@pytest.fixture(scope="module")
def kept(stand: Stand, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("profile") / "two.ncu-rep"


@pytest.fixture(scope="module")
def collected(stand: Stand, kept: Path) -> Collected:
    """Of the second tier, with its report kept."""
    options = NsightOptions(tier=2, cache=Cache.COLD, program=stand.ncu.path, report=kept, source=SOURCE)
    found = collect(stand.device, stand.request, options)
    if isinstance(found, Unavailable):
        pytest.skip(found.text)
    return found


def test_each_launch_of_the_plan_is_counted_and_ours_are_not(collected: Collected) -> None:
    assert [(launch.position, launch.entry) for launch in collected.launches] == list(enumerate(ENTRIES))
    unread = [note for note in collected.notes if "source lines are unknown" not in note]
    assert unread == []


def test_what_is_known_beforehand_is_counted(collected: Collected) -> None:
    gathered, doubled = collected.launches
    warps = COUNT // 32
    for launch in (gathered, doubled):
        assert launch.value("grid_blocks") == COUNT // BLOCK
        assert launch.value("block_threads") == BLOCK
        assert launch.value("global_store_sectors") == 4 * warps
        assert launch.value("threads_per_instruction") == pytest.approx(32, rel=0.01)
    assert gathered.value("global_load_sectors") == 32 * warps
    assert gathered.value("global_load_bytes_per_sector") == pytest.approx(4)
    assert doubled.value("global_load_sectors") == 8 * warps
    assert doubled.value("global_excess_ratio") == pytest.approx(0, abs=0.01)
    assert doubled.value("flop_fp32") == pytest.approx(2 * COUNT, rel=0.01)
    excess = gathered.value("global_excess_ratio")
    assert excess is not None
    assert excess > 0.7


def test_the_classes_have_what_they_need(collected: Collected) -> None:
    needed = (
        "duration_ns", "sm_count", "waves_per_sm", "sm_active_cycles_avg", "sm_elapsed_cycles", "sm_throughput_ratio",
        "memory_throughput_ratio", "dram_throughput_ratio", "l2_throughput_ratio", "l1_throughput_ratio",
        "occupancy_achieved_ratio", "occupancy_theoretical_ratio", "issue_active_ratio", "instructions",
        "stall_long_scoreboard_ratio", "stall_barrier_ratio", "stall_lg_throttle_ratio", "stall_drain_ratio",
        "local_load_instructions", "local_store_instructions", "pipe_fma_ratio", "pipe_alu_ratio", "pipe_xu_ratio",
        "pipe_fp64_ratio", "pipe_lsu_ratio", "pipe_tensor_ratio", "l2_atomic_sectors", "l2_reduction_sectors",
    )  # fmt: skip
    for launch in collected.launches:
        lacking = {name: collected.missing.get(name) for name in needed if name not in launch.counters}
        assert lacking == {}


def test_stall_shares_sum_to_the_whole(collected: Collected) -> None:
    for launch in collected.launches:
        shares = [counter.value for name, counter in launch.counters.items() if name.startswith("stall_")]
        assert 0.8 < sum(shares) < 1.1


def test_the_first_tier_decides_too(stand: Stand) -> None:
    found = collect(stand.device, stand.request, NsightOptions(tier=1, program=stand.ncu.path))
    assert isinstance(found, Collected), found
    gathered = found.launches[0]
    for name in ("global_load_bytes_per_sector", "dram_throughput_ratio", "stall_long_scoreboard_ratio"):
        assert gathered.value(name) is not None, found.missing.get(name)


def test_a_warm_cache_is_left_warm(stand: Stand) -> None:
    read = {}
    for cache in (Cache.COLD, Cache.WARM):
        found = collect(stand.device, stand.request, NsightOptions(tier=1, cache=cache, program=stand.ncu.path))
        assert isinstance(found, Collected), found
        read[cache] = [launch.value("dram_read_bytes") or 0.0 for launch in found.launches]
    assert sum(read[Cache.WARM]) < 0.75 * sum(read[Cache.COLD]), read  # 16 MB of inputs, which L2 can hold


@pytest.mark.parametrize("printed", [False, True], ids=["module", "printed"])
def test_both_readers_say_the_same(stand: Stand, collected: Collected, kept: Path, printed: bool) -> None:
    if not printed and find_module(stand.ncu.path) is None:
        pytest.skip("there is no module ncu_report")
    report = read_again(stand, kept, printed=printed)
    assert [launch.name for launch in report.launches] == [
        stand.request.program.lowered[launch.entry] for launch in stand.request.plan.launches
    ]
    for launch, counted in zip(report.launches, collected.launches, strict=True):
        assert launch.raw["gpu__time_duration.sum"].value == pytest.approx(counted.value("duration_ns"))
        assert launch.rules
        assert not any("@" in rule.message for rule in launch.rules)
    if not printed:  # what the source page of a version prints is not known for all
        assert hot(collected.launches[0])[0] == GATHERING_LINE


def read_again(stand: Stand, report: Path, *, printed: bool) -> Report:
    folder = report.parent
    environment = tool_environment(gpu_environment(str(folder)), folder)
    (folder / "kernel.cu").write_text(SOURCE, encoding="utf-8")
    return read_report(report, Reading(stand.ncu, environment, source=True, source_name="kernel.cu", printed=printed))


def hot(launch: LaunchCounters) -> list[int]:
    return [line.line for line in launch.hot_lines if line.counter == "global_excess_ratio"]
