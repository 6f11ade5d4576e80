"""compute-sanitizer on real hardware: planted faults are found at their lines, clean kernels are clean."""

import os
from collections.abc import Callable, Iterator
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
from warpwright.profiler.sanitizer.check import sanitize
from warpwright.profiler.sanitizer.command import Installed, ask_installed
from warpwright.profiler.sanitizer.locate import find_compute_sanitizer
from warpwright.profiler.sanitizer.options import SanitizerOptions
from warpwright.profiler.sanitizer.report import Tool, ToolResult, Verdict
from warpwright.workload.model import Role

pytestmark = pytest.mark.gpu

COUNT = 4096
HEAD = """template <int N> __global__ void tried(float* y, const float* x, int n) {
    __shared__ float held[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
"""
REST = "    held[t] = x[i];\n    __syncthreads();\n    y[i] = held[255 - t];\n"
KERNELS = {
    "clean": REST,
    "far_write": f"{REST}    if (i == 5) y[n + (1 << 18)] = 1.0f;\n",
    "far_read": REST.replace("= x[i]", "= i == 5 ? x[n + (1 << 18)] : x[i]"),
    "misaligned": "    held[t] = x[i];\n    y[i] = *(const float*)((const char*)held + 4 * t + (i == 5 ? 2 : 0));\n",
    "race": REST.replace("    __syncthreads();\n", ""),
    "unwritten": REST.replace("held[t] =", "if (t != 9) held[t] ="),
    "divergent": REST.replace("    __sync", "    if (t % 32 < 7) __sync").replace("255 - t", "t"),
}
FAULTS = [
    (Tool.MEMCHECK, "far_write", "wrong_result.oob_write", {7}),
    (Tool.MEMCHECK, "far_read", "wrong_result.oob_read", {4}),
    (Tool.MEMCHECK, "misaligned", "crash.misaligned", {5}),
    (Tool.RACECHECK, "race", "unstable.race", {4, 5}),
    (Tool.INITCHECK, "unwritten", "wrong_result.uninitialised_read", {6}),
    (Tool.SYNCCHECK, "divergent", "wrong_result.barrier_divergence", {5}),
]


@pytest.fixture(scope="module")
def compiler(gpu: Device) -> Iterator[Compiler]:
    with Compiler(bench_options().cache_directory, environment().nvrtc, newest=gpu.target.cuda) as opened:
        gpu.prepare(opened)
        yield opened


@pytest.fixture(scope="module")
def gpu(device: str) -> Iterator[Device]:
    found = find_compute_sanitizer(environment().compute_sanitizer)
    if isinstance(found, str):
        pytest.skip(found)
    opened = open_device(device, device_options())
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def options(gpu: Device, tmp_path_factory: pytest.TempPathFactory) -> frozenset[str]:
    """Those that the installed version has."""
    program = find_compute_sanitizer(environment().compute_sanitizer)
    assert isinstance(program, Path), program
    installed = ask_installed(program, os.environ, tmp_path_factory.mktemp("help"))
    assert isinstance(installed, Installed), installed
    return installed.options


def request(gpu: Device, compiler: Compiler, kernel: str) -> RunRequest:
    asked = CompileRequest(
        f"{HEAD}{KERNELS[kernel]}}}\n", "kernel.cu", gpu.target.arch, ("tried<3>",), defines={}, headers={}
    )
    built = compiler.compile(asked)
    assert isinstance(built, Compiled), built
    program = Program(built.ptx, built.cubin, built.arch, built.lowered, built.resources, "kernel.cu")
    launch = ResolvedLaunch("tried<3>", (COUNT // 256, 1, 1), (256, 1, 1), 0, ("y", "x", "n"))
    arguments = (
        ArrayArgument("y", Role.OUT, "float32", (COUNT,), 4, None),
        ArrayArgument("x", Role.IN, "float32", (COUNT,), 4, np.arange(COUNT, dtype=np.float32)),
        ScalarArgument("n", "int32", np.int32(COUNT).tobytes()),
    )
    return RunRequest(program, ResolvedPlan((launch,), ()), arguments)


Said = Callable[..., tuple[tuple[ToolResult, ...], str]]


@pytest.fixture
def said(gpu: Device, compiler: Compiler, tmp_path: Path) -> Said:
    """Results of the tools, and all that they wrote, for the message of a failure."""

    def make(kernel: str, *tools: Tool) -> tuple[tuple[ToolResult, ...], str]:
        assert isinstance(gpu, RunOnceDevice)
        options = SanitizerOptions(environment().compute_sanitizer, tools or tuple(Tool), keep=tmp_path / "kept")
        report = sanitize(gpu, request(gpu, compiler, kernel), options)
        assert report.tools, report.reason
        wrote = [path.read_text(encoding="utf-8", errors="replace")[:6000] for path in (tmp_path / "kept").iterdir()]
        return report.tools, "\n".join([str(report.tools), *wrote])

    return make


def test_a_clean_kernel_is_clean_under_every_tool(said: Said) -> None:
    results, wrote = said("clean")
    assert [(result.verdict, result.findings) for result in results] == [(Verdict.CLEAN, ())] * 4, wrote


@pytest.mark.parametrize(("tool", "kernel", "label", "lines"), FAULTS, ids=[kernel for _, kernel, _, _ in FAULTS])
def test_a_planted_fault_is_found_at_its_line(
    said: Said, options: frozenset[str], tool: Tool, kernel: str, label: str, lines: set[int]
) -> None:
    if tool is Tool.INITCHECK and "--initcheck-address-space" not in options:
        pytest.skip("this version of initcheck does not look at shared memory")
    (result,), wrote = said(kernel, tool)
    assert result.verdict is Verdict.FOUND, wrote
    first = result.findings[0]
    assert (first.label, first.entry) == (label, "tried<3>"), wrote
    assert first.line in lines, wrote
    assert tool is Tool.RACECHECK or first.thread is not None, wrote


def test_every_fault_is_the_business_of_its_tool(said: Said) -> None:
    (result,), wrote = said("race", Tool.MEMCHECK)
    assert result.verdict is Verdict.CLEAN, wrote
