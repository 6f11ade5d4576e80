"""Attack kernels (`verification.md` section 7) that a device-only candidate can try on the emulator: none is kept."""

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType

import pytest

from warpwright.candidate.candidate import Candidate, CaseOverride
from warpwright.evaluation.bench import Bench, open_bench
from warpwright.evaluation.outcome import Outcome
from warpwright.evaluation.promotion.baseline import Baseline
from warpwright.workload.model import Workload

Modified = Callable[..., Candidate]
HONEST = "if (i < n) y[i] = a * x[i] + b[i];"

CHEATS = {
    "no work": ("", "wrong_result.unwritten"),
    "zeros": ("if (i < n) y[i] = 0;", "wrong_result.mismatch"),
    "constant near the mean": ("if (i < n) y[i] = 1.5f;", "wrong_result.mismatch"),
    "copy of x": ("if (i < n) y[i] = x[i];", "wrong_result.mismatch"),
    "copy of b": ("if (i < n) y[i] = b[i];", "wrong_result.mismatch"),
    "NaN everywhere": ("if (i < n) y[i] = __int_as_float(-1);", "wrong_result.nonfinite"),
    "half of the work": ("if (i < (n + 1) / 2) y[i] = a * x[i] + b[i];", "wrong_result.unwritten"),
    "every second element": ("if (i < n && i % 2 == 0) y[i] = a * x[i] + b[i];", "wrong_result.unwritten"),
    "last tile dropped": (
        "if (i < n / 256 * 256 || n < 256) if (i < n) y[i] = a * x[i] + b[i];",
        "wrong_result.unwritten",
    ),
    "output read before it is written": ("if (i < n) y[i] += a * x[i] + b[i];", "wrong_result."),
    "no write where the old value looks right": (
        "if (i < n) { float v = a * x[i] + b[i]; if (y[i] != v) y[i] = y[i] > 1e30f ? v : y[i]; }",
        "wrong_result.",
    ),
    "half precision": (
        "if (i < n) y[i] = __half2float(__hfma(__float2half(a), __float2half(x[i]), __float2half(b[i])));",
        "wrong_result.mismatch",
    ),
    "inputs changed so that the answer fits": ("if (i < n) { ((float*)b)[i] = 0; y[i] = a * x[i]; }", "wrong_result."),
    "honest for small cases only": ("if (i < n) y[i] = n > 5000 ? b[i] : a * x[i] + b[i];", "wrong_result.mismatch"),
    "state between launches": (
        "if (i == 0) { y[0] = a * x[0] + b[0]; done = 1; } else " + HONEST,
        "suspicious.writable_global",
    ),
    "cached result": (
        "if (i < n) { if (done && i < 4096) y[i] = kept[i]; else { y[i] = a * x[i] + b[i]; if (i < 4096) kept[i] = y[i]; } }",
        "suspicious.writable_global",
    ),
}
BEFORE = "#include <cuda_fp16.h>\n__device__ int done = 0; __device__ float kept[4096];"


@pytest.mark.parametrize(("body", "label"), CHEATS.values(), ids=CHEATS)
def test_a_cheat_is_never_promotable(bench: Bench, kernel: Modified, body: str, label: str) -> None:
    serial = kernel("if (i == 0) for (int k = 0; k < n; ++k) y[k] = a * x[k] + b[k];")
    incumbent = Baseline(serial, bench.evaluator.evaluate(serial))
    found = bench.evaluator.evaluate(kernel(body, before=BEFORE), against=incumbent)
    assert found.label.startswith(label)
    assert not found.promotable
    assert not found.outcome.correct
    assert found.message


def test_a_held_candidate_shows_its_evidence_and_its_time(bench: Bench, kernel: Modified) -> None:
    found = bench.evaluator.evaluate(kernel("if (i == 0) done = 1; " + HONEST, before=BEFORE))
    assert found.outcome is Outcome.SUSPICIOUS
    assert found.message.startswith(
        "held until a person accepts it: the module has writable global memory (done) that could carry results"
    )
    assert found.geomean_us is not None


def test_half_precision_that_surfs_a_loose_tolerance_is_held(
    make_workload: Callable[..., Workload], kernel: Modified
) -> None:
    body, _ = CHEATS["half precision"]
    loose = make_workload("[tolerance]\nrtol = 1e-3\natol = 3e-3\n")
    with open_bench(loose, "emulator:h200", "a secret") as bench:
        found = bench.evaluator.evaluate(kernel(body, before=BEFORE))
        honest = bench.evaluator.evaluate(kernel())
    assert found.label == "suspicious.low_precision"
    assert not found.promotable
    assert "the kernel computes in less precision than its parameters have (cvt.rn.f16.f32" in found.message
    assert honest.label == "passed"


def test_constant_tables_are_lawful(bench: Bench, kernel: Modified) -> None:
    body = "static const float one[2] = {1.f, 1.f}; if (i < n) y[i] = a * x[i] * one[i & 1] + b[i] * two[i & 1] * 0.5f;"
    found = bench.evaluator.evaluate(kernel(body, before="__constant__ float two[2] = {2.f, 2.f};"))
    assert found.label == "passed"


def test_a_case_whose_launch_skips_its_work_is_caught(bench: Bench, kernel: Modified) -> None:
    candidate = kernel()
    skipping = MappingProxyType({"timed": CaseOverride(grid=("1",), block=("32",))})
    found = bench.evaluator.evaluate(replace(candidate, plan=replace(candidate.plan, overrides=skipping)))
    assert found.label == "wrong_result.unwritten"
    assert found.message == (
        "case timed (n=20000): 19968 of 20000 elements of y were never written (first: y[32]). "
        "Check the grid: 1 blocks of 32 threads cover 32."
    )


def test_a_question_is_held_in_a_verification_without_times_too(bench: Bench, kernel: Modified) -> None:
    body, _ = CHEATS["state between launches"]
    asked = kernel(body, before=BEFORE)
    found = bench.evaluator.verify_only(asked, bench.evaluator.workload.cases[:2], "final", 1)
    assert found.label == "suspicious.writable_global"
    assert found.message.startswith("passed 2 cases with 1 fresh seeds each, but: ")
    assert not found.outcome.correct
    assert not found.promotable
