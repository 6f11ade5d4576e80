"""Which binaries count as the same: machine code and launch information decide, lines and names do not."""

import re
import struct
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.candidate.candidate import Candidate, LaunchPlan
from warpwright.candidate.resolved import ResolvedLaunch, ResolvedPlan
from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import Compiled, CompileRequest
from warpwright.device.protocol import Program
from warpwright.evaluation.building.build import Build
from warpwright.evaluation.building.machine_code import code_digest, machine_identity
from warpwright.evaluation.course import Course
from warpwright.workload.model import Case, CaseKind

SOURCE = """extern "C" __global__ void f(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * 3.0f + x[0];
}
"""


@pytest.fixture(scope="module")
def compiler() -> Iterator[Compiler]:
    with Compiler(None) as opened:
        yield opened


TWO = """__device__ __noinline__ float part(float x, int n) { float s = 0; for (int i = 0; i < n; i++) s += x * i; return s; }
extern "C" __global__ void f(float* y, const float* x, int n) { if (threadIdx.x < n) y[threadIdx.x] = part(x[0], n); }
extern "C" __global__ void g(float* y, const float* x, int n) { __shared__ float s[32]; s[threadIdx.x] = x[0]; y[0] = s[n]; }
"""


def cubin(compiler: Compiler, source: str, entries: tuple[str, ...] = ("f",)) -> bytes:
    outcome = compiler.compile(CompileRequest(source, "kernel.cu", "sm_90", entries, {}, {}))
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


def test_functions_may_have_any_name(compiler: Compiler) -> None:
    renamed = re.sub(r"\bf\(", "row_sums_of_all(", re.sub(r"\bpart\b", "share", TWO))
    first, second = cubin(compiler, TWO, ("f", "g")), cubin(compiler, renamed, ("row_sums_of_all", "g"))
    assert code_digest(first) == code_digest(second)


def test_two_kernels_that_change_places_are_another_program(compiler: Compiler) -> None:
    swapped = re.sub(r"\bQ\(", "g(", re.sub(r"\bg\(", "f(", re.sub(r"\bf\(", "Q(", TWO)))
    course, other = (_launching(cubin(compiler, source, ("f", "g")), "f") for source in (TWO, swapped))
    assert machine_identity(course) != machine_identity(other)
    assert machine_identity(_launching(cubin(compiler, swapped, ("f", "g")), "g")) == machine_identity(course)


def _launching(content: bytes, entry: str) -> Course:
    """A candidate of one case that launches one of two kernels."""
    case = Case("only", CaseKind.CHECK, {}, frozenset(), 0, {})
    launch = ResolvedLaunch(entry, (1, 1, 1), (32, 1, 1), 0, ())
    compiled = Compiled("sm_90", "", content, {"f": "f", "g": "g"}, {}, (), "", "NVRTC", 0.0, cached=False)
    program = Program("", content, "sm_90", compiled.lowered, {}, "kernel.cu")
    plans = {"only": ResolvedPlan((launch,), ())}
    return Course(Candidate("", LaunchPlan(())), [case], plans=plans, built=Build({"only": program}, compiled))


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
