"""Runs a candidate on one case with several seeds and lets every check read what the runs leave behind."""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from warpwright.candidate.resolved import ResolvedPlan
from warpwright.device.measuring import MeasuringDevice
from warpwright.device.protocol import Device, Program
from warpwright.verifier.evidence import POISONS, worst_margin
from warpwright.verifier.host_values import HostValues
from warpwright.verifier.precision import check_precision
from warpwright.verifier.runs_ahead import RunsAhead
from warpwright.verifier.trial import Draw, Subject, Trial
from warpwright.verifier.verdict import Verdict
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
        a candidate that takes another path for aligned arrays is then checked on both (V19). On hardware the first seed
        is run once more behind all others: its third run, with another launch history (V26). Where the device carries out
        several runs at once they overlap, and are judged in the same order.
        Raises: WorkloadError if the oracle or `make_inputs` fails; InfrastructureError if the device does.
        """
        if not seeds:
            raise ValueError(f"case {case.name}: no seeds; nothing would be verified")
        subject = Subject(program, plan, case, self.values, self.device, self.time_limit_s)
        with (
            ThreadPoolExecutor(max_workers=1, thread_name_prefix="verifier") as worker,
            RunsAhead(self.device) as ahead,
        ):
            trials = _trials(subject, seeds, worker, ahead)
            first = next(trials)
            verdicts: list[Verdict] = []
            for trial in self._begun(first, trials, len(seeds) - 1):
                verdicts.append(trial.verdict())
                if not verdicts[-1].passed:
                    break
            verdict = _over_seeds(verdicts)
            if verdict.passed and self._measures:
                verdict = first.with_repeat(verdict)
        return self._with_precision(verdict, program)

    @property
    def _measures(self) -> bool:
        return isinstance(self.device, MeasuringDevice)

    def _begun(self, first: Trial, others: Iterator[Trial], count: int) -> Iterator[Trial]:
        """Trials whose runs have ended. On hardware the next one's are made before one is judged, while it is compared."""
        first.begin()
        waiting = first
        for _ in range(count):
            if waiting.stopped or not self._measures:
                yield waiting
            trial = next(others)
            trial.begin()
            if self._measures:
                yield waiting
            waiting = trial
        if self._measures and not waiting.stopped:
            first.begin_again()
        yield waiting

    def _with_precision(self, verdict: Verdict, program: Program) -> Verdict:
        """A passed verdict with what the PTX says of its precision."""
        found = check_precision(self.values.workload, program.ptx, verdict.margin) if verdict.passed else None
        if found is None:
            return verdict
        if found.label is None:
            return replace(verdict, notes=(*verdict.notes, found.message))
        return replace(verdict, held=found)


def _trials(subject: Subject, seeds: Sequence[int], worker: ThreadPoolExecutor, ahead: RunsAhead) -> Iterator[Trial]:
    """In order. Where the device carries out several runs at once, those of the next trials have begun."""
    begun: deque[Trial] = deque()
    for number, seed in enumerate(seeds):
        patterns = tuple(range(len(POISONS))) if number == 0 else (number % len(POISONS),)
        trial = Trial(subject, Draw(seed, number % 2 == 1, patterns), worker)
        if ahead.count > 1:
            trial.begin_ahead(ahead)
        begun.append(trial)
        if len(begun) >= ahead.count:
            yield begun.popleft()
    yield from begun


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
    return replace(
        last,
        comparisons=tuple(worst.values()) if last.passed else last.comparisons,
        notes=tuple(notes),
        margin=max(margins, default=None),
        deterministic=False if any(verdict.deterministic is False for verdict in verdicts) else None,
        device_us=max((verdict.device_us for verdict in verdicts if verdict.device_us is not None), default=None),
    )
