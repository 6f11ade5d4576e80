"""A workload that the loop goes round in seconds: y = a * x, with a launch plan and one tunable to search."""

from pathlib import Path

KERNEL = """
extern "C" __global__ void scale(float* y, const float* x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
}
"""

REFERENCE = "def reference(x, a):\n    return {'y': a * x}\n"

WORKLOAD = """
name = "tiny"
[dims]
n = "1..4096"
[[params]]
name = "y"
role = "out"
dtype = "float32"
shape = ["n"]
[[params]]
name = "x"
role = "in"
dtype = "float32"
shape = ["n"]
values = "normal(0, 1)"
[[params]]
name = "a"
dtype = "float32"
value = 2.5
[[params]]
name = "n"
dtype = "int32"
value = "n"
[kernel]
entry = "scale"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
[kernel.tunables]
BLOCK = [32, 64, 128]
[[cases]]
name = "ragged"
kind = "check"
dims = { n = 77 }
[[cases]]
name = "one"
kind = "check"
dims = { n = 1 }
[[cases]]
name = "small"
kind = "perf"
dims = { n = 2048 }
"""


def write_tiny(directory: Path, kernel: str = KERNEL) -> Path:
    """The workload directory."""
    directory.mkdir(parents=True)
    (directory / "workload.toml").write_text(WORKLOAD, encoding="utf-8")
    (directory / "kernel.cu").write_text(kernel, encoding="utf-8")
    (directory / "reference.py").write_text(REFERENCE, encoding="utf-8")
    return directory
