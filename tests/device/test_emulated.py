"""Candidates on the emulated device: results, faults as data, recovery, estimates. Real NVRTC, real worker processes."""

import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from warpwright.candidate.resolved import ResolvedLaunch, ResolvedPlan, ResolvedScratch
from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import Compiled, CompileRequest
from warpwright.device.canary import run_canary
from warpwright.device.emulated.device import EmulatedDevice, EmulatorOptions
from warpwright.device.protocol import (
    Argument,
    ArrayArgument,
    CountedLaunch,
    Fault,
    Faulted,
    FaultKind,
    Modified,
    Program,
    Ran,
    RunRequest,
    ScalarArgument,
    TimeRequest,
    TimeSource,
    Timing,
)
from warpwright.errors import InfrastructureError
from warpwright.hardware import load_gpu
from warpwright.workload.dtypes import numpy_dtype
from warpwright.workload.model import DeviceKind, Role

SAXPY = """extern "C" __global__ void k(float* y, const float* x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""

FAULTS = {
    "write out of bounds": ("y[threadIdx.x + 100000] = 1.0f;", FaultKind.OOB_WRITE),
    "read out of bounds": ("y[0] = y[threadIdx.x - 100000];", FaultKind.OOB_READ),
    "misaligned": ("reinterpret_cast<float4*>(y)[threadIdx.x & 1] = make_float4(1, 2, 3, 4);", FaultKind.MISALIGNED),
    "trap": ("if (threadIdx.x == 3) __trap();", FaultKind.TRAP),
    "divergent barriers": (
        "if (threadIdx.x < 7) { y[0] = 1; __syncthreads(); y[1] = 2; } else { y[2] = 3; __syncthreads(); y[3] = 4; }",
        FaultKind.BARRIER_DIVERGENCE,
    ),
    "cluster instruction": ('asm volatile("barrier.cluster.arrive;");', FaultKind.UNSUPPORTED),
}


def program(compiler: Compiler, source: str, *entries: str) -> Program:
    outcome = compiler.compile(CompileRequest(source, "kernel.cu", "sm_90", entries, defines={}, headers={}))
    assert isinstance(outcome, Compiled), outcome
    return Program(outcome.ptx, outcome.cubin, outcome.arch, outcome.lowered, outcome.resources, "kernel.cu")


def output(name: str, dtype: str, *shape: int, zeroed: bool = False) -> ArrayArgument:
    return ArrayArgument(name, Role.OUT, dtype, shape, numpy_dtype(dtype).itemsize, None, zeroed)


def inout(name: str, value: np.ndarray[Any, Any], align_bytes: int | None = None) -> ArrayArgument:
    return ArrayArgument(name, Role.INOUT, value.dtype.name, value.shape, align_bytes or value.itemsize, value)


def scalar(name: str, value: np.generic) -> ScalarArgument:
    return ScalarArgument(name, value.dtype.name, value.tobytes())


def once(arguments: tuple[Argument, ...], grid: int = 1, block: int = 32) -> ResolvedPlan:
    """One launch of `k` with every argument."""
    return ResolvedPlan((ResolvedLaunch("k", (grid, 1, 1), (block, 1, 1), 0, tuple(a.name for a in arguments)),), ())


def run_request(compiler: Compiler, source: str, *arguments: Argument, grid: int = 1, block: int = 32) -> RunRequest:
    return RunRequest(program(compiler, source, "k"), once(arguments, grid, block), arguments)


def saxpy(compiler: Compiler, count: int) -> tuple[RunRequest, np.ndarray[Any, Any]]:
    x, y = np.arange(count, dtype=np.float32), np.linspace(-1, 1, count, dtype=np.float32)
    arguments = (inout("y", y), inout("x", x), scalar("a", np.float32(2.5)), scalar("n", np.int32(count)))
    return run_request(compiler, SAXPY, *arguments, grid=-(-count // 128), block=128), np.float32(2.5) * x + y


def ran(outcome: object) -> Ran:
    assert isinstance(outcome, Ran), outcome
    return outcome


def fault(outcome: object) -> Fault:
    assert isinstance(outcome, Faulted), outcome
    return outcome.fault


def faulty(body: str) -> str:
    """A kernel with that body on line 2."""
    return f'extern "C" __global__ void k(float* y) {{\n    {body}\n}}\n'


def assert_works(device: EmulatedDevice, compiler: Compiler) -> None:
    assert run_canary(device, compiler) is None


def test_saxpy_equals_numpy(device: EmulatedDevice, compiler: Compiler) -> None:
    request, expected = saxpy(compiler, 1000)
    outcome = ran(device.run(request))
    assert np.allclose(outcome.arrays["y"], expected, rtol=1e-6)
    assert np.array_equal(outcome.arrays["x"], np.arange(1000, dtype=np.float32))
    assert outcome.arrays["y"].flags.writeable


def test_changed_inputs_are_reported_and_inputs_do_not_come_back(device: EmulatedDevice, compiler: Compiler) -> None:
    source = (
        'extern "C" __global__ void k(float* y, float* x, const float* b) '
        "{ y[threadIdx.x] = b[threadIdx.x]; if (threadIdx.x > 29) x[threadIdx.x] += 1; }\n"
    )
    x, b = np.ones(32, np.float32), np.arange(32, dtype=np.float32)
    arguments = (output("y", "float32", 32), replace(inout("x", x), role=Role.IN), replace(inout("b", b), role=Role.IN))
    outcome = ran(device.run(run_request(compiler, source, *arguments)))
    assert outcome.modified == (Modified("x", 4, 30 * 4 + 2),)  # 1.0f and 2.0f differ in two bytes
    assert set(outcome.arrays) == {"y"}
    assert np.array_equal(outcome.arrays["y"], b)


def test_the_device_says_what_it_is(device: EmulatedDevice) -> None:
    assert (device.kind, device.name, device.target.arch) == (DeviceKind.EMULATOR, "emulator:h200", "sm_90")
    assert "latencies are estimates of an NVIDIA H200" in device.description


@pytest.mark.parametrize("poison", [0xFF, 0x7E])
def test_what_is_not_written_keeps_the_poison(device: EmulatedDevice, compiler: Compiler, poison: int) -> None:
    source = 'extern "C" __global__ void k(int* y, int* z) { if (threadIdx.x < 20) y[threadIdx.x] = z[threadIdx.x]; }\n'
    request = run_request(compiler, source, output("y", "int32", 32), output("z", "int32", 32, zeroed=True))
    arrays = ran(device.run(replace(request, poison=poison))).arrays
    assert list(arrays["y"][:20]) == [0] * 20
    assert arrays["y"][20:].tobytes() == bytes([poison]) * 48
    assert not arrays["z"].any()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int8", "uint64", "bool"])
def test_arrays_of_every_kind_come_back(device: EmulatedDevice, compiler: Compiler, dtype: str) -> None:
    width = {1: "char", 2: "short", 4: "int", 8: "long long"}[numpy_dtype(dtype).itemsize]
    source = f'extern "C" __global__ void k({width}* y, {width}* x) {{ y[threadIdx.x] = x[31 - threadIdx.x]; }}\n'
    x = (np.arange(32) % 2 if dtype == "bool" else np.arange(32)).astype(numpy_dtype(dtype)).reshape(4, 8)
    y = ran(device.run(run_request(compiler, source, output("y", dtype, 32), inout("x", x)))).arrays["y"]
    assert y.dtype == x.dtype
    assert np.array_equal(y, x.reshape(-1)[::-1])


def test_an_empty_array_and_a_non_contiguous_one_are_fine(device: EmulatedDevice, compiler: Compiler) -> None:
    source = 'extern "C" __global__ void k(float* e, const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }\n'
    x = np.arange(64, dtype=np.float32).reshape(8, 8).T[:4]
    request = run_request(compiler, source, output("e", "float32", 0), inout("x", x), output("y", "float32", 4, 8))
    arrays = ran(device.run(request)).arrays
    assert arrays["e"].shape == (0,)
    assert np.array_equal(arrays["y"], x)


def test_launches_share_scratch_and_module_variables(device: EmulatedDevice, compiler: Compiler) -> None:
    source = """__device__ int calls = 5;
extern "C" __global__ void first(int* part, int n) { if (threadIdx.x < n) part[threadIdx.x] = threadIdx.x; calls += 1; }
extern "C" __global__ void second(int* y, int* part, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += part[i];
    y[0] = sum; y[1] = calls;
}
"""
    plan = ResolvedPlan(
        (
            ResolvedLaunch("first", (1, 1, 1), (32, 1, 1), 0, ("part", "n")),
            ResolvedLaunch("second", (1, 1, 1), (1, 1, 1), 0, ("y", "part", "n")),
        ),
        (ResolvedScratch("part", "int32", (10,)),),
    )
    arguments = (output("y", "int32", 2), scalar("n", np.int32(10)))
    request = RunRequest(program(compiler, source, "first", "second"), plan, arguments)
    first, again = ran(device.run(request)).arrays["y"], ran(device.run(request)).arrays["y"]
    assert first[0] == 45
    assert list(first) == list(again)
    timing = device.time(TimeRequest(request.program, plan, arguments))
    assert isinstance(timing, Timing)
    assert timing.notes[-1].startswith("counters are those of second")
    assert timing.counted == CountedLaunch("second", 1, 2, blocks_run=1, grid_blocks=1)
    assert timing.terms["launch"] == pytest.approx(2 * device.spec.launch_overhead_us)


def test_an_estimate_says_that_it_is_scaled_from_some_of_the_blocks(device: EmulatedDevice, compiler: Compiler) -> None:
    small, large = (saxpy(compiler, 128 * blocks)[0] for blocks in (32, 1056))
    whole, part = (device.time(TimeRequest(r.program, r.plan, r.arguments)) for r in (small, large))
    assert isinstance(whole, Timing)
    assert isinstance(part, Timing)
    assert (whole.notes, whole.counted) == ((), CountedLaunch("k", 0, 1, 32, 32))
    assert part.counted is not None
    assert 0 < (part.counted.blocks_run or 0) < (part.counted.grid_blocks or 0) == 1056
    (note,) = part.notes
    ran = part.counted.blocks_run
    assert note == f"counts of k are scaled from {ran} of 1056 blocks: a block that differs may be missed."


def test_an_estimate_says_that_it_leaves_out_spills(device: EmulatedDevice, compiler: Compiler) -> None:
    request, _ = saxpy(compiler, 1000)
    spilled = replace(request.program.resources["k"], spill_store_bytes=500, spill_load_bytes=408)
    cramped = replace(request.program, resources={"k": spilled})
    timing = device.time(TimeRequest(cramped, request.plan, request.arguments))
    assert isinstance(timing, Timing)
    assert timing.notes == ("ptxas spills 908 bytes a thread of k, which neither its counts nor its estimate include.",)


@pytest.mark.parametrize("case", FAULTS)
def test_a_faulty_kernel_is_data_and_the_next_run_works(device: EmulatedDevice, compiler: Compiler, case: str) -> None:
    body, kind = FAULTS[case]
    found = fault(device.run(run_request(compiler, faulty(body), output("y", "float32", 64))))
    assert found.kind is kind
    assert kind is FaultKind.UNSUPPORTED or found.line == 2, found
    assert len(found.message) > 20
    assert_works(device, compiler)


def test_a_spin_that_nobody_ends_is_a_deadlock_or_times_out(device: EmulatedDevice, compiler: Compiler) -> None:
    source = faulty("volatile float* flag = y; while (flag[0] != 77.0f) {} y[1] = 1.0f;")
    request = run_request(compiler, source, output("y", "float32", 64, zeroed=True))
    found = fault(device.run(replace(request, time_limit_s=3.0)))
    assert found.kind in (FaultKind.DEADLOCK, FaultKind.TIMEOUT)
    assert_works(device, compiler)


def test_an_endless_kernel_is_stopped_at_its_deadline(device: EmulatedDevice, compiler: Compiler) -> None:
    source = faulty("for (unsigned i = 0; ; i = i * 3 + 1) y[i & 63] = i;")
    started = time.monotonic()
    found = fault(device.run(replace(run_request(compiler, source, output("y", "float32", 64)), time_limit_s=1.5)))
    assert time.monotonic() - started < 10
    assert found.kind is FaultKind.TIMEOUT
    assert found.message == (
        "not finished after 1.5 s in the emulator and stopped. An endless loop, or too much work for one run."
    )
    assert_works(device, compiler)


def test_only_the_promised_alignment_is_given(device: EmulatedDevice, compiler: Compiler) -> None:
    source = faulty("reinterpret_cast<float4*>(y)[threadIdx.x] = make_float4(1, 2, 3, 4);")
    undeclared = run_request(compiler, source, output("y", "float32", 128))
    promised = run_request(compiler, source, replace(output("y", "float32", 128), align_bytes=16))
    assert fault(device.run(undeclared)).kind is FaultKind.MISALIGNED
    assert ran(device.run(promised)).arrays["y"][5] == 2
    assert ran(device.run(replace(undeclared, least_alignment=False))).arrays["y"][5] == 2


def test_parameters_that_do_not_fit_are_a_launch_error(device: EmulatedDevice, compiler: Compiler) -> None:
    request = run_request(compiler, faulty("y[0] = 1;"), output("y", "float32", 4), scalar("n", np.int32(4)))
    found = fault(device.run(request))
    assert found.kind is FaultKind.CONFIG
    assert found.message == (
        "kernel k takes 1 parameter of 8 bytes; the launch passes 2 parameters of 8, 4 bytes. "
        "Make the kernel's parameters those of the workload, in the same order."
    )


@pytest.mark.parametrize("feature", ["cluster", "cooperative"])
def test_launch_features_that_are_not_emulated_are_said(
    device: EmulatedDevice, compiler: Compiler, feature: str
) -> None:
    request = run_request(compiler, faulty("y[0] = 1;"), output("y", "float32", 4))
    changed = {"cluster": {"cluster": (2, 1, 1)}, "cooperative": {"cooperative": True}}[feature]
    plan = ResolvedPlan((replace(request.plan.launches[0], **changed),), ())  # type: ignore[arg-type]
    found = fault(device.run(replace(request, plan=plan)))
    what = {"cluster": "thread block clusters", "cooperative": "cooperative launches"}[feature]
    assert (found.kind, found.message) == (
        FaultKind.UNSUPPORTED,
        f"k: {what} are not emulated. Run this candidate with --device gpu.",
    )


def test_more_memory_than_there_is_is_refused_before_it_is_taken(compiler: Compiler) -> None:
    with EmulatedDevice(load_gpu("h200"), EmulatorOptions(memory_limit_bytes=1000)) as small:
        found = fault(small.run(run_request(compiler, faulty("y[0] = 1;"), output("y", "float32", 1000))))
    assert found.kind is FaultKind.RESOURCES
    assert found.message == (
        "arrays and scratch need 4000 bytes; the emulator has 1000. Use a smaller case here, or run this one with "
        "--device gpu."
    )


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_a_worker_that_crashes_costs_one_run(
    device: EmulatedDevice, compiler: Compiler, caplog: pytest.LogCaptureFixture
) -> None:
    assert_works(device, compiler)
    pid = device.worker_pid
    assert pid is not None
    threading.Timer(0.5, os.kill, (pid, signal.SIGSEGV)).start()
    source = faulty("for (unsigned i = 0; ; i = i * 3 + 1) y[i & 63] = i;")
    found = fault(device.run(run_request(compiler, source, output("y", "float32", 64))))
    assert found.kind is FaultKind.UNSUPPORTED
    assert "the emulator itself ended abnormally on this candidate (exit code -11)" in found.message
    assert "exit code -11" in caplog.text
    assert_works(device, compiler)


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_two_workers_take_two_requests_at_a_time(compiler: Compiler) -> None:
    endless = faulty("for (unsigned i = 0; ; i = i * 3 + 1) y[i & 63] = i;")
    stuck = replace(run_request(compiler, endless, output("y", "float32", 64)), time_limit_s=60.0)
    with EmulatedDevice(load_gpu("h200"), EmulatorOptions(workers=2)) as pair:
        assert_works(pair, compiler)
        first = pair.worker_pid
        assert first is not None
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(pair.run, stuck)
            time.sleep(0.2)
            assert_works(pair, compiler)
            assert not waiting.done()
            os.kill(first, signal.SIGKILL)
            with pytest.raises(InfrastructureError):
                waiting.result()
        assert_works(pair, compiler)


def test_an_estimate_is_repeatable_and_says_of_which_gpu(device: EmulatedDevice, compiler: Compiler) -> None:
    request, _ = saxpy(compiler, 50_000)
    timings = [device.time(TimeRequest(request.program, request.plan, request.arguments)) for _ in range(2)]
    first = timings[0]
    assert isinstance(first, Timing)
    assert first == timings[1]
    assert (first.source, first.gpu, first.uncertainty_ratio) == (TimeSource.ESTIMATED, "NVIDIA H200", 0.15)
    assert first.samples_us == (first.median_us,)
    assert first.median_us >= device.spec.launch_overhead_us
    assert first.binding in first.terms
    assert first.counters["grid_blocks"] == 391
    assert first.counters["global_load_sectors"] == pytest.approx(2 * 50_000 / 8, rel=0.02)


def test_an_estimate_ranks_coalesced_access_before_strided(device: EmulatedDevice, compiler: Compiler) -> None:
    source = """extern "C" __global__ void k(float* y, const float* x, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[(i * step) & 262143];
}
"""
    x = np.zeros(262_144, np.float32)
    times = []
    for step in (1, 33):
        arguments = (output("y", "float32", 262_144), inout("x", x), scalar("step", np.int32(step)))
        request = run_request(compiler, source, *arguments, grid=1024, block=256)
        timing = device.time(TimeRequest(request.program, request.plan, request.arguments))
        assert isinstance(timing, Timing)
        times.append(timing.median_us)
    assert times[0] < times[1]


def test_a_fault_while_estimating_is_data(device: EmulatedDevice, compiler: Compiler) -> None:
    request = run_request(compiler, faulty("y[threadIdx.x + 100000] = 1.0f;"), output("y", "float32", 64))
    assert fault(device.time(TimeRequest(request.program, request.plan, request.arguments))).kind is FaultKind.OOB_WRITE


def test_64_mb_arrive_and_return_quickly(device: EmulatedDevice, compiler: Compiler) -> None:
    source = 'extern "C" __global__ void k(float* y) { y[threadIdx.x] += 1.0f; }\n'
    y = np.zeros(16 * 1024 * 1024, np.float32)
    request = run_request(compiler, source, inout("y", y))
    ran(device.run(request))
    started = time.perf_counter()
    arrays = ran(device.run(request)).arrays
    assert time.perf_counter() - started < 2.0
    assert list(arrays["y"][:33]) == [1.0] * 32 + [0.0]
