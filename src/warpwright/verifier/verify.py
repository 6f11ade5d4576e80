"""Runs a candidate on one case with several seeds and lets every check read what the runs leave behind."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from warpwright.candidate.resolved import ResolvedPlan
from warpwright.device.protocol import Device, Fault, Faulted, FaultKind, Program, RunRequest
from warpwright.verifier.binding import device_arguments
from warpwright.verifier.evidence import POISONS, Evidence, PoisonedRun, same_outputs, worst_margin
from warpwright.verifier.fault_text import fault_text
from warpwright.verifier.host_values import HostValues
from warpwright.verifier.registry import CHECKS
from warpwright.verifier.verdict import Finding, Verdict
from warpwright.workload.comparator import compare_case
from warpwright.workload.model import Case
from warpwright.workload.values import Comparison


@dataclass(frozen=True, slots=True)
class Verifier:
    """Judges candidates of one workload on one device. time_limit_s: wall clock of one run of a plan."""

    values: HostValues
    device: Device
    time_limit_s: float = 60.0

    def verify(self, program: Program, plan: ResolvedPlan, case: Case, seeds: Sequence[int]) -> Verdict:
        """All checks of one case.

        seeds: the first is run with both poison patterns, later ones with one (and with both once they fail). Every
        second one is run with arrays at the least alignment that the workload guarantees, the others as timing has them:
        a candidate that takes another path for aligned arrays is then checked on both (V19).
        Raises: WorkloadError if the oracle or `make_inputs` fails; InfrastructureError if the device does.
        """
        if not seeds:
            raise ValueError(f"case {case.name}: no seeds; nothing would be verified")
        verdicts: list[Verdict] = []
        for number, seed in enumerate(seeds):
            trial = _Trial(self, program, plan, case, _Draw(seed, number % 2 == 1))
            verdicts.append(trial.judge(POISONS if number == 0 else (POISONS[number % len(POISONS)],)))
            if not verdicts[-1].passed:
                break
        return _over_seeds(verdicts)


@dataclass(frozen=True, slots=True)
class _Draw:
    """Values and placement of one trial."""

    seed: int
    least_alignment: bool


@dataclass(frozen=True, slots=True)
class _Stopped:
    fault: Fault


class _Trial:
    """One (case, seed) of one candidate."""

    def __init__(self, verifier: Verifier, program: Program, plan: ResolvedPlan, case: Case, draw: _Draw) -> None:
        self._verifier = verifier
        self._program = program
        self._plan = plan
        self._case = case
        self._draw = draw
        self._workload = verifier.values.workload
        self._arguments = verifier.values.arguments(case, draw.seed)
        self._expected = verifier.values.expected(case, self._arguments)

    def judge(self, poisons: Sequence[int]) -> Verdict:
        """Run with each pattern; a single run that fails is run with the other pattern too, so that the reason is known."""
        runs: list[PoisonedRun] = []
        for poison in poisons:
            run = self._run(poison, runs)
            if isinstance(run, _Stopped):
                return self._fault(run.fault)
            runs.append(run)
        if len(runs) == 1 and not runs[0].passed:
            return self.judge(POISONS)
        repeat = None
        if len(runs) > 1 and not same_outputs(self._workload, runs[0], runs[1]):
            again = self._run(POISONS[0], runs)
            if isinstance(again, _Stopped):
                return self._fault(again.fault)
            repeat = again
        return self._conclude(tuple(runs), repeat)

    def _run(self, poison: int, earlier: Sequence[PoisonedRun]) -> PoisonedRun | _Stopped:
        workload = self._workload
        request = RunRequest(
            program=self._program,
            plan=self._plan,
            arguments=device_arguments(workload, self._arguments),
            poison=poison,
            time_limit_s=self._verifier.time_limit_s,
            least_alignment=self._draw.least_alignment,
        )
        outcome = self._verifier.device.run(request)
        if isinstance(outcome, Faulted):
            return _Stopped(outcome.fault)
        run = PoisonedRun(poison, outcome.arrays, ())
        for other in earlier:
            if same_outputs(workload, run, other):
                return replace(run, comparisons=other.comparisons)
        outputs = {a.name: outcome.arrays[a.name] for a in workload.outputs}
        comparisons = compare_case(workload, self._case, outputs, self._expected, self._verifier.values.oracle)
        return replace(run, comparisons=comparisons)

    def _fault(self, fault: Fault) -> Verdict:
        message = fault_text(self._case, fault, self._program)
        if fault.kind is FaultKind.MISALIGNED and self._draw.least_alignment:
            promised = ", ".join(f"{a.name}: {a.align_bytes}" for a in self._workload.arrays)
            message += f" The workload guarantees only these alignments in bytes: {promised}."
        return Verdict(fault.kind.value, message, line=fault.line)

    def _conclude(self, runs: tuple[PoisonedRun, ...], repeat: PoisonedRun | None) -> Verdict:
        evidence = Evidence(
            self._workload,
            self._case,
            self._draw.seed != self._case.seed,
            self._arguments,
            self._plan,
            runs,
            repeat,
        )
        findings = [finding for check in CHECKS for finding in check.examine(evidence)]
        wrong = [finding for finding in findings if finding.label is not None]
        decisive = next((run for run in runs if not run.passed), runs[0])
        margins = [worst_margin(c) for run in runs for c in run.comparisons]
        return Verdict(
            outcome=wrong[0].label if wrong else None,
            message=_message(wrong),
            comparisons=decisive.comparisons,
            notes=tuple(finding.message for finding in findings if finding.label is None),
            margin=max(margins, default=None),
        )


def _message(wrong: Sequence[Finding]) -> str:
    """The finding that names the outcome, then what else is wrong."""
    if not wrong:
        return ""
    first, *others = wrong
    if first.check == "unwritten":  # such elements also differ between runs and from the oracle: said once
        others = [finding for finding in others if finding.check not in ("stability", "matches_oracle")]
    return " ".join([first.message, *(f"Also {finding.message}" for finding in others)])


def _over_seeds(verdicts: Sequence[Verdict]) -> Verdict:
    """The failed verdict, or the passed ones as one: for each output the comparison with the worst margin (V14)."""
    last = verdicts[-1]
    margins = [verdict.margin for verdict in verdicts if verdict.margin is not None]
    notes = dict.fromkeys(note for verdict in verdicts for note in verdict.notes)
    worst: dict[str, Comparison] = {}
    for comparison in (c for verdict in verdicts for c in verdict.comparisons):
        kept = worst.get(comparison.output)
        if kept is None or worst_margin(comparison) > worst_margin(kept):
            worst[comparison.output] = comparison
    comparisons = tuple(worst.values()) if last.passed else last.comparisons
    return replace(last, margin=max(margins, default=None), notes=tuple(notes), comparisons=comparisons)
