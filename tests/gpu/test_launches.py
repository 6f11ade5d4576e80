"""Clusters, cooperative grids and much shared memory on a real GPU; the plan check refuses what the driver refuses."""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from benchmarks.measurement.machine import Machine

from gpu.reversed_rows import (
    PLAIN,
    STAGED,
    STATIC_TOO,
    THREE_DIMENSIONS,
    Kernel,
    cluster,
    cooperative,
    write_reversed_rows,
)
from warpwright.candidate.limits import check_limits
from warpwright.candidate.resolved import ResolvedLaunch, ResolvedPlan
from warpwright.cli.bench_options import bench_options
from warpwright.compiler.result import KernelResources
from warpwright.device.gpu.device import GpuDevice
from warpwright.device.protocol import ArrayArgument, Faulted, FaultKind, Program, Ran, RunRequest, TimeSource
from warpwright.evaluation.bench import Bench, open_bench
from warpwright.evaluation.outcome import Evaluation
from warpwright.hardware import GpuSpec
from warpwright.hardware.occupancy import theoretical_occupancy
from warpwright.workload.model import Role

pytestmark = pytest.mark.gpu

LAWFUL = {
    "plain": Kernel(PLAIN),
    "three dimensions": Kernel(THREE_DIMENSIONS, {"grid": ["2", "2", "rows"], "block": ["16", "4", "2"]}),
    "cooperative grid": cooperative(),
    "50 KiB of dynamic shared memory": Kernel(STAGED, {"shared": "50 * 1024"}),
    "all shared memory that a block can have": Kernel(STAGED, {"shared": "device.shared_per_block_optin_bytes"}),
}
IN_CLUSTERS = {
    "clusters of 2": cluster(2),
    "clusters of 8": cluster(8),
    "clusters along y": cluster(2, grid=["rows", "2"], cluster=["1", "2"]),
    "clusters with 100 KiB of shared memory": cluster(2, "100 * 1024"),
    "clusters that the source asks for": cluster(2, in_source="__cluster_dims__(2, 1, 1)"),
}
REFUSED = {
    "cluster of 16": (cluster(16), "invalid_plan.limits", "cluster"),
    "cooperative grid": (cooperative("1000000"), "launch_error.cooperative", "Use at most "),
    "dynamic shared memory": (
        Kernel(STAGED, {"shared": "device.shared_per_block_optin_bytes + 4"}),
        "invalid_plan.limits",
        "bytes of dynamic shared memory; ",
    ),
    "static and dynamic shared memory": (
        Kernel(STATIC_TOO, {"shared": "device.shared_per_block_optin_bytes"}),
        "launch_error.shared_memory",
        "and 2048 of static; ",
    ),
}
BY_THE_DRIVER = {
    "grid that is no multiple of the source's cluster": cluster(2, in_source="__cluster_dims__(3, 1, 1)"),
    "source's cluster larger than is portable": cluster(16, in_source="__cluster_dims__(16, 1, 1)"),
}


@pytest.fixture(scope="module")
def bench(device: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    workload = write_reversed_rows(tmp_path_factory.mktemp("launches") / "reversed_rows")
    with open_bench(workload, device, secrets.token_hex(32), bench_options()) as bench:
        yield bench


def evaluated(bench: Bench, kernel: Kernel) -> Evaluation:
    return bench.evaluator.evaluate(kernel.candidate(bench.evaluator.workload))


def has_clusters(gpu: GpuSpec) -> None:
    if gpu.limits.max_cluster_blocks < 2:
        pytest.skip(f"{gpu.arch} has no thread block clusters")


@pytest.mark.parametrize("name", [*LAWFUL, *IN_CLUSTERS])
def test_is_verified_and_measured(bench: Bench, name: str) -> None:
    if name in IN_CLUSTERS:
        has_clusters(bench.device.spec)
    found = evaluated(bench, (LAWFUL | IN_CLUSTERS)[name])
    assert found.label == "passed", found.message
    (timing,) = [case.timing for case in found.cases if case.timing is not None]
    assert (timing.source, len(timing.samples_us)) == (TimeSource.MEASURED, 100)
    record = timing.measurement
    assert record is not None
    assert len(record.checked) >= 5, "outputs of launches under the clock were not compared"
    assert record.empty is not None, "an empty kernel could not be launched in the same way"
    assert 0 < record.empty.median_us < timing.median_us


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_gpu_has_not_is_refused_before_it_runs(bench: Bench, name: str) -> None:
    kernel, label, words = REFUSED[name]
    found = evaluated(bench, kernel)
    assert found.label == label, found.message
    assert words in found.message
    assert not any(case.comparisons for case in found.cases)


@pytest.mark.parametrize("name", BY_THE_DRIVER)
def test_what_only_the_driver_refuses_is_the_candidates_fault_and_costs_it_alone(bench: Bench, name: str) -> None:
    has_clusters(bench.device.spec)
    found = evaluated(bench, BY_THE_DRIVER[name])
    assert found.label in ("launch_error.config", "launch_error.resources"), found.message
    assert "cuLaunchKernelEx" in found.message
    after = evaluated(bench, cluster(2))
    assert after.label == "passed", after.message


COUNTED = """
extern "C" __global__ void counted(unsigned* arrived) {
    if (threadIdx.x == 0) atomicAdd(arrived, 1u);
}
"""
MEETING = """
extern "C" __global__ void meeting(unsigned* arrived) {
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned*)arrived < gridDim.x) {}
    }
}
"""
"""Ends only if all blocks of the grid are on the GPU at once."""


@dataclass(frozen=True, slots=True)
class Edge:
    """The last launch that a limit allows and one beyond it. kinds: what the driver may call the second one's fault."""

    last: ResolvedLaunch
    beyond: ResolvedLaunch
    kinds: tuple[FaultKind, ...]


def launch(
    entry: str = "counted", blocks: int = 2, threads: int = 256, shared: int = 0, **more: object
) -> ResolvedLaunch:
    return ResolvedLaunch(entry, (blocks, 1, 1), (threads, 1, 1), shared, ("arrived",), **more)  # type: ignore[arg-type]


def meeting(gpu: GpuSpec, resources: KernelResources, threads: int, shared: int) -> Edge:
    most = theoretical_occupancy(gpu, threads, resources.registers, shared).blocks_per_sm * gpu.sm_count
    last, beyond = (launch("meeting", blocks, threads, shared, cooperative=True) for blocks in (most, most + 1))
    return Edge(last, beyond, (FaultKind.COOPERATIVE,))


def threads(gpu: GpuSpec, resources: KernelResources) -> Edge:
    most = gpu.limits.max_threads_per_block
    return Edge(launch(threads=most), launch(threads=most + 1), (FaultKind.CONFIG,))


def shared_memory(gpu: GpuSpec, resources: KernelResources) -> Edge:
    most = gpu.limits.shared_per_block_optin_bytes
    return Edge(launch(shared=most), launch(shared=most + 1), (FaultKind.RESOURCES,))


def clusters(gpu: GpuSpec, resources: KernelResources) -> Edge:
    has_clusters(gpu)
    most = gpu.limits.max_cluster_blocks
    last, beyond = (launch(blocks=2 * size, cluster=(size, 1, 1)) for size in (most, 4 * most))
    return Edge(last, beyond, (FaultKind.CONFIG, FaultKind.RESOURCES))


def whole_clusters(gpu: GpuSpec, resources: KernelResources) -> Edge:
    has_clusters(gpu)
    last, beyond = (launch(blocks=blocks, cluster=(2, 1, 1)) for blocks in (6, 7))
    return Edge(last, beyond, (FaultKind.CONFIG,))


EDGES: dict[str, Callable[[GpuSpec, KernelResources], Edge]] = {
    "cooperative grid": lambda gpu, resources: meeting(gpu, resources, 256, 0),
    "cooperative grid of large blocks": lambda gpu, resources: meeting(gpu, resources, 1024, 0),
    "cooperative grid with shared memory": lambda gpu, resources: meeting(gpu, resources, 128, 40 * 1024),
    "threads": threads,
    "dynamic shared memory": shared_memory,
    "cluster": clusters,
    "grid of whole clusters": whole_clusters,
}


@pytest.fixture(scope="module")
def programs(machine: Machine) -> dict[str, Program]:
    return {name: machine.compile(source, name) for name, source in (("counted", COUNTED), ("meeting", MEETING))}


def run(machine: Machine, program: Program, launch: ResolvedLaunch) -> Ran | Faulted:
    arrived = ArrayArgument("arrived", Role.OUT, "uint32", (1,), 4, None, zeroed=True)
    return machine.device.run(RunRequest(program, ResolvedPlan((launch,), ()), (arrived,), time_limit_s=10.0))


def arrived(outcome: Ran | Faulted) -> int:
    assert isinstance(outcome, Ran), outcome
    return int(outcome.arrays["arrived"][0])


@pytest.mark.parametrize("name", EDGES)
def test_the_plan_check_draws_the_line_where_the_driver_does(
    machine: Machine, programs: dict[str, Program], name: str
) -> None:
    gpu, entry = machine.device.spec, "meeting" if "cooperative" in name else "counted"
    program = programs[entry]
    resources = program.resources[entry]
    edge = EDGES[name](gpu, resources)
    assert check_limits(edge.last, gpu, resources) is None
    assert arrived(run(machine, program, edge.last)) == edge.last.grid_blocks
    assert isinstance(machine.device, GpuDevice)
    process = machine.device.worker_pid

    assert check_limits(edge.beyond, gpu, resources) is not None
    refused = run(machine, program, edge.beyond)
    assert isinstance(refused, Faulted), refused
    assert refused.fault.kind in edge.kinds, refused.fault
    assert refused.fault.entry == entry
    assert arrived(run(machine, program, edge.last)) == edge.last.grid_blocks
    assert machine.device.worker_pid == process, "a refused launch cost a process"


def test_clusters_of_16_run_where_hopper_has_them(machine: Machine, programs: dict[str, Program]) -> None:
    if machine.device.spec.compute_capability != (9, 0):
        pytest.skip(f"whether {machine.device.spec.arch} has them is not known")
    assert arrived(run(machine, programs["counted"], launch(blocks=32, cluster=(16, 1, 1)))) == 32
