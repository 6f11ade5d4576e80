"""One (case, seed) of one candidate: its runs, and what the checks make of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from warpwright.candidate.resolved import ResolvedPlan
from warpwright.device.measuring import MeasuringDevice
from warpwright.device.protocol import Device, Fault, Faulted, FaultKind, Program, RunRequest
from warpwright.verifier.binding import device_arguments
from warpwright.verifier.checks.stability import UNSTABLE
from warpwright.verifier.evidence import GUARDS, POISONS, Evidence, PoisonedRun, case_text, same_outputs, worst_margin
from warpwright.verifier.fault_text import fault_text
from warpwright.verifier.host_values import HostValues
from warpwright.verifier.registry import CHECKS
from warpwright.verifier.verdict import Finding, Verdict
from warpwright.workload.comparator import compare_case
from warpwright.workload.model import Case


@dataclass(frozen=True, slots=True)
class Draw:
    """Values and placement of one trial."""

    seed: int
    least_alignment: bool


@dataclass(frozen=True, slots=True)
class Subject:
    """What is tried, and where. time_limit_s: wall clock of one run."""

    program: Program
    plan: ResolvedPlan
    case: Case
    values: HostValues
    device: Device
    time_limit_s: float


@dataclass(frozen=True, slots=True)
class _Stopped:
    fault: Fault


class Trial:
    """Runs one subject on one draw of values. Raises, from the start: WorkloadError if the oracle fails."""

    def __init__(self, subject: Subject, draw: Draw) -> None:
        self._subject = subject
        self._draw = draw
        self._case = subject.case
        self._workload = subject.values.workload
        self._values = subject.values.arguments(subject.case, draw.seed)
        self._expected = subject.values.expected(subject.case, self._values)
        on_device = isinstance(subject.device, MeasuringDevice)
        self._arguments = device_arguments(self._workload, self._values, on_device=on_device)
        self._first: PoisonedRun | None = None

    def judge(self, patterns: Sequence[int]) -> Verdict:
        """Run with each pattern of POISONS and GUARDS, by index.

        A single run that fails is run with the other pattern too, and runs that differ again, so that the reason is known.
        """
        runs: list[PoisonedRun] = []
        for pattern in patterns:
            run = self._run(POISONS[pattern], GUARDS[pattern], runs)
            if isinstance(run, _Stopped):
                return self._fault(run.fault)
            runs.append(run)
        self._first = runs[0]
        if len(runs) == 1 and not runs[0].passed:
            return self.judge(range(len(POISONS)))
        if len(runs) == 1 or same_outputs(self._workload, runs[0], runs[1]):
            return self._conclude(tuple(runs), ())
        further: list[PoisonedRun] = []
        for guard in reversed(GUARDS):
            run = self._run(POISONS[0], guard, [*runs, *further])
            if isinstance(run, _Stopped):
                return self._fault(run.fault)
            further.append(run)
            if same_outputs(self._workload, run, runs[0]):
                break
        return self._conclude(tuple(runs), tuple(further))

    def run_again(self, verdict: Verdict) -> Verdict:
        """A passed verdict of `judge` after one more run, whose launch history is another one (V26)."""
        first = self._first
        if first is None:
            raise ValueError(f"{case_text(self._case)}: nothing was run yet that could be compared")
        run = self._run(first.poison, first.guard, [first])
        if isinstance(run, _Stopped):
            return self._fault(run.fault)
        if same_outputs(self._workload, first, run):
            return replace(verdict, deterministic=verdict.deterministic is not False)
        where = case_text(self._case)
        if not run.passed:
            return Verdict("unstable.run_to_run", f"{where}: {UNSTABLE}", run.comparisons, margin=_margin([run]))
        note = f"{where}: results differ between runs, within tolerance"
        return replace(verdict, deterministic=False, notes=tuple(dict.fromkeys((*verdict.notes, note))))

    def _run(self, poison: int, guard: int, earlier: Sequence[PoisonedRun]) -> PoisonedRun | _Stopped:
        workload, subject = self._workload, self._subject
        request = RunRequest(
            program=subject.program,
            plan=subject.plan,
            arguments=self._arguments,
            poison=poison,
            guard=guard,
            time_limit_s=subject.time_limit_s,
            least_alignment=self._draw.least_alignment,
        )
        outcome = subject.device.run(request)
        if isinstance(outcome, Faulted):
            return _Stopped(outcome.fault)
        run = PoisonedRun(poison, outcome.arrays, (), guard, outcome.modified)
        for other in earlier:
            if same_outputs(workload, run, other):
                return replace(run, comparisons=other.comparisons)
        outputs = {a.name: outcome.arrays[a.name] for a in workload.outputs}
        comparisons = compare_case(workload, self._case, outputs, self._expected, subject.values.oracle)
        return replace(run, comparisons=comparisons)

    def _fault(self, fault: Fault) -> Verdict:
        message = fault_text(self._case, fault, self._subject.program)
        if fault.kind is FaultKind.MISALIGNED and self._draw.least_alignment:
            promised = ", ".join(f"{a.name}: {a.align_bytes}" for a in self._workload.arrays)
            message += f" The workload guarantees only these alignments in bytes: {promised}."
        return Verdict(fault.kind.value, message, line=fault.line)

    def _conclude(self, runs: tuple[PoisonedRun, ...], further: tuple[PoisonedRun, ...]) -> Verdict:
        evidence = Evidence(
            self._workload,
            self._case,
            self._draw.seed != self._case.seed,
            self._values,
            self._subject.plan,
            runs,
            other_guard=further[0] if further else None,
            repeat=further[1] if len(further) > 1 else None,
        )
        findings = [finding for check in CHECKS for finding in check.examine(evidence)]
        wrong = [finding for finding in findings if finding.label is not None]
        decisive = next((run for run in runs if not run.passed), runs[0])
        return Verdict(
            outcome=wrong[0].label if wrong else None,
            message=_message(wrong),
            comparisons=decisive.comparisons,
            notes=tuple(finding.message for finding in findings if finding.label is None),
            margin=_margin((*runs, *further)),
            deterministic=False if further else None,
        )


def _margin(runs: Sequence[PoisonedRun]) -> float | None:
    return max((worst_margin(c) for run in runs for c in run.comparisons), default=None)


def _message(wrong: Sequence[Finding]) -> str:
    """The finding that names the outcome, then what else is wrong."""
    if not wrong:
        return ""
    first, *others = wrong
    if first.check == "unwritten":  # such elements also differ between runs and from the oracle: said once
        others = [finding for finding in others if finding.check not in ("stability", "matches_oracle")]
    return " ".join([first.message, *(f"Also {finding.message}" for finding in others)])
