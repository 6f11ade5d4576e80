"""The reference kernel against the oracle, and the initial kernel as oracle."""

import re
from collections.abc import Callable

import pytest

from warpwright.candidate.candidate import Candidate
from warpwright.errors import WorkloadError
from warpwright.evaluation.bench import open_bench
from warpwright.evaluation.evaluator import EvaluatorOptions
from warpwright.evaluation.outcome import Evaluation
from warpwright.evaluation.second_opinion import second_opinion
from warpwright.workload.arguments import make_arguments
from warpwright.workload.model import Workload

Make = Callable[..., Workload]
REFERENCE_TABLE = """
[reference]
source = "reference.cu"
entry = "reference"
grid = ["ceil_div(n, 64)"]
block = ["64"]
"""
KERNEL_TABLE = '\n[oracle]\nkind = "kernel"\n'


def reference_kernel(expression: str) -> str:
    return (
        'extern "C" __global__ void reference(float* y, const float* x, const float* b, float a, int n) {\n'
        f"    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = {expression};\n}}\n"
    )


def opinion(workload: Workload) -> Evaluation | None:
    options = EvaluatorOptions(seeds_per_case=1)
    with open_bench(workload, "emulator:h200", "secret", evaluator_options=options) as bench:
        return second_opinion(bench.evaluator)


def test_a_reference_kernel_that_agrees_is_a_second_baseline(make_workload: Make) -> None:
    found = opinion(make_workload(REFERENCE_TABLE, {"reference.cu": reference_kernel("fmaf(a, x[i], b[i])")}))
    assert found is not None
    assert found.label == "passed"
    assert found.geomean_us is not None


def test_two_truths_stop_the_run_with_both_values(make_workload: Make) -> None:
    workload = make_workload(REFERENCE_TABLE, {"reference.cu": reference_kernel("a * x[i]")})
    beginning = (
        f"{workload.directory / 'reference.cu'}: the reference kernel and reference.py do not agree (wrong_result."
    )
    with pytest.raises(WorkloadError, match=re.escape(beginning)) as caught:
        opinion(workload)
    assert re.search(r"got -?\d+\.\d+, want -?\d+\.\d+", str(caught.value))


def test_without_a_reference_kernel_there_is_no_opinion(axpb: Workload) -> None:
    assert opinion(axpb) is None


def test_the_initial_kernel_can_be_the_oracle(make_workload: Make, kernel: Callable[..., Candidate]) -> None:
    workload = make_workload(KERNEL_TABLE)
    options = EvaluatorOptions(seeds_per_case=1)
    with open_bench(workload, "emulator:h200", "secret", evaluator_options=options) as bench:
        assert bench.evaluator.evaluate(workload.initial).label == "passed"
        wrong = bench.evaluator.evaluate(kernel("if (i < n) y[i] = a * x[i];"))
    assert wrong.label == "wrong_result.mismatch"


def test_an_initial_kernel_that_fails_cannot_be_the_oracle(make_workload: Make) -> None:
    workload = make_workload(KERNEL_TABLE, {"kernel.cu": "this is not CUDA\n"})
    with open_bench(workload, "emulator:h200", "secret") as bench:
        oracle = bench.evaluator.oracle
        case = workload.case("one")
        beginning = (
            f"{workload.directory / 'kernel.cu'}: case one (n=1): the initial kernel is this workload's oracle, "
            "but it ended in compile_error.syntax: "
        )
        with pytest.raises(WorkloadError, match=re.escape(beginning)):
            oracle.expected(case, make_arguments(workload, case, 1, oracle))
