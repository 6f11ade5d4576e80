"""Cubins of the real compiler: the harness's own kernels and a candidate, with misbehaviour chosen by the settings."""

from collections.abc import Callable, Iterator
from importlib import resources

import numpy as np
import pytest

from harness.requests import OWN_KERNELS, Axpb, expected
from harness.wire import Wire
from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import Compiled, CompileRequest

SOURCE = """\
__device__ int launches = 3;
extern "C" __global__ void __launch_bounds__(256) axpb(float* y, const float* x, const float* b, float a, int n) {
    __shared__ float tile[100];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[i % 100] = a;
    if (i == 0) launches++;
    if (i < n) y[i] = tile[i % 100] * x[i] + b[i];
}
extern "C" __global__ void unknown(int* p, char c, double d) { *p = c + static_cast<int>(d); }
"""
SYMBOLS = ("axpb", "unknown")
Serve = Callable[..., Wire]
Compile = Callable[[str], np.ndarray[tuple[int], np.dtype[np.uint8]]]


@pytest.fixture(scope="module")
def compiler() -> Iterator[Compiler]:
    with Compiler(None) as opened:
        yield opened


def cubin(compiler: Compiler, arch: str) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    outcome = compiler.compile(CompileRequest(SOURCE, "kernel.cu", arch, SYMBOLS, defines={}, headers={}))
    assert isinstance(outcome, Compiled)
    return np.frombuffer(outcome.cubin, np.uint8)


def compile_own(compiler: Compiler, arch: str) -> Compiled:
    folder = resources.files("warpwright.device.gpu") / "kernels"
    headers = {e.name: e.read_text(encoding="utf-8") for e in folder.iterdir() if e.name.endswith(".cuh")}
    source = (folder / "harness.cu").read_text(encoding="utf-8")
    outcome = compiler.compile(CompileRequest(source, "harness.cu", arch, OWN_KERNELS, defines={}, headers=headers))
    assert isinstance(outcome, Compiled)
    return outcome


def own_cubin(compiler: Compiler, arch: str) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.frombuffer(compile_own(compiler, arch).cubin, np.uint8)


@pytest.fixture
def start(serve: Serve, compiler: Compiler) -> Serve:
    """A process with both modules loaded from cubins."""

    def begin(**settings: object) -> Wire:
        wire = serve(**settings)
        wire.ask("hello", schema=1, device=0, nonce="n")
        wire.ask("open")
        own = wire.ask("load", own_cubin(compiler, "sm_90"), name="warpwright", symbols=OWN_KERNELS, globals=[])
        assert set(own["kernels"]) == set(OWN_KERNELS)
        return wire

    return begin


def test_own_kernels_and_a_candidate_from_cubins(start: Serve, compiler: Compiler) -> None:
    """The parameters of every own kernel are those that its C++ twin reads: `load` would refuse others."""
    wire = start()
    loaded = wire.ask("load", cubin(compiler, "sm_90"), name="candidate", symbols=SYMBOLS, globals=[])
    assert loaded["kernels"]["axpb"]["static_shared_bytes"] == 400
    assert loaded["kernels"]["axpb"]["max_threads"] == 256
    assert loaded["kernels"]["axpb"]["registers"] > 4
    np.testing.assert_array_equal(wire.ask("run", **Axpb(1000).run()).arrays[0], expected(1000))
    request = Axpb(1000)
    reply = wire.ask("time", **request.time(request.block(keep=[4])))
    np.testing.assert_array_equal(reply.arrays[0], expected(1000, 5))


@pytest.mark.parametrize(("arch", "demotes"), [("sm_75", False), ("sm_80", True), ("sm_90", True)])
def test_priorities_of_l2_are_taken_back_where_the_gpu_has_them(compiler: Compiler, arch: str, demotes: bool) -> None:
    outcome = compile_own(compiler, arch)
    assert ("applypriority.global.L2::evict_normal" in outcome.ptx) is demotes


def test_a_behaviour_is_chosen_by_the_kernels_name(start: Serve, compiler: Compiler) -> None:
    wire = start(kernels={"axpb": {"fault": "illegal_instruction"}})
    wire.ask("load", cubin(compiler, "sm_90"), name="candidate", symbols=SYMBOLS, globals=[])
    assert wire.ask("run", **Axpb(1000).run()).fault["kind"] == "illegal_instruction"


def test_a_cubin_for_another_gpu_is_refused(start: Serve, compiler: Compiler) -> None:
    wire = start()
    reply = wire.ask("load", cubin(compiler, "sm_75"), name="candidate", symbols=SYMBOLS, globals=[])
    assert reply.error["name"] == "CUDA_ERROR_NO_BINARY_FOR_GPU"


def test_a_cubins_launch_bounds_hold(start: Serve, compiler: Compiler) -> None:
    wire = start()
    wire.ask("load", cubin(compiler, "sm_90"), name="candidate", symbols=SYMBOLS, globals=[])
    reply = wire.ask("run", **Axpb(1000, launch={"block": [512, 1, 1]}).run())
    assert reply.fault["kind"] == "launch_resources"
