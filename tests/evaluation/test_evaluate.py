"""An evaluation from end to end: outcomes of correct candidates, screening, per-case points, cases of another device."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import MappingProxyType

import pytest

from warpwright.candidate.candidate import Candidate, CaseOverride
from warpwright.compiler.result import Compiled
from warpwright.device.protocol import TimeSource
from warpwright.evaluation.bench import Bench, open_bench
from warpwright.evaluation.evaluator import EvaluatorOptions
from warpwright.evaluation.outcome import Evaluation, Outcome
from warpwright.evaluation.promotion.baseline import Baseline
from warpwright.workload.model import Workload

Modified = Callable[..., Candidate]
SERIAL = "if (i == 0) for (int k = 0; k < n; ++k) y[k] = a * x[k] + b[k];"


@pytest.fixture(scope="module")
def initial(bench: Bench, kernel: Modified) -> Evaluation:
    return bench.evaluator.evaluate(kernel())


@pytest.fixture(scope="module")
def serial(bench: Bench, kernel: Modified) -> Evaluation:
    return bench.evaluator.evaluate(kernel(SERIAL))


def test_the_initial_kernel_passes_with_an_estimate(initial: Evaluation) -> None:
    assert initial.label == "passed"
    timed = initial.cases[2]
    assert [(case.name, case.passed) for case in initial.cases] == [("one", True), ("ragged", True), ("timed", True)]
    assert timed.timing is not None
    assert timed.timing.source is TimeSource.ESTIMATED
    assert timed.timing.gpu == "NVIDIA H200"
    assert initial.geomean_us == pytest.approx(timed.timing.median_us)
    assert timed.floor_us is not None
    assert timed.floor_us <= timed.timing.median_us
    assert initial.message == f"passed 3 of 3 cases; {timed.timing.median_us:.2f} us (estimated for NVIDIA H200)"
    assert isinstance(initial.compiled, Compiled)
    assert set(initial.seconds) == {"compile", "verify", "time"}


def test_estimates_do_not_change_from_one_evaluation_to_the_next(
    bench: Bench, kernel: Modified, initial: Evaluation
) -> None:
    assert bench.evaluator.evaluate(kernel()).cases == initial.cases


def test_a_copy_of_the_incumbent_is_a_tie(bench: Bench, kernel: Modified, initial: Evaluation) -> None:
    copied = bench.evaluator.evaluate(kernel(), against=Baseline(kernel(), initial))
    assert copied.outcome is Outcome.TIE
    assert copied.speedup == pytest.approx(1.0)


def test_one_thread_for_everything_is_slower_and_its_cure_improves(
    bench: Bench, kernel: Modified, initial: Evaluation, serial: Evaluation
) -> None:
    assert serial.outcome is Outcome.PASSED
    slower = bench.evaluator.evaluate(kernel(SERIAL), against=Baseline(kernel(), initial))
    improved = bench.evaluator.evaluate(kernel(), against=Baseline(kernel(SERIAL), serial))
    assert slower.outcome is Outcome.SLOWER
    assert improved.outcome is Outcome.IMPROVED
    assert improved.speedup is not None
    assert improved.speedup > 2
    assert improved.message.startswith("improved: predicted ")


def test_a_failed_incumbent_is_nothing_to_compare_with(bench: Bench, kernel: Modified) -> None:
    wrong = bench.evaluator.evaluate(kernel("if (i < n) y[i] = 0;"))
    found = bench.evaluator.evaluate(kernel(), against=Baseline(kernel(), wrong))
    assert (found.label, found.speedup) == ("passed", None)


def test_screening_times_perf_cases_without_verifying_them(bench: Bench, kernel: Modified) -> None:
    only_small = kernel("if (i < n && n < 2000) y[i] = a * x[i] + b[i];")
    found = bench.evaluator.evaluate(only_small, screen=True)
    assert found.label == "passed.screened"
    assert found.geomean_us is not None
    assert [case.passed for case in found.cases] == [True, True, None]
    assert not found.promotable
    assert bench.evaluator.evaluate(only_small).label == "wrong_result.unwritten"


def test_screening_still_verifies_check_cases(bench: Bench, kernel: Modified) -> None:
    found = bench.evaluator.evaluate(kernel("if (i < n) y[i] = a;"), screen=True)
    assert found.label == "wrong_result.mismatch"
    assert found.geomean_us is None


def test_stages_are_announced_in_order(bench: Bench, kernel: Modified) -> None:
    stages: list[str] = []
    bench.evaluator.evaluate(kernel(), on_stage=stages.append)
    assert stages == ["plan", "compile", "verify one", "verify ragged", "verify timed", "time timed"]


def test_each_case_is_compiled_with_its_own_point(bench: Bench, kernel: Modified) -> None:
    candidate = kernel('#if BLOCK == 256\n#error "BLOCK is 256"\n#endif\nif (i < n) y[i] = a * x[i] + b[i];')
    overrides = MappingProxyType({"timed": CaseOverride(point=MappingProxyType({"BLOCK": 256}))})
    elsewhere = replace(candidate, plan=replace(candidate.plan, overrides=overrides))
    assert bench.evaluator.evaluate(candidate).label == "passed"
    found = bench.evaluator.evaluate(elsewhere)
    assert found.label == "compile_error.syntax"
    assert "BLOCK is 256" in found.message


@pytest.fixture(scope="module")
def sampling(axpb: Workload) -> Iterator[Bench]:
    options = EvaluatorOptions(sample_gpu_cases=True, seeds_per_case=1)
    with open_bench(axpb, "emulator:h200", "secret", evaluator_options=options) as opened:
        yield opened


def test_a_case_for_the_gpu_is_estimated_but_never_counted(
    sampling: Bench, kernel: Modified, initial: Evaluation
) -> None:
    found = sampling.evaluator.evaluate(kernel(), against=Baseline(kernel(), initial))
    sampled = found.cases[3]
    assert (sampled.name, sampled.passed) == ("large", None)
    assert sampled.message == "not verified here: estimated from sampled blocks, never counted as passed"
    assert sampled.timing is not None
    assert sampled.timing.median_us > 0
    assert found.geomean_us == initial.geomean_us
    assert found.outcome is Outcome.TIE
    assert found.message.startswith(
        "tie: predicted 1.00x is within the estimate's uncertainty of 15%; passed 3 of 3 cases"
    )


def test_hidden_cases_refuse_what_only_fits_the_visible_ones(bench: Bench, kernel: Modified) -> None:
    fitted = kernel("if (i < n && (n == 1 || n % 10 == 0)) y[i] = a * x[i] + b[i];")
    assert bench.evaluator.evaluate(fitted).label == "passed"
    hidden = bench.verify_hidden(fitted)
    assert hidden.label == "wrong_result.unwritten"
    assert bench.verify_hidden(kernel()).label == "passed.verified"
