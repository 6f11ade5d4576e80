"""Records as a loop would keep them, without running anything: softmax with as many attempts as a test wants."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from warpwright.compiler.result import Compiled, CompileFailed, Diagnostic, KernelResources
from warpwright.device.protocol import TimeSource, Timing
from warpwright.evaluation.outcome import CaseEvaluation, Evaluation, Outcome
from warpwright.hardware import load_gpu
from warpwright.knowledge.field_guide.card import Guidance
from warpwright.profiler.counters import Quality
from warpwright.profiler.diagnosis.finding import (
    AttemptDiagnosis,
    CaseDiagnosis,
    Evidence,
    ExpectationCheck,
    Finding,
    Verdict,
)
from warpwright.profiler.profile import Cache, CaseProfile, Counter, HotLine, LaunchCounters, Source
from warpwright.proposer.protocol import SearchState
from warpwright.record.attempt import Attempt, Hypothesis, TuningPoint
from warpwright.workload.loader import load_workload
from warpwright.workload.model import CaseKind, Workload
from warpwright.workload.values import Comparison, Mismatch

EXAMPLES = Path(__file__).parents[4] / "examples"
COUNTERS = {
    "grid_blocks": 4.0, "duration_ns": 1.5e6, "dram_throughput_ratio": 0.01, "global_excess_ratio": 0.875,
    "global_load_sectors": 6.3e6, "registers_per_thread": 30.0, "l1_hit_ratio": 0.88, "instructions": 2.5e6,
    "model_latency_ratio": 0.7, "waves_per_sm": 0.01, "occupancy_achieved_ratio": 0.06, "issue_active_ratio": 0.05,
    "dram_read_bytes": 8.4e6, "dram_write_bytes": 8.4e6, "spill_bytes": 0.0, "block_threads": 128.0,
    "l2_hit_ratio": 0.9, "shared_wavefronts": 0.0, "flop_fp32": 5e7, "global_store_sectors": 2e6,
}  # fmt: skip
FINDINGS = (
    Finding("grid_too_small", 0.9, (Evidence("grid_blocks", 4.0, "<", 132.0),), "4 blocks cannot occupy 132 SMs.", 33.0),
    Finding(
        "uncoalesced", 0.8, (Evidence("global_excess_ratio", 0.875, ">", 0.3),), "88 % of the sectors are too many.", 2.0,
        (HotLine(11, "global_load_sectors", 4e6, 0.61, "LDG.E"),),
    ),
)  # fmt: skip


def softmax() -> Workload:
    return load_workload(EXAMPLES / "softmax")


def evaluation(
    outcome: Outcome = Outcome.PASSED,
    time_us: float | None = 100.0,
    reason: str | None = None,
    message: str = "",
    cases: Sequence[CaseEvaluation] | None = None,
    compiled: Compiled | CompileFailed | None = None,
    line: int | None = None,
    source: TimeSource = TimeSource.ESTIMATED,
) -> Evaluation:
    if cases is None:
        timing = None if time_us is None else Timing(source, "NVIDIA H200", (time_us,), time_us, 0.15)
        cases = (CaseEvaluation("rows512", CaseKind.PERF, outcome.correct, timing=timing),)
    geomean = time_us if outcome.correct else None
    return Evaluation(outcome, reason, message, tuple(cases), compiled, geomean_us=geomean, line=line)


def diagnosis(checks: Sequence[ExpectationCheck] = (), verdict: Verdict = Verdict.UNKNOWN) -> AttemptDiagnosis:
    case = CaseDiagnosis(
        "rows512", "softmax", "emulator", estimated=True, findings=FINDINGS, not_evaluated={}, at_roof=False,
        time_us=1570.0, floor_us=3.5, floor_binding="bytes",
    )  # fmt: skip
    return AttemptDiagnosis((case,), "rows512", checks=tuple(checks), verdict=verdict)


def profile(subject: str = "x") -> CaseProfile:
    counted = {name: Counter(value, Source.EMULATOR, Quality.EXACT) for name, value in COUNTERS.items()}
    launch = LaunchCounters(0, "softmax", counted)
    return CaseProfile("rows512", subject, "emulator", Cache.COLD, (launch,), missing={"eligible_warps": "not counted"})


def compared(output: str, *first: Mismatch, wrong: int, total: int, message: str = "") -> Comparison:
    """A comparison that failed if anything is wrong."""
    reason = "mismatch" if wrong else None
    return Comparison(output, not wrong, 9.0, 2.0, wrong, total, first, reason, message)


def failed_case(name: str, *comparisons: Comparison, message: str = "") -> CaseEvaluation:
    return CaseEvaluation(name, CaseKind.CHECK, passed=False, comparisons=comparisons, message=message)


def compiled(ptx: str = "", lowered: Mapping[str, str] | None = None) -> Compiled:
    names = lowered or {"softmax": "softmax"}
    resources = {name: KernelResources(30, 0, 0, 0, 0) for name in names}
    return Compiled("sm_90", ptx, b"", names, resources, (), "", "NVRTC in /opt/secret/place", 0.1, cached=False)


def failed(*diagnostics: Diagnostic, log: str = "") -> CompileFailed:
    message = diagnostics[0].message if diagnostics else "failed"
    return CompileFailed("syntax", message, diagnostics, log, 0.1)


@dataclass
class Record:
    """Attempts by number; the first is the initial kernel with a diagnosis and counters."""

    workload: Workload = field(default_factory=softmax)
    incumbent: int = 1
    attempts: list[Attempt] = field(default_factory=list)
    diagnoses: dict[int, AttemptDiagnosis] = field(default_factory=dict)
    guidance: dict[int, Guidance] = field(default_factory=dict)
    tuned: dict[int, Sequence[TuningPoint]] = field(default_factory=dict)
    profiles: dict[int, Sequence[CaseProfile]] = field(default_factory=dict)
    hints: dict[int, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.attempts:
            self.add(evaluation(), hypothesis=None, source=self.workload.initial.source)
            self.diagnoses[1] = diagnosis()
            self.profiles[1] = (profile(),)

    def add(self, result: Evaluation, hypothesis: Hypothesis | None, source: str | None = None, parent: int = 1) -> int:
        number = len(self.attempts) + 1
        text = source if source is not None else f"// attempt {number}\n{self.workload.initial.source}"
        candidate = replace(self.workload.initial, source=text)
        first = hypothesis is None
        proposer = "workload" if first else "openai:test"
        self.attempts.append(Attempt(number, 0 if first else parent, proposer, candidate, hypothesis, result))
        return number

    def state(self) -> SearchState:
        return SearchState(
            self.workload, load_gpu("h200"), tuple(self.attempts), self.incumbent, self.tuned, 0, self.diagnoses,
            self.guidance, self.profiles, self.hints,
        )  # fmt: skip


def grown(count: int) -> SearchState:
    """A session of `count` attempts by a talkative model: failures of every kind, refutations, ever other texts."""
    record = Record()
    kinds = (
        evaluation(Outcome.SLOWER, 120.0),
        evaluation(Outcome.COMPILE_ERROR, None, "syntax", "kernel.cu:3: expected a ';' " * 30, compiled=failed()),
        evaluation(Outcome.WRONG_RESULT, None, "mismatch", "case ragged: y[3]: got 1, want 2; " * 30),
        evaluation(Outcome.IMPROVED, 90.0),
    )
    for index in range(1, count):
        words = f"idea {index} " + "because of many reasons " * 40
        number = record.add(kinds[index % 4], Hypothesis(f"technique {index}", words, {"grid_blocks": 2.0}))
        check = ExpectationCheck("grid_blocks", 2.0, 1.0, Verdict.REFUTED)
        if kinds[index % 4].outcome.correct:
            record.diagnoses[number] = diagnosis((check,), Verdict.REFUTED)
            record.profiles[number] = (profile(),)
        record.hints[number] = [f"hint {n} " * 50 for n in range(9)]
        if kinds[index % 4].outcome is Outcome.IMPROVED:
            record.incumbent = number
    return record.state()
