"""Which binaries count as the same: machine code and launch information decide, lines and names do not."""

import re
import struct
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import Compiled, CompileRequest
from warpwright.evaluation.building.machine_code import code_digest

SOURCE = """extern "C" __global__ void f(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * 3.0f + x[0];
}
"""


@pytest.fixture(scope="module")
def compiler() -> Iterator[Compiler]:
    with Compiler(None) as opened:
        yield opened


def cubin(compiler: Compiler, source: str, defines: dict[str, int] | None = None) -> bytes:
    outcome = compiler.compile(CompileRequest(source, "kernel.cu", "sm_90", ("f",), defines or {}, {}))
    assert isinstance(outcome, Compiled)
    return outcome.cubin


def test_layout_names_and_order_of_factors_do_not_matter(compiler: Compiler) -> None:
    first = cubin(compiler, SOURCE)
    other = re.sub(r"\bi\b", "index", SOURCE).replace("x[index] * 3.0f", "3.0f * x[index]").replace("{\n", "{\n\n\n", 1)
    second = cubin(compiler, other)
    assert first != second
    assert code_digest(first) == code_digest(second)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("3.0f", "4.0f"),
        ("void f", "void __launch_bounds__(64) f"),
        (
            "    if (i < n)",
            "    __shared__ float s[32]; s[threadIdx.x & 31] = x[i]; __syncthreads();\n    if (i < n && s[0] > 0)",
        ),
    ],
)
def test_what_the_gpu_does_matters(compiler: Compiler, old: str, new: str) -> None:
    assert code_digest(cubin(compiler, SOURCE)) != code_digest(cubin(compiler, SOURCE.replace(old, new)))


@given(st.binary(max_size=200))
def test_what_is_no_cubin_is_compared_as_it_is(content: bytes) -> None:
    assert code_digest(content) == code_digest(bytes(content))
    assert code_digest(content) != code_digest(content + b"\0")


@given(st.integers(0, 63), st.integers(0, 255))
def test_a_damaged_header_is_survived(compiler: Compiler, position: int, value: int) -> None:
    damaged = bytearray(cubin_once(compiler))
    damaged[position] = value
    assert len(code_digest(bytes(damaged))) == 64


def test_a_table_beyond_the_end_is_not_read() -> None:
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02", 2, 190, 1, 0, 0, 1 << 40, 0, 64, 0, 0, 64, 9, 1)
    assert code_digest(header) != code_digest(header + b"\0")


_KEPT: list[bytes] = []


def cubin_once(compiler: Compiler) -> bytes:
    """Compiled once for all examples."""
    if not _KEPT:
        _KEPT.append(cubin(compiler, SOURCE))
    return _KEPT[0]
