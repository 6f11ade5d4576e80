import struct
from pathlib import Path

import numpy as np
import pytest

from warpwright.emulator.cost import estimate
from warpwright.emulator.launch import Emulator, ExecutorKind, Launch
from warpwright.emulator.memory.arena import Allocation, Arena
from warpwright.emulator.memory.fault import FaultKind
from warpwright.errors import InputError
from warpwright.hardware import load_gpu

PTX = (Path(__file__).parent / "kernels.ptx").read_text(encoding="utf-8")
H200 = load_gpu("h200")


@pytest.fixture(scope="module", params=list(ExecutorKind))
def emulator(request: pytest.FixtureRequest) -> Emulator:
    return Emulator(PTX, request.param)


def buffer_of(emulator: Emulator, elements: int) -> tuple[Arena, Allocation]:
    arena = Arena(Arena.capacity_for([4 * elements, *emulator.variable_sizes("scale")]))
    allocation = arena.allocate("target", 4 * elements)
    arena.view(allocation).view(np.float32)[:] = np.arange(elements)
    return arena, allocation


def launch_of(allocation: Allocation, count: int, blocks: int, threads: int = 128) -> Launch:
    arguments = (struct.pack("<Q", allocation.address), struct.pack("<i", count))
    return Launch((blocks, 1, 1), (threads, 1, 1), 0, arguments)


def test_a_launch_runs_every_block_and_reads_constants(emulator: Emulator) -> None:
    arena, allocation = buffer_of(emulator, 1000)
    report = emulator.launch(arena, "scale", launch_of(allocation, 1000, 8))
    assert report.fault is None
    assert report.complete
    assert np.array_equal(arena.view(allocation).view(np.float32), 3 * np.arange(1000, dtype=np.float32))
    assert report.profile is not None
    assert report.profile.blocks_run == 8
    assert report.profile.flops_fp32 == 1000
    assert [(t.access, t.requests, t.lanes) for t in report.profile.traffic] == [
        ("load", 32, 1000),
        ("store", 32, 1000),
    ]


def test_profiling_changes_nothing(emulator: Emulator) -> None:
    arena, allocation = buffer_of(emulator, 1 << 20)
    before = arena.bytes.copy()
    report = emulator.profile(arena, "scale", launch_of(allocation, 1 << 20, 8192), 16, H200)
    assert np.array_equal(arena.bytes[: allocation.size_bytes], before[: allocation.size_bytes])
    assert report.profile is not None
    assert not report.complete
    assert report.profile.blocks_run < 100
    assert report.seconds < 5


def test_a_sample_counts_what_a_full_launch_counts(emulator: Emulator) -> None:
    elements, blocks = (1 << 15) - 77, 256
    arena, allocation = buffer_of(emulator, elements)
    launch = launch_of(allocation, elements, blocks)
    sampled = emulator.profile(arena, "scale", launch, 16, H200).profile
    full = emulator.launch(arena, "scale", launch).profile
    assert sampled is not None
    assert full is not None
    assert sampled.instructions == pytest.approx(full.instructions, rel=1e-6)
    assert [t.sectors for t in sampled.traffic] == pytest.approx([t.sectors for t in full.traffic])
    assert sampled.footprint.dram_read_bytes == pytest.approx(4 * elements, rel=0.01)
    assert estimate(sampled, H200).time_us > 2 * 4 * elements / 4.8e12 * 1e6


def test_module_variables_keep_their_values_between_launches(emulator: Emulator) -> None:
    arena = Arena(Arena.capacity_for(list(emulator.variable_sizes("count_blocks"))))
    for _ in range(2):
        assert emulator.launch(arena, "count_blocks", Launch((5, 1, 1), (64, 1, 1), 0, ())).fault is None
    assert arena.view(arena.symbols["launches"]).view(np.uint32)[0] == 10
    assert emulator.profile(arena, "count_blocks", Launch((5, 1, 1), (64, 1, 1), 0, ()), None, H200).fault is None
    assert arena.view(arena.symbols["launches"]).view(np.uint32)[0] == 10


def test_a_fault_is_reported_and_there_is_no_profile(emulator: Emulator) -> None:
    arena, allocation = buffer_of(emulator, 100)
    report = emulator.launch(arena, "scale", launch_of(allocation, 128, 1))
    assert report.fault is not None
    assert report.fault.kind is FaultKind.OOB_READ
    assert report.profile is None
    assert not report.complete
    sampled = emulator.profile(arena, "scale", launch_of(allocation, 128, 1), 16, H200)
    assert sampled.fault is not None


def test_arguments_that_do_not_fit_are_refused(emulator: Emulator) -> None:
    arena, allocation = buffer_of(emulator, 8)
    launch = Launch((1, 1, 1), (32, 1, 1), 0, (struct.pack("<Q", allocation.address),))
    with pytest.raises(InputError) as raised:
        emulator.launch(arena, "scale", launch)
    assert str(raised.value) == (
        "kernel scale takes 2 parameters of 8, 4 bytes; the launch passes 1 parameter of 8 bytes. "
        "Make the kernel's parameters those of the workload, in the same order."
    )


def test_an_unknown_kernel_is_refused_with_the_known_ones(emulator: Emulator) -> None:
    with pytest.raises(InputError) as raised:
        emulator.graph("scal")
    assert str(raised.value) == "kernel scal is not in the PTX; it has scale, count_blocks"


def test_damaged_ptx_is_refused() -> None:
    with pytest.raises(InputError, match=r"^PTX line \d+: .* The PTX was not written by a compiler, or is damaged\.$"):
        Emulator(".version 8.0 .target sm_80 .address_size 64 .visible .entry k( {")
