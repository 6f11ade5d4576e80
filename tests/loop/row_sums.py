"""A small workload that moves improve many times over on the emulator: the sum of each row, added to its elements."""

from pathlib import Path

KERNEL = """
extern "C" __global__ void shift(float* y, const float* x, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* in = x + (long long)row * cols;
    float* out = y + (long long)row * cols;
    float sum = 0.0f;
    for (int c = 0; c < cols; ++c) sum += in[c];
    for (int c = 0; c < cols; ++c) out[c] = in[c] + sum;
}
"""

FAST = """
extern "C" __global__ void shift(float* y, const float* x, int rows, int cols) {
    __shared__ float sums[4];
    const float* in = x + (long long)blockIdx.x * cols;
    float* out = y + (long long)blockIdx.x * cols;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 128) sum += in[c];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = sums[0] + sums[1] + sums[2] + sums[3];
    for (int c = threadIdx.x; c < cols; c += 128) out[c] = in[c] + sum;
}
"""
"""One block of 128 threads a row."""

FAST_LAUNCH = """
[kernel]
source = "kernel.cu"
entry = "shift"
grid = ["rows"]
block = ["128"]
"""

REFERENCE = """
def reference(x):
    return {"y": x + x.sum(axis=1, keepdims=True)}
"""

WORKLOAD = """
name = "row_sums"
[dims]
rows = "1..512"
cols = "1..2048"
[[params]]
name = "y"
role = "out"
dtype = "float32"
shape = ["rows", "cols"]
[[params]]
name = "x"
role = "in"
dtype = "float32"
shape = ["rows", "cols"]
values = "normal(0, 1)"
[[params]]
name = "rows"
dtype = "int32"
value = "rows"
[[params]]
name = "cols"
dtype = "int32"
value = "cols"
[tolerance]
rtol = 1e-4
atol = 1e-3
[kernel]
entry = "shift"
grid = ["ceil_div(rows, BLOCK)"]
block = ["BLOCK"]
[kernel.tunables]
BLOCK = [64, 32]
[[cases]]
name = "one"
kind = "check"
dims = { rows = 1, cols = 1 }
[[cases]]
name = "ragged"
kind = "check"
dims = { rows = 3, cols = 77 }
[[cases]]
name = "rows64"
kind = "perf"
dims = { rows = 64, cols = 256 }
"""


def write_row_sums(directory: Path) -> Path:
    """The workload directory."""
    directory.mkdir(parents=True)
    (directory / "workload.toml").write_text(WORKLOAD, encoding="utf-8")
    (directory / "kernel.cu").write_text(KERNEL, encoding="utf-8")
    (directory / "reference.py").write_text(REFERENCE, encoding="utf-8")
    return directory


def write_fast(directory: Path, source: str = FAST) -> Path:
    """A candidate directory with one block a row."""
    directory.mkdir(parents=True)
    (directory / "candidate.toml").write_text(FAST_LAUNCH, encoding="utf-8")
    (directory / "kernel.cu").write_text(source, encoding="utf-8")
    return directory
