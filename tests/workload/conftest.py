"""A small workload on disk, to be changed by each test."""

from collections.abc import Callable
from pathlib import Path

import pytest

WORKLOAD = """\
name = "axpy"

[dims]
n = "1..1000"

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
name = "n"
dtype = "int32"
value = "n"
[[params]]
name = "a"
dtype = "float32"
value = 2.5

[kernel]
entry = "axpy"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
[kernel.tunables]
BLOCK = [64, 128]

[[cases]]
name = "ragged"
kind = "check"
dims = { n = 77 }
scalars = { a = -1.5 }
[[cases]]
name = "long"
kind = "perf"
dims = { n = 1000 }
"""
KERNEL = 'extern "C" __global__ void axpy(float* y, const float* x, int n, float a) {}\n'
REFERENCE = """\
def reference(x, a):
    return {"y": a * x + 1.0}
"""
WriteWorkload = Callable[..., Path]


@pytest.fixture
def write_workload(tmp_path: Path) -> WriteWorkload:
    """Writes the workload with pieces of workload.toml replaced; `reference`, `kernel`: the other files, None = absent."""

    def write(*replacements: tuple[str, str], reference: str | None = REFERENCE, kernel: str = KERNEL) -> Path:
        text = WORKLOAD
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "workload.toml").write_text(text, encoding="utf-8")
        (tmp_path / "kernel.cu").write_text(kernel, encoding="utf-8")
        (tmp_path / "reference.py").unlink(missing_ok=True)
        if reference is not None:
            (tmp_path / "reference.py").write_text(reference, encoding="utf-8")
        return tmp_path

    return write
