"""One (case, seed) of one candidate: its runs, and what the checks make of them."""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from warpwright.candidate.resolved import ResolvedPlan
from warpwright.device.measuring import MeasuringDevice
from warpwright.device.protocol import Device, Fault, Faulted, FaultKind, Program, RunOutcome, RunRequest
from warpwright.verifier.binding import device_arguments
from warpwright.verifier.checks.stability import UNSTABLE
from warpwright.verifier.evidence import GUARDS, POISONS, Evidence, PoisonedRun, case_text, same_outputs, worst_margin
from warpwright.verifier.fault_text import fault_text
from warpwright.verifier.host_values import HostValues
from warpwright.verifier.registry import CHECKS
from warpwright.verifier.runs_ahead import RunsAhead
from warpwright.verifier.verdict import Finding, Verdict
from warpwright.workload.comparison.comparator import compare_case
from warpwright.workload.model import Case


@dataclass(frozen=True, slots=True)
class Draw:
    """Values and placement of one trial. patterns: of POISONS and GUARDS, by index, with which it is run at first."""

    seed: int
    least_alignment: bool
    patterns: tuple[int, ...]


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


@dataclass(frozen=True, slots=True)
class _Compared:
    """twin: the first earlier run whose outputs hold the same bytes."""

    run: PoisonedRun
    twin: PoisonedRun | None


_Launched = Future[_Compared]


class Trial:
    """Runs one subject on one draw of values: the device in the caller's thread, comparisons in the worker's.

    worker: one thread. Raises, from the start: WorkloadError if the oracle fails.
    """

    def __init__(self, subject: Subject, draw: Draw, worker: ThreadPoolExecutor) -> None:
        self._subject = subject
        self._draw = draw
        self._worker = worker
        self._case = subject.case
        self._workload = subject.values.workload
        self._values = subject.values.arguments(subject.case, draw.seed)
        self._expected = subject.values.expected(subject.case, self._values)
        subject.values.oracle.scales(subject.case)  # now: an oracle that is a kernel needs the device for it
        on_device = isinstance(subject.device, MeasuringDevice)
        self._arguments = device_arguments(self._workload, self._values, on_device=on_device)
        self._runs: list[_Launched] = []
        self._ahead: dict[int, Future[RunOutcome | None]] = {}
        self._stopped: _Stopped | None = None
        self._look: Future[Verdict | None] | None = None
        self._again: _Launched | _Stopped | None = None

    def begin_ahead(self, ahead: RunsAhead) -> None:
        """Let the runs of `begin` start; it waits for them then."""
        self._ahead = {each: ahead.begin(self._request(POISONS[each], GUARDS[each])) for each in self._draw.patterns}

    def begin(self) -> None:
        """Run with each pattern of the draw; what comes back is compared meanwhile."""
        self._run_with(self._draw.patterns)

    def _run_with(self, patterns: Sequence[int]) -> None:
        self._runs = []
        for pattern in patterns:
            early = self._ahead.pop(pattern, None)
            outcome = None if early is None else early.result()
            launched = self._launch(POISONS[pattern], GUARDS[pattern], self._runs, outcome)
            if isinstance(launched, _Stopped):
                self._stopped = launched
                return
            self._runs.append(launched)
        self._look = self._worker.submit(self._first_look, tuple(self._runs))

    @property
    def stopped(self) -> bool:
        """True if a run did not reach its end."""
        return self._stopped is not None

    def begin_again(self) -> None:
        """Run once more as the first time, for `with_repeat`."""
        first = self._runs[0].result().run
        self._again = self._launch(first.poison, first.guard, self._runs[:1])

    def verdict(self) -> Verdict:
        """Of what `begin` ran.

        A single run that fails is run with the other pattern too, and runs that differ again, so that the reason is known.
        """
        if self._stopped is not None:
            return self._fault(self._stopped.fault)
        if self._look is None:
            raise ValueError(f"{case_text(self._case)}: nothing was run yet that could be judged")
        known = self._look.result()
        if known is not None:
            return known
        if len(self._runs) == 1:
            self._run_with(range(len(POISONS)))
            return self.verdict()
        runs = tuple(launched.result().run for launched in self._runs)
        further: list[_Launched] = []
        for guard in reversed(GUARDS):
            launched = self._launch(POISONS[0], guard, [*self._runs, *further])
            if isinstance(launched, _Stopped):
                return self._fault(launched.fault)
            further.append(launched)
            if launched.result().twin is runs[0]:
                break
        return self._conclude(runs, tuple(launched.result().run for launched in further))

    def with_repeat(self, verdict: Verdict) -> Verdict:
        """A passed verdict after the run of `begin_again`, whose launch history is another one (V26)."""
        again = self._again
        if again is None:
            raise ValueError(f"{case_text(self._case)}: nothing was run again that could be compared")
        if isinstance(again, _Stopped):
            return self._fault(again.fault)
        compared = again.result()
        if compared.twin is not None:
            return replace(verdict, deterministic=verdict.deterministic is not False)
        run, where = compared.run, case_text(self._case)
        if not run.passed:
            return Verdict("unstable.run_to_run", f"{where}: {UNSTABLE}", run.comparisons, margin=_margin([run]))
        note = f"{where}: results differ between runs, within tolerance"
        return replace(verdict, deterministic=False, notes=tuple(dict.fromkeys((*verdict.notes, note))))

    def _request(self, poison: int, guard: int) -> RunRequest:
        subject = self._subject
        return RunRequest(
            program=subject.program,
            plan=subject.plan,
            arguments=self._arguments,
            poison=poison,
            guard=guard,
            time_limit_s=subject.time_limit_s,
            least_alignment=self._draw.least_alignment,
        )

    def _launch(
        self, poison: int, guard: int, earlier: Sequence[_Launched], outcome: RunOutcome | None = None
    ) -> _Launched | _Stopped:
        """outcome: of a run that was ahead; None: run now."""
        if outcome is None:
            outcome = self._subject.device.run(self._request(poison, guard))
        if isinstance(outcome, Faulted):
            return _Stopped(outcome.fault)
        run = PoisonedRun(poison, outcome.arrays, (), guard, outcome.modified, outcome.device_us)
        return self._worker.submit(self._compare, run, tuple(earlier))

    def _compare(self, run: PoisonedRun, earlier: Sequence[_Launched]) -> _Compared:
        """In the worker, which has finished the earlier ones."""
        for launched in earlier:
            other = launched.result().run
            if same_outputs(self._workload, run, other):
                return _Compared(replace(run, comparisons=other.comparisons), other)
        outputs = {a.name: run.arrays[a.name] for a in self._workload.outputs}
        comparisons = compare_case(self._workload, self._case, outputs, self._expected, self._subject.values.oracle)
        return _Compared(replace(run, comparisons=comparisons), None)

    def _first_look(self, launched: Sequence[_Launched]) -> Verdict | None:
        """In the worker: the verdict, or None if further runs must tell why something is wrong."""
        first, *others = (each.result() for each in launched)
        if any(other.twin is not first.run for other in others) or not (others or first.run.passed):
            return None
        return self._conclude((first.run, *(other.run for other in others)), ())

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
            device_us=max((run.device_us for run in (*runs, *further) if run.device_us is not None), default=None),
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
