"""Whole CUDA kernels through NVRTC and the LLVM executor, against NumPy."""

import struct

import numpy as np
import pytest

from emulator.jit.launching import Array, Launched, Setting, compile_cuda, graph_of, launch_on_both


def run(source: str, *arguments: Array | int | float, setting: Setting) -> Launched:
    graph = graph_of(compile_cuda(source))
    launched = launch_on_both(graph, arguments, setting)
    assert launched.report.fault is None
    return launched


def random(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def test_saxpy_with_a_ragged_end() -> None:
    source = """extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = a * x[i] + y[i];
    }"""
    x, y = random(1000), random(1000, seed=1)
    launched = run(source, 1000, 2.5, x, y, setting=Setting((4, 1, 1), (256, 1, 1)))
    exact = 2.5 * x.astype(np.float64) + y
    assert np.array_equal(launched.arrays[1], exact.astype(np.float32))
    counts = launched.report.counts
    assert counts.memory[0].tolist() == [32, 1000, 125, 32, 32, 0, 0]


def test_matmul_naive() -> None:
    source = """extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
        int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
        if (row >= n || col >= n) return;
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
        c[row * n + col] = sum;
    }"""
    n = 50
    a, b = random(n, n), random(n, n, seed=1)
    launched = run(source, a, b, np.zeros((n, n), np.float32), n, setting=Setting((4, 4, 1), (16, 16, 1)))
    np.testing.assert_allclose(launched.arrays[2], a @ b, rtol=1e-4, atol=1e-5)


def test_matmul_tiled_in_shared_memory() -> None:
    source = """extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
        __shared__ float ta[16][16], tb[16][16];
        int ty = threadIdx.y, tx = threadIdx.x, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
        float sum = 0;
        for (int k0 = 0; k0 < n; k0 += 16) {
            ta[ty][tx] = a[row * n + k0 + tx];
            tb[ty][tx] = b[(k0 + ty) * n + col];
            __syncthreads();
            for (int k = 0; k < 16; ++k) sum += ta[ty][k] * tb[k][tx];
            __syncthreads();
        }
        c[row * n + col] = sum;
    }"""
    n = 64
    a, b = random(n, n), random(n, n, seed=1)
    launched = run(source, a, b, np.zeros((n, n), np.float32), n, setting=Setting((4, 4, 1), (16, 16, 1)))
    np.testing.assert_allclose(launched.arrays[2], a @ b, rtol=1e-4, atol=1e-5)
    assert launched.report.counts.barriers == 16 * 8 * 8


def test_softmax_with_shuffles() -> None:
    source = """extern "C" __global__ void softmax(const float* x, float* y, int cols) {
        const float* row = x + blockIdx.x * cols;
        float best = -3e38f, sum = 0;
        for (int i = threadIdx.x; i < cols; i += 32) best = fmaxf(best, row[i]);
        for (int o = 16; o; o >>= 1) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
        for (int i = threadIdx.x; i < cols; i += 32) sum += __expf(row[i] - best);
        for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(~0u, sum, o);
        sum = __shfl_sync(~0u, sum, 0);
        for (int i = threadIdx.x; i < cols; i += 32) y[blockIdx.x * cols + i] = __expf(row[i] - best) / sum;
    }"""
    x = random(20, 75)
    launched = run(source, x, np.zeros_like(x), 75, setting=Setting((20, 1, 1), (32, 1, 1)))
    exact = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(launched.arrays[1], exact / exact.sum(1, keepdims=True), rtol=1e-5)


def test_block_sum_in_dynamic_shared_memory_and_float_atomics() -> None:
    source = """extern "C" __global__ void total(const float* x, float* out, int n) {
        extern __shared__ float part[];
        float sum = 0;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
        part[threadIdx.x] = sum;
        __syncthreads();
        for (int o = blockDim.x / 2; o > 0; o >>= 1) {
            if (threadIdx.x < o) part[threadIdx.x] += part[threadIdx.x + o];
            __syncthreads();
        }
        if (threadIdx.x == 0) atomicAdd(out, part[0]);
    }"""
    x = np.arange(3000, dtype=np.float32)
    launched = run(source, x, np.zeros(1, np.float32), 3000, setting=Setting((3, 1, 1), (128, 1, 1), 512))
    assert launched.arrays[1][0] == x.sum(dtype=np.float64)


def test_transpose_counts_bank_conflicts() -> None:
    source = """extern "C" __global__ void transpose(const float* x, float* y, int n) {
        __shared__ float tile[32][32 + PAD];
        int bx = blockIdx.x * 32, by = blockIdx.y * 32;
        for (int j = threadIdx.y; j < 32; j += 8) tile[j][threadIdx.x] = x[(by + j) * n + bx + threadIdx.x];
        __syncthreads();
        for (int j = threadIdx.y; j < 32; j += 8) y[(bx + j) * n + by + threadIdx.x] = tile[threadIdx.x][j];
    }"""
    x = random(64, 64)
    for pad, conflicts in ((0, 31), (1, 0)):
        padded = source.replace("PAD", str(pad))
        launched = run(padded, x, np.zeros_like(x), 64, setting=Setting((2, 2, 1), (32, 8, 1)))
        assert np.array_equal(launched.arrays[1], x.T)
        assert launched.report.counts.memory[:, 5].sum() == conflicts * 128


def test_histogram_with_shared_atomics() -> None:
    source = """extern "C" __global__ void histogram(const unsigned char* x, unsigned* out, int n) {
        __shared__ unsigned bins[256];
        bins[threadIdx.x] = 0;
        __syncthreads();
        for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&bins[x[i]], 1u);
        __syncthreads();
        atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
    }"""
    x = np.random.default_rng(3).integers(0, 256, 5000).astype(np.uint8)
    launched = run(source, x, np.zeros(256, np.uint32), 5000, setting=Setting((3, 1, 1), (256, 1, 1)))
    assert np.array_equal(launched.arrays[1], np.bincount(x, minlength=256))


def test_divergence_with_early_exit_and_a_switch() -> None:
    source = """extern "C" __global__ void collatz(int* out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        int steps = 0;
        for (long long x = i + 1; x != 1; ++steps) {
            if (x & 1) x = 3 * x + 1; else x >>= 1;
            if (steps > 500) return;
        }
        switch (steps & 3) { case 0: steps = -steps; break; case 1: steps *= 3; break; case 2: steps ^= 5; }
        out[i] = steps;
    }"""

    def collatz(x: int) -> int:
        steps = 0
        while x != 1:
            x, steps = (3 * x + 1 if x & 1 else x >> 1), steps + 1
        return (-steps, steps * 3, steps ^ 5, steps)[steps & 3]

    launched = run(source, np.zeros(100, np.int32), 100, setting=Setting((1, 1, 1), (128, 1, 1)))
    assert launched.arrays[0].tolist() == [collatz(i + 1) for i in range(100)]


def test_local_arrays_constants_and_64_bit_division() -> None:
    source = """__constant__ int order[8];
    extern "C" __global__ void sorted(const int* x, long long* y) {
        int i = threadIdx.x, a[8];
        for (int k = 0; k < 8; ++k) a[k] = x[i * 8 + k];
        for (int k = 1; k < 8; ++k) {
            int v = a[k], j = k - 1;
            while (j >= 0 && a[j] > v) { a[j + 1] = a[j]; --j; }
            a[j + 1] = v;
        }
        for (int k = 0; k < 8; ++k) y[i * 8 + k] = (1LL << 40) / (long long)(a[order[k]] * 3 + 1);
    }"""
    x = np.random.default_rng(5).integers(-1000, 1000, (64, 8)).astype(np.int32)
    order = np.array([7, 0, 6, 1, 5, 2, 4, 3], np.int32)
    constants = (("order", struct.pack("<8i", *order)),)
    setting = Setting((1, 1, 1), (64, 1, 1), constants=constants)
    launched = run(source, x, np.zeros((64, 8), np.int64), setting=setting)
    divisor = np.sort(x, axis=1)[:, order].astype(np.int64) * 3 + 1
    assert np.array_equal(launched.arrays[1], np.trunc((1 << 40) / divisor).astype(np.int64))


def test_vector_and_half_accesses() -> None:
    source = """#include <cuda_fp16.h>
    extern "C" __global__ void scale(const float4* x, float4* y, const __half2* h, __half2* g, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        float4 v = x[i];
        y[i] = make_float4(v.w, v.z, v.y, v.x);
        g[i] = __hmul2(h[i], __float2half2_rn(3.0f));
    }"""
    x, h = random(70, 4), random(70, 2, seed=2).astype(np.float16)
    launched = run(source, x, np.zeros_like(x), h, np.zeros_like(h), 70, setting=Setting((3, 1, 1), (32, 1, 1)))
    assert np.array_equal(launched.arrays[1], x[:, ::-1])
    assert np.array_equal(launched.arrays[3], (h.astype(np.float32) * 3).astype(np.float16))


@pytest.mark.parametrize("threads", [32, 96, 1024])
def test_spin_lock_in_one_block(threads: int) -> None:
    source = """extern "C" __global__ void lock(int* state, int* sum) {
        bool done = false;
        while (!done) {
            if (atomicCAS(state, 0, 1) == 0) {
                *(volatile int*)sum = *(volatile int*)sum + (int)threadIdx.x;
                __threadfence();
                atomicExch(state, 0);
                done = true;
            }
        }
    }"""
    arrays = np.zeros(1, np.int32), np.zeros(1, np.int32)
    launched = run(source, *arrays, setting=Setting((1, 1, 1), (threads, 1, 1)))
    assert launched.arrays[1][0] == threads * (threads - 1) // 2


def test_a_warp_waits_for_a_flag_of_another() -> None:
    source = """extern "C" __global__ void relay(int* out) {
        __shared__ volatile int flag;
        if (threadIdx.x == 0) { while (flag == 0) {} out[0] = flag; }
        if (threadIdx.x == 32) flag = 7;
    }"""
    launched = run(source, np.zeros(1, np.int32), setting=Setting((1, 1, 1), (64, 1, 1)))
    assert launched.arrays[0][0] == 7
