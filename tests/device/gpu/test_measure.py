"""Schedules over the real harness: samples, kept outputs, less memory, two contestants, the empty kernel."""

from dataclasses import replace

import numpy as np
import pytest

from device.gpu.conftest import OpenGpu
from device.gpu.kernels import NORMAL, fault, measure_request, plan, program
from warpwright.candidate.resolved import ResolvedScratch
from warpwright.compiler.compiler import Compiler
from warpwright.device.measuring import Contestant, Measured
from warpwright.device.protocol import FaultKind
from warpwright.errors import InfrastructureError
from warpwright.units import MIB
from warpwright.workload.generator import generate


def measured(outcome: object) -> Measured:
    assert isinstance(outcome, Measured), outcome
    return outcome


def test_every_launch_has_its_time_and_kept_outputs_are_right(gpu: OpenGpu, compiler: Compiler) -> None:
    request = measure_request(compiler, 1000, sides=2)
    outcome = measured(gpu(kernels={"scale": {"duration_us": 40}}).measure(request))
    assert [len(block.samples_us) for block in outcome.blocks] == [4, 4, 4, 4]
    assert all(20 < sample < 80 for block in outcome.blocks for sample in block.samples_us)
    assert (outcome.sets, outcome.truncated) == (4, False)
    assert [(kept.block, kept.launch) for kept in outcome.kept] == [(0, 1), (1, 1), (2, 1), (3, 1)]
    for kept in outcome.kept:
        key = request.blocks[kept.block].launches[kept.launch].values["x"]
        assert np.array_equal(kept.outputs["y"], 2 * generate(NORMAL, key, 1000))


def test_the_empty_kernel_is_measured_with_the_plans_shape(gpu: OpenGpu, compiler: Compiler) -> None:
    request = measure_request(compiler)
    both = (*request.contestants, Contestant(None, plan(1000)))
    blocks = tuple(replace(block, contestant=index % 2) for index, block in enumerate(request.blocks))
    blocks = (blocks[0], replace(blocks[1], launches=tuple(replace(x, keep=False) for x in blocks[1].launches)))
    outcome = measured(gpu().measure(replace(request, contestants=both, blocks=blocks)))
    assert max(outcome.blocks[1].samples_us) < min(outcome.blocks[0].samples_us)


def test_where_memory_is_short_fewer_sets_are_used(gpu: OpenGpu, compiler: Compiler) -> None:
    count = 4 * MIB  # two arrays of 16 MiB in each set
    request = measure_request(compiler, count, sets=16)
    assert measured(gpu().measure(request)).sets < 16


def test_what_never_fits_is_said_with_its_numbers(gpu: OpenGpu, compiler: Compiler) -> None:
    device = gpu()
    with pytest.raises(InfrastructureError, match=r"does not fit into device memory: .* needed, .* free"):
        device.measure(measure_request(compiler, 64 * MIB))
    scratch = (ResolvedScratch("s", "float32", (400 * MIB // 4,)),)
    greedy = (Contestant(program(compiler), plan(1000, scratch=scratch)),)
    found = fault(device.measure(measure_request(compiler, contestants=greedy)))
    assert (found.kind, "Use less scratch" in found.message) == (FaultKind.RESOURCES, True)


def test_contestants_may_name_their_scratch_alike(gpu: OpenGpu, compiler: Compiler) -> None:
    sides = tuple(
        Contestant(program(compiler), plan(1000, scratch=(ResolvedScratch("s", "float32", (size,)),)))
        for size in (10, 70)
    )
    outcome = measured(gpu().measure(measure_request(compiler, sides=2, contestants=sides)))
    assert len(outcome.blocks) == 4


def test_a_write_outside_an_array_under_the_clock_is_found(gpu: OpenGpu, compiler: Compiler) -> None:
    found = fault(gpu(kernels={"scale": {"overrun": 1}}).measure(measure_request(compiler)))
    assert found.kind is FaultKind.OOB_WRITE


def test_a_fault_under_the_clock_names_its_kernel(gpu: OpenGpu, compiler: Compiler) -> None:
    found = fault(gpu(kernels={"scale": {"fault": "misaligned", "at": 3}}).measure(measure_request(compiler)))
    assert found.kind is FaultKind.MISALIGNED
