"""A small workload, and evaluations of every kind for it, as an evaluator would make them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from warpwright.candidate.candidate import Candidate, Launch, LaunchPlan
from warpwright.compiler.result import Compiled, CompileFailed, Diagnostic, KernelResources
from warpwright.device.protocol import CountedLaunch, TimeSource, Timing
from warpwright.evaluation.outcome import CaseEvaluation, Evaluation, Outcome
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.workload.loader import load_workload
from warpwright.workload.model import CaseKind, Workload
from warpwright.workload.values import Comparison, Mismatch

WORKLOAD = """
name = "double"
summary = "Twice the input"
[dims]
n = "1..100000"
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
[kernel]
source = "kernel.cu"
entry = "twice"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
[kernel.tunables]
BLOCK = [128, 256]
[[cases]]
name = "ragged"
kind = "check"
dims = { n = 1000 }
[[cases]]
name = "large"
kind = "perf"
dims = { n = 65536 }
"""
KERNEL = """extern "C" __global__ void twice(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
}
"""
REFERENCE = "def reference(x, n):\n    return {'y': 2 * x}\n"


@pytest.fixture
def workload(tmp_path: Path) -> Workload:
    directory = tmp_path / "double"
    directory.mkdir()
    (directory / "workload.toml").write_text(WORKLOAD, encoding="utf-8")
    (directory / "kernel.cu").write_text(KERNEL, encoding="utf-8")
    (directory / "reference.py").write_text(REFERENCE, encoding="utf-8")
    return load_workload(directory)


@pytest.fixture
def create(tmp_path: Path, workload: Workload) -> Iterator[Callable[[], Session]]:
    options = SessionOptions(workload_path="double", iterations=7, time_limit_s=60.0, seed=3)
    with ExitStack() as stack:
        yield lambda: stack.enter_context(
            Session.create(tmp_path / "sessions", workload, options, {"warpwright": "0.1.0"}, "PTX emulator", 1)
        )


@pytest.fixture
def session(create: Callable[[], Session]) -> Session:
    return create()


def candidate_of(number: int) -> Candidate:
    plan = LaunchPlan((Launch("twice", ("ceil_div(n, BLOCK)",), ("BLOCK",)),))
    return Candidate(f"// candidate {number}\n{KERNEL}", plan, tunables={"BLOCK": (128, 256)}, point={"BLOCK": 256})


def passing(outcome: Outcome, us: float) -> Evaluation:
    compiled = Compiled(
        arch="sm_90",
        ptx=f"// {us}\n.version 8.0\n",
        cubin=bytes(range(256)),
        lowered={"twice": "twice"},
        resources={"twice": KernelResources(12, 0, 0, None, None)},
        diagnostics=(Diagnostic("kernel.cu", 2, "warning", "unused"),),
        log="1 warning",
        compiler="NVRTC 13.3",
        seconds=0.2,
        cached=False,
    )
    timing = Timing(
        TimeSource.ESTIMATED,
        "NVIDIA H200",
        (us,),
        us,
        0.15,
        "dram",
        {"dram": us},
        {"instructions": 1e5},
        ("sampled",),
        counted=CountedLaunch("twice", 0, 1),
    )
    close = Comparison("y", passed=True, margin=0.25, rms_margin=0.1, wrong=0, total=1000, first=())
    cases = (
        CaseEvaluation("ragged", CaseKind.CHECK, passed=True, comparisons=(close,)),
        CaseEvaluation("large", CaseKind.PERF, passed=True, timing=timing, floor_us=1.5, floor_binding="dram bytes"),
    )
    return Evaluation(outcome, None, "every case passed", cases, compiled, us, None, {"compile": 0.2, "verify": 0.5})


def wrong() -> Evaluation:
    first = (Mismatch((7,), float("nan"), float("-inf")), Mismatch((8,), 0.0, 1.5))
    comparison = Comparison(
        "y",
        passed=False,
        margin=float("inf"),
        rms_margin=3.0,
        wrong=24,
        total=1000,
        first=first,
        reason="nonfinite",
        message="24 of 1000 elements are wrong",
    )
    cases = (
        CaseEvaluation(
            "ragged", CaseKind.CHECK, passed=False, comparisons=(comparison,), message="case ragged: y[7] is nan"
        ),
        CaseEvaluation("large", CaseKind.PERF, None),
    )
    return Evaluation(Outcome.WRONG_RESULT, "nonfinite", "case ragged: y[7] is nan", cases, None, line=3)


def uncompiled() -> Evaluation:
    error = Diagnostic("kernel.cu", 4, "error", 'identifier "z" is undefined')
    failed = CompileFailed("syntax", 'kernel.cu(4): identifier "z" is undefined', (error,), "log", 0.1)
    return Evaluation(Outcome.COMPILE_ERROR, "syntax", failed.message, (), failed)


EVALUATIONS = (
    passing(Outcome.PASSED, 20.0),
    uncompiled(),
    passing(Outcome.IMPROVED, 12.0),
    wrong(),
    passing(Outcome.SLOWER, 30.0),
    passing(Outcome.IMPROVED, 9.0),
    passing(Outcome.TIE, 9.1),
)


@pytest.fixture
def script() -> list[tuple[Candidate, Evaluation]]:
    """Candidates with their outcomes, as a search would meet them; the last incumbent is number 6."""
    return [(candidate_of(number), evaluation) for number, evaluation in enumerate(EVALUATIONS, start=1)]
