"""Each kind of failure ends in its own outcome, names the line, and the next evaluation works."""

import re
from collections.abc import Callable, Iterator

import pytest

from warpwright.candidate.candidate import Candidate
from warpwright.evaluation.bench import Bench, open_bench
from warpwright.evaluation.evaluator import EvaluatorOptions
from warpwright.evaluation.outcome import Outcome
from warpwright.workload.model import Workload

Modified = Callable[..., Candidate]
HONEST = "if (i < n) y[i] = a * x[i] + b[i];"
VECTORS = (
    "int q = n / 4; if (i < q) { float4 v = ((const float4*)x)[i]; float4 w = ((const float4*)b)[i]; "
    "((float4*)y)[i] = make_float4(a * v.x + w.x, a * v.y + w.y, a * v.z + w.z, a * v.w + w.w); } "
    "if (i < n % 4) y[4 * q + i] = a * x[4 * q + i] + b[4 * q + i];"
)
ALIGNED = "(((size_t)y | (size_t)x | (size_t)b) % 16 == 0)"

FAULTS = {
    "out of bounds write": (
        "y[i] = a;",
        "wrong_result.oob_write",
        "one (n=1)",
        "out-of-bounds 4-byte write near y of 4 bytes",
    ),
    "out of bounds read": (
        "float v = x[n + i]; if (i < n) y[i] = v;",
        "wrong_result.oob_read",
        "one (n=1)",
        "out-of-bounds 4-byte read near x of 4 bytes: byte 4, 4 past its end",
    ),
    "barrier in divergent code": (
        (
            "__shared__ float s[256]; s[threadIdx.x] = a; if (threadIdx.x < 16) { __syncthreads(); s[threadIdx.x] += 1; } "
            "__syncthreads(); if (i < n) y[i] = s[threadIdx.x] * x[i] + b[i];"
        ),
        "wrong_result.barrier_divergence",
        "one (n=1)",
        "threads of one block wait at different barriers",
    ),
    "misaligned access": (VECTORS, "crash.misaligned", "ragged (n=1000)", "whose address is no multiple of 16"),
    "trap": ("if (i < n) __trap();", "crash.trap", "one (n=1)", "the kernel executed a trap"),
}


@pytest.mark.parametrize(("body", "label", "case", "words"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_named_with_case_and_line(
    bench: Bench, kernel: Modified, body: str, label: str, case: str, words: str
) -> None:
    found = bench.evaluator.evaluate(kernel(body))
    assert (found.label, found.line) == (label, 4)
    place = rf"case {re.escape(case)}: axpb, kernel\.cu:4, block \(\d, 0, 0\), thread \(\d+, 0, 0\): "
    assert re.match(place, found.message)
    assert words in found.message
    assert found.geomean_us is None
    assert bench.evaluator.evaluate(kernel()).outcome is Outcome.PASSED


UNENDING = {
    "endless loop": "volatile int v = 0; while (v == 0) {} if (i < n) y[i] = v;",
    "spin on a flag that nobody sets": "volatile float* f = y; while (f[0] != 3.5f) {} if (i < n) y[i] = a * x[i] + b[i];",
}


@pytest.fixture(scope="module")
def hasty(axpb: Workload) -> Iterator[Bench]:
    with open_bench(axpb, "emulator:h200", "secret", evaluator_options=EvaluatorOptions(time_limit_s=2.0)) as opened:
        yield opened


@pytest.mark.parametrize("body", UNENDING.values(), ids=UNENDING)
def test_what_does_not_end_is_stopped_and_the_next_one_runs(hasty: Bench, kernel: Modified, body: str) -> None:
    found = hasty.evaluator.evaluate(kernel(body))
    assert found.outcome is Outcome.TIMEOUT
    assert found.message.startswith("case one (n=1): ")
    assert hasty.evaluator.evaluate(kernel()).outcome is Outcome.PASSED


WRONG = {
    "unwritten elements": (
        "if (i < n && i < 976) y[i] = a * x[i] + b[i];",
        "wrong_result.unwritten",
        (
            "case ragged (n=1000): 24 of 1000 elements of y were never written (first: y[976]). Check the grid: "
            "grid (8, 1, 1) of block (128, 1, 1) has 1024 threads, enough for one element each: "
            "look at index arithmetic, guards and loop bounds."
        ),
    ),
    "input tampering": (
        "if (i < n) { y[i] = a * x[i] + b[i]; ((float*)x)[i] = 0; }",
        "wrong_result.input_modified",
        (
            "case one (n=1): 4 of 4 bytes of input x were changed (first: x[0]). "
            "Inputs are read only; write to an output or scratch."
        ),
    ),
}


@pytest.mark.parametrize(("body", "label", "message"), WRONG.values(), ids=WRONG)
def test_wrong_work_is_explained(bench: Bench, kernel: Modified, body: str, label: str, message: str) -> None:
    found = bench.evaluator.evaluate(kernel(body))
    assert (found.label, found.message) == (label, message)


def test_a_grid_that_is_too_small_is_said_to_be(bench: Bench, kernel: Modified) -> None:
    found = bench.evaluator.evaluate(kernel(block=("16",), grid=("max((n - 1) // 16 - (n // 1000), 1)",)))
    assert found.label == "wrong_result.unwritten"
    assert found.message == (
        "case ragged (n=1000): 24 of 1000 elements of y were never written (first: y[976]). "
        "Check the grid: 61 blocks of 16 threads cover 976."
    )


def test_a_path_for_aligned_arrays_is_lawful_and_checked_too(bench: Bench, kernel: Modified) -> None:
    guarded = f"if {ALIGNED} {{ {VECTORS} }} else {HONEST}"
    assert bench.evaluator.evaluate(kernel(guarded)).label == "passed"
    wrong_when_aligned = f"if {ALIGNED} {{ if (i < n) y[i] = x[i]; }} else {HONEST}"
    assert bench.evaluator.evaluate(kernel(wrong_when_aligned)).label == "wrong_result.mismatch"
