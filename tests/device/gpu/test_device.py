"""The GPU device over the real harness: numbers, faults as data, fresh processes."""

from dataclasses import replace

import numpy as np
import pytest

from device.gpu.conftest import OpenGpu
from device.gpu.kernels import NORMAL, fault, ran, scale_request
from warpwright.compiler.compiler import Compiler
from warpwright.device.canary import run_canary
from warpwright.device.measuring import MeasuringDevice
from warpwright.device.protocol import ArrayArgument, CodeKind, FaultKind
from warpwright.workload.dtypes import DTYPE_NAMES, numpy_dtype
from warpwright.workload.generator import generate
from warpwright.workload.model import DeviceKind
from warpwright.workload.recipe import Generated


def test_the_canary_is_right(gpu: OpenGpu, compiler: Compiler) -> None:
    device = gpu()
    assert run_canary(device, compiler) is None


def test_the_device_says_what_it_is(gpu: OpenGpu) -> None:
    device = gpu()
    assert isinstance(device, MeasuringDevice)
    assert (device.kind, device.name, device.target.code) == (DeviceKind.GPU, "gpu:0", CodeKind.CUBIN)
    assert (device.target.arch, device.target.cuda) == ("sm_90", (13, 0))
    assert device.description.startswith("NVIDIA Stand-in GPU (gpu:0, driver for CUDA 13.0, harness ")
    assert device.spec.limits.shared_per_block_optin_bytes > device.spec.limits.shared_per_block_bytes
    assert not device.spec.calibrated
    identity = device.identity
    assert identity["uuid"].startswith("GPU-")
    assert len(identity["harness_build"]) > 20
    assert identity["other_processes"] == "unknown"


def test_a_kernel_gives_its_numbers(gpu: OpenGpu, compiler: Compiler) -> None:
    outcome = ran(gpu().run(scale_request(compiler, 1000)))
    assert np.array_equal(outcome.arrays["y"], 2 * np.arange(1000, dtype=np.float32))
    assert list(outcome.arrays) == ["y"]
    assert outcome.modified == ()


@pytest.mark.parametrize("poison", [0xFF, 0x7E])
def test_what_is_not_written_keeps_the_poison(gpu: OpenGpu, compiler: Compiler, poison: int) -> None:
    device = gpu(kernels={"scale": {"partial": 0.5}})
    y = ran(device.run(scale_request(compiler, 1000, poison=poison))).arrays["y"]
    assert y[999:].tobytes() == bytes([poison]) * 4
    assert y[1] == 2


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_outputs_come_back_in_their_own_dtype(gpu: OpenGpu, compiler: Compiler, dtype: str) -> None:
    request = scale_request(compiler, 1000)
    shape = (4000 // numpy_dtype(dtype).itemsize,)
    arguments = tuple(
        replace(a, dtype=dtype, shape=shape) if isinstance(a, ArrayArgument) and a.name == "y" else a
        for a in request.arguments
    )
    y = ran(gpu().run(replace(request, arguments=arguments))).arrays["y"]
    assert y.dtype == numpy_dtype(dtype)
    assert y.tobytes() == (2 * np.arange(1000, dtype=np.float32)).tobytes()


def test_an_input_made_on_the_device_is_the_one_that_numpy_makes(gpu: OpenGpu, compiler: Compiler) -> None:
    request = scale_request(compiler, 1000)
    key = 0x0123456789ABCDEF_FEDCBA9876543210
    generated = tuple(
        replace(a, value=None, generated=Generated(NORMAL, key))
        if isinstance(a, ArrayArgument) and a.name == "x"
        else a
        for a in request.arguments
    )
    y = ran(gpu().run(replace(request, arguments=generated))).arrays["y"]
    assert np.array_equal(y, 2 * generate(NORMAL, key, 1000))


FAULTS = {
    "trap": FaultKind.TRAP,
    "illegal_address": FaultKind.ILLEGAL_ADDRESS,
    "misaligned": FaultKind.MISALIGNED,
    "assert": FaultKind.ASSERT,
    "stack": FaultKind.STACK,
    "illegal_instruction": FaultKind.ILLEGAL_INSTRUCTION,
    "launch_timeout": FaultKind.DISPLAY_WATCHDOG,
}


@pytest.mark.parametrize("code", FAULTS)
def test_a_crash_is_data_and_the_next_run_works(gpu: OpenGpu, compiler: Compiler, code: str) -> None:
    device = gpu(kernels={"scale": {"fault": code}})
    found = fault(device.run(scale_request(compiler)))
    assert (found.kind, found.entry) == (FAULTS[code], "scale"), found
    assert len(found.message) > 20
    assert run_canary(device, compiler) is None


REFUSALS = {
    "invalid_value": FaultKind.CONFIG,
    "launch_out_of_resources": FaultKind.RESOURCES,
    "cooperative_launch_too_large": FaultKind.COOPERATIVE,
}


@pytest.mark.parametrize("code", REFUSALS)
def test_a_refused_launch_is_data_and_the_process_goes_on(gpu: OpenGpu, compiler: Compiler, code: str) -> None:
    device = gpu(kernels={"scale": {"refuse": code}})
    found = fault(device.run(scale_request(compiler)))
    assert (found.kind, found.entry) == (REFUSALS[code], "scale")
    before = device.worker_pid
    assert run_canary(device, compiler) is None
    assert device.worker_pid == before


@pytest.mark.parametrize(("behaviour", "edge"), [("overrun", "behind its end"), ("underrun", "before its start")])
def test_a_write_outside_an_array_is_found(gpu: OpenGpu, compiler: Compiler, behaviour: str, edge: str) -> None:
    device = gpu(kernels={"scale": {behaviour: 3}})
    found = fault(device.run(scale_request(compiler, 1000, least_alignment=False)))
    assert found.kind is FaultKind.OOB_WRITE
    assert found.message.startswith(f"array y: 12 bytes {edge} were overwritten, the nearest 0 bytes from its edge")


def test_a_write_far_behind_an_array_hits_unmapped_pages(gpu: OpenGpu, compiler: Compiler) -> None:
    device = gpu(kernels={"scale": {"overrun": 4}})
    found = fault(device.run(scale_request(compiler, 1024)))  # at least alignment the page behind it is not there
    assert found.kind is FaultKind.ILLEGAL_ADDRESS


def test_a_changed_input_is_reported(gpu: OpenGpu, compiler: Compiler) -> None:
    outcome = ran(gpu(kernels={"scale": {"tamper": 2}}).run(scale_request(compiler)))
    assert [m.name for m in outcome.modified] == ["x"]
    assert outcome.modified[0].bytes > 0


def test_renewing_gives_a_process_in_which_no_candidate_has_run(gpu: OpenGpu, compiler: Compiler) -> None:
    device = gpu()
    used = set()
    for _ in range(4):
        device.renew()
        ran(device.run(scale_request(compiler)))
        first = device.worker_pid
        ran(device.run(scale_request(compiler)))
        assert device.worker_pid == first
        used.add(first)
    assert len(used) == 4


def test_a_module_is_replaced_by_the_next_candidates(gpu: OpenGpu, compiler: Compiler) -> None:
    device = gpu()
    ran(device.run(scale_request(compiler)))
    before = device.worker_pid
    assert run_canary(device, compiler) is None
    ran(device.run(scale_request(compiler)))
    assert device.worker_pid == before
