"""Code for lesser CPUs than this one gives the same bits: AVX2, and nothing beyond the x86-64 baseline."""

import numpy as np
import pytest

from emulator.jit.launching import Setting, compile_cuda, graph_of, launch
from warpwright.emulator.jit import Jit, native
from warpwright.emulator.jit.codegen.target import HostCpu

AVX2 = HostCpu("haswell", "", has_f16c=True, has_masked_stores=False, vector_bits=256)
BASELINE = HostCpu("x86-64", "", has_f16c=False, has_masked_stores=False, vector_bits=128)

SOURCE = """#include <cuda_fp16.h>
extern "C" __global__ void mixed(const float* x, const short* s, float* y, unsigned* bins, int n) {
    __shared__ float tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    tile[threadIdx.x] = fmaf(v, v, 0.1f) + __half2float(__float2half(v));
    __syncthreads();
    float w = tile[63 - threadIdx.x] + rintf(v * 10) + floorf(v) + sqrtf(fabsf(v)) + (s[i % 64] / 7) * (s[i % 64] % 5);
    for (int o = 16; o; o >>= 1) w += __shfl_xor_sync(~0u, w, o);
    if (i < n) { y[i] = w; atomicAdd(&bins[i % 3], 1u); }
}"""


@pytest.mark.skipif(not native.host_cpu().name or native.host_cpu().vector_bits < 256, reason="needs AVX2 to run")
@pytest.mark.parametrize("cpu", [AVX2, BASELINE], ids=lambda cpu: cpu.name)
def test_same_result_as_the_host_cpu(cpu: HostCpu) -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=500).astype(np.float32)
    s = random.integers(-3000, 3000, 64).astype(np.int16)
    arguments = x, s, np.zeros(500, np.float32), np.zeros(3, np.uint32), 500
    graph = graph_of(compile_cuda(SOURCE))
    setting = Setting((8, 1, 1), (64, 1, 1))
    expected, actual = (launch(Jit(graph, cpu=target), graph, arguments, setting) for target in (None, cpu))
    for one, other in zip(expected.arrays, actual.arrays, strict=True):
        assert one.tobytes() == other.tobytes()
    assert np.array_equal(expected.report.counts.memory, actual.report.counts.memory)
    assert expected.arrays[3].tolist() == [167, 167, 166]
