"""A softmax session of twelve attempts, written through the real record: gains, failures of many kinds, tuning."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from warpwright.candidate.candidate import Candidate, Launch, LaunchPlan
from warpwright.compiler.result import Compiled, CompileFailed, Diagnostic, KernelResources
from warpwright.device.protocol import TimeSource, Timing
from warpwright.evaluation.outcome import CaseEvaluation, Evaluation, Outcome
from warpwright.knowledge.field_guide.guide import guidance_for
from warpwright.profiler.counters import Quality
from warpwright.profiler.diagnosis.finding import (
    AttemptDiagnosis,
    CaseDiagnosis,
    CounterChange,
    Evidence,
    ExpectationCheck,
    Finding,
    Verdict,
)
from warpwright.profiler.profile import Cache, CaseProfile, Counter, HotLine, LaunchCounters, Source
from warpwright.record.attempt import Hypothesis, TuningPoint
from warpwright.record.event import Event
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.record.summary import FinalCheck, Summary
from warpwright.workload.loader import load_workload
from warpwright.workload.model import CaseKind, Workload
from warpwright.workload.values import Comparison, Mismatch

SOFTMAX = Path(__file__).parents[2] / "examples" / "softmax"
WARP_PER_ROW = """#define FULL 0xffffffffu
// One warp per row: lanes stride over the columns, shuffles combine.
extern "C" __global__ void softmax(float* __restrict__ y, const float* __restrict__ x, int rows, int cols) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float* in = x + (long long)row * cols;
    float* out = y + (long long)row * cols;
    float top = -INFINITY;
    for (int c = lane; c < cols; c += 32) top = fmaxf(top, in[c]);
    for (int step = 16; step > 0; step /= 2) top = fmaxf(top, __shfl_xor_sync(FULL, top, step));
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32) sum += expf(in[c] - top);
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(FULL, sum, step);
    for (int c = lane; c < cols; c += 32) out[c] = expf(in[c] - top) / sum; // <script>alert("&")</script>
}
"""
Row = tuple[str, Outcome, str | None, float | None, str]
ROWS: tuple[Row, ...] = (
    ("", Outcome.PASSED, None, 431.0, "every case passed"),
    ("restrict", Outcome.TIE, None, 427.0, "427 us against 431 us: within the estimate's uncertainty of 15 %"),
    ("vectorise", Outcome.COMPILE_ERROR, "syntax", None, 'kernel.cu(9): error: identifier "float5" is undefined'),
    ("share_row_by_warp", Outcome.IMPROVED, None, 61.2, "7.04x the incumbent's speed"),
    (
        "unroll",
        Outcome.WRONG_RESULT,
        "mismatch",
        None,
        "case ragged: 24 of 10087 elements of y are wrong; first y[0, 72]",
    ),
    ("launch_bounds", Outcome.SLOWER, None, 83.0, "83.0 us against 61.2 us"),
    ("share_row_by_block", Outcome.IMPROVED, None, 38.4, "1.59x the incumbent's speed"),
    (
        "vectorise",
        Outcome.CRASH,
        "misaligned",
        None,
        "case odd_row: kernel.cu:12: float4 load at x + 4012 bytes, thread 1",
    ),
    (
        "grid_stride",
        Outcome.LAUNCH_ERROR,
        "shared_memory",
        None,
        "block of 1024 threads needs 260 KiB; sm_90 has 227 KiB",
    ),
    ("swap_axes", Outcome.TIMEOUT, "deadlock", None, "block (3, 0, 0): 32 threads wait at a barrier for ever"),
    ("tuned", Outcome.IMPROVED, None, 21.7, "1.77x the incumbent's speed"),
    ("tuned", Outcome.TIE, None, 21.9, "21.9 us against 21.7 us"),
)
PERF = {"rows512": (1.31, 4.2), "rows2048": (0.76, 3.6)}
"""Case -> its time over the geometric mean, its floor in us."""


@pytest.fixture(scope="session")
def softmax() -> Workload:
    return load_workload(SOFTMAX)


@pytest.fixture
def begin(tmp_path: Path, softmax: Workload) -> Iterator[Callable[[], Session]]:
    """Makes empty sessions on the softmax workload."""
    options = SessionOptions("examples/softmax", iterations=12, time_limit_s=600.0, seed=7, device="emulator:h200")
    opened: list[Session] = []

    def make() -> Session:
        device = "PTX emulator (latencies are estimates of an NVIDIA H200)"
        opened.append(Session.create(tmp_path, softmax, options, {"warpwright": "0.1.0", "nvrtc": "13.3"}, device, 1))
        return opened[-1]

    yield make
    for session in opened:
        session.close()


@pytest.fixture
def fill() -> Callable[..., None]:
    """Writes rows as attempts of a session."""
    return write_attempts


@pytest.fixture
def session(begin: Callable[[], Session]) -> Session:
    """The twelve attempts, ended."""
    session = begin()
    write_attempts(session, ROWS)
    check = FinalCheck(11, passed=True, message="passed hidden cases with fresh seeds")
    session.write_summary(Summary("budget: 12 of 12 attempts used", 11, (check,), 74.2))
    return session


def write_attempts(session: Session, rows: tuple[Row, ...], *, promote: bool = True) -> None:
    """Write one attempt per row, each made from the incumbent."""
    for number, (technique, outcome, reason, us, message) in enumerate(rows, start=1):
        hypothesis = None
        if number > 1:
            text = f"{technique}: each row is read once per warp, so fewer sectors are requested"
            hypothesis = Hypothesis(technique, text, {"global_load_sectors": 0.2, "instructions": 0.9})
        candidate = session.workload.initial if number == 1 else candidate_of(number)
        session.begin(candidate, hypothesis, "builtin", session.incumbent())
        session.emit(Event("proposed", number, technique))
        session.finish(number, evaluation_of(outcome, reason, us, message, number))
        session.emit(Event("finished", number, message))
        if promote and session.incumbent() == number:
            session.promote(number)
    for block in (32, 64, 128):
        session.add_tuning_point(min(7, len(rows)), TuningPoint({"BLOCK": block}, {}, "passed", 20.0 + block / 32))


def candidate_of(number: int) -> Candidate:
    plan = LaunchPlan((Launch("softmax", ("ceil_div(rows * 32, BLOCK)",), ("BLOCK",)),))
    source = WARP_PER_ROW if number > 3 else f"// {number}\n{(SOFTMAX / 'kernel.cu').read_text(encoding='utf-8')}"
    return Candidate(f"{source}// {number}\n", plan, tunables={"BLOCK": (128, 256)}, point={"BLOCK": 256})


def evaluation_of(outcome: Outcome, reason: str | None, us: float | None, message: str, number: int) -> Evaluation:
    if outcome is Outcome.COMPILE_ERROR:
        error = Diagnostic("kernel.cu", 9, "error", 'identifier "float5" is undefined')
        return Evaluation(outcome, reason, message, (), CompileFailed("syntax", message, (error,), "", 0.2), line=9)
    compiled = Compiled(
        "sm_90",
        ".version 8.0\n",
        b"\x7fELF",
        {},
        {"softmax": KernelResources(24, 0, 0, 0, 0)},
        (),
        "",
        "NVRTC",
        0.3,
        cached=False,
    )
    cases = [
        *(_check(name, outcome) for name in ("one", "ragged", "odd_row")),
        *(_perf(name, us, number) for name in PERF),
    ]
    cases += [
        CaseEvaluation(name, CaseKind.PERF, None, message="only on a GPU") for name in ("gpu_rows8192", "gpu_long")
    ]
    seconds = {"compile": 0.3, "verify": 1.1, "time": 0.4}
    line = 12 if outcome is Outcome.CRASH else None
    return Evaluation(outcome, reason, message, tuple(cases), compiled, us, None, seconds, line)


def _check(name: str, outcome: Outcome) -> CaseEvaluation:
    right = Comparison("y", passed=True, margin=0.31, rms_margin=0.1, wrong=0, total=10087, first=())
    if name != "ragged" or outcome.correct:
        return CaseEvaluation(name, CaseKind.CHECK, passed=True, comparisons=(right,))
    first = (Mismatch((0, 72), float("nan"), 0.013), Mismatch((1, 72), 0.0, 0.0125))
    wrong = replace(right, passed=False, margin=float("inf"), wrong=24, first=first, message="24 elements differ")
    return CaseEvaluation(name, CaseKind.CHECK, passed=False, comparisons=(wrong,), message="24 elements of y differ")


def _perf(name: str, us: float | None, number: int) -> CaseEvaluation:
    if us is None:
        return CaseEvaluation(name, CaseKind.PERF, passed=None)
    share, floor_us = PERF[name]
    sectors = 4.2e6 if number < 4 else 0.53e6
    counters = {"global_load_sectors": sectors, "instructions": 9.1e5 / number, "occupancy_theoretical_ratio": 0.5}
    time_us = us * share
    timing = Timing(TimeSource.ESTIMATED, "NVIDIA H200", (time_us,), time_us, 0.15, "dram", {"dram": time_us}, counters)
    return CaseEvaluation(name, CaseKind.PERF, passed=True, timing=timing, floor_us=floor_us, floor_binding="bytes")


def profile_of(case: str, counters: dict[str, float], time_us: float, reason: str | None = None) -> CaseProfile:
    """Counters as the emulator has them: throughputs estimated, the others exact."""
    known = {
        name: Counter(value, Source.EMULATOR, Quality.ESTIMATED if "throughput" in name else Quality.EXACT)
        for name, value in counters.items()
    }
    launch = LaunchCounters(0, "softmax", known)
    return CaseProfile(case, "identity", "emulator", Cache.COLD, (launch,), reason, time_us=time_us)


def case_diagnosis(profile: CaseProfile, *findings: Finding) -> CaseDiagnosis:
    """Of a profile, by hand; one class is left open."""
    return CaseDiagnosis(
        case=profile.case,
        entry="softmax",
        tool=profile.tool,
        estimated=True,
        findings=findings,
        not_evaluated={"barrier": ("stall_barrier_ratio",)},
        at_roof=False,
        time_us=profile.time_us,
        floor_us=4.2,
        floor_binding="bytes",
    )


UNCOALESCED = Finding(
    "uncoalesced",
    0.78,
    (Evidence("global_excess_ratio", 0.78, ">", 0.2),),
    "78 % of the sectors are wasted.",
    4.5,
    (HotLine(7, "global_excess_ratio", 0.78, 0.9, "LDG.E"),),
)
L2_BOUND = Finding("l2_bound", 0.4, (Evidence("l2_throughput_ratio", 0.83, ">=", 0.7),), "L2 works at 83 %.", 5.6)
DRAM_BOUND = Finding("dram_bound", 0.6, (Evidence("dram_throughput_ratio", 0.71, ">=", 0.6),), "DRAM is busy.", 1.3)
NO_HARDWARE = "the emulator ran the case, so hardware counted nothing"
SLOW = {
    "global_excess_ratio": 0.78,
    "dram_throughput_ratio": 0.18,
    "occupancy_theoretical_ratio": 0.5,
    "instructions": 900.0,
}
FAST = {**SLOW, "global_excess_ratio": 0.02, "dram_throughput_ratio": 0.71, "pipe_xu_ratio": 0.0}


@pytest.fixture
def diagnosed(session: Session) -> Session:
    """The twelve attempts; the first, the fourth and the best were profiled, each on both perf cases."""
    for number, counters, found in (
        (1, SLOW, (UNCOALESCED, L2_BOUND)),
        (4, FAST, (DRAM_BOUND,)),
        (11, FAST, (DRAM_BOUND,)),
    ):
        profiles = tuple(profile_of(case, counters, 40.0, NO_HARDWARE) for case in PERF)
        session.write_profiles(number, profiles)
        parent = session.attempt(number).parent
        session.write_diagnosis(
            number,
            AttemptDiagnosis(
                cases=tuple(case_diagnosis(profile, *found) for profile in profiles),
                target_case="rows2048",
                parent=parent,
                incumbent=parent,
                checks=CHECKS if number == 4 else (),
                against_parent=(CounterChange("global_excess_ratio", 0.78, 0.02),) if number == 4 else (),
                verdict=Verdict.BORNE_OUT if number == 4 else Verdict.UNKNOWN,
                compared_case="rows2048",
            ),
        )
        session.write_guidance(number, guidance_for(found[0].bottleneck, counters, "sm_90", found[0].bound))
    return session


CHECKS = (
    ExpectationCheck("global_excess_ratio", 0.1, 0.026, Verdict.BORNE_OUT),
    ExpectationCheck("l1_hit_ratio", 2.0, None, Verdict.UNKNOWN),
)
