"""Which loops may be shared out among threads, and the reason where they may not."""

import pytest

from warpwright.candidate.analysis.kernel import read_kernel
from warpwright.candidate.analysis.loops import counted_loop
from warpwright.candidate.analysis.sharing import shareable
from warpwright.candidate.source import parse_source
from warpwright.candidate.source_nodes import of_type

FUNCTIONS = "__device__ void add(float& a, float b) { a += b; } __device__ float f(const float& a) { return a; } "
ROWS = [
    ("y[c] = x[c];", None),
    ("y[r * n + c] = f(x[c]);", None),
    ("y[c] += x[c];", None),
    ("atomicAdd(&y[(int)x[c]], 1.0f);", None),
    ("for (int k = 0; k < 3; ++k) s += x[c * 3 + k];", None),
    ("if (x[c] < 0) continue; s += x[c];", None),
    ("y[0] = x[c];", "iterations of the loop may write the same element of 'y'"),
    ("y[c / 2] = x[c];", "iterations of the loop may write the same element of 'y'"),
    ("int j = x[c]; y[c + j] = 1;", "iterations of the loop may write the same element of 'y'"),
    ("y[c] = y[c + 1];", "'y' is read and written at different places in the loop"),
    ("y[c] = 0; y[n - c] = 1;", "'y' is written at two places in the loop"),
    ("y[(int)x[c]] = 1;", "iterations of the loop may write the same element of 'y'"),
    ("int old = atomicAdd(&y[0], 1.0f); y[c] = old;", "the result of an atomic is used"),
    ("g(y + c);", "the address of 'y' is passed on"),
    ("local[c] = x[c];", "the loop writes to local array 'local'"),
    ("if (x[c] > 3) break;", "the loop has a break"),
    ("if (x[c] > 3) return;", "the loop has a return"),
    ("s += __shfl_xor_sync(~0u, x[c], 1);", "it calls __shfl_xor_sync"),
    ("add(s, x[c]);", "add may change its arguments"),
    ("float& t = s; t += x[c];", "the loop uses references or lambdas"),
    ("for (;;) { break; } y[c] = x[c];", None),
]


@pytest.mark.parametrize(("body", "reason"), ROWS, ids=[row[0] for row in ROWS])
def test_loops(body: str, reason: str | None) -> None:
    loop_text = f"for (int c = 0; c < n; ++c) {{ {body} }}"
    text = (
        FUNCTIONS
        + f"__global__ void k(const float* x, float* y, int n, int r) {{ float s = 0, local[4]; {loop_text} }}"
    )
    kernel = read_kernel(parse_source(text), "k", ())
    loop = counted_loop(next(of_type(kernel.function.body, "for_statement")))
    assert loop is not None
    found = shareable(kernel, loop)
    assert (found if isinstance(found, str) else None) == reason
