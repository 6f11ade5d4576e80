"""The promotion gate on a GPU: a paired re-measurement that a contender must win (measurement.md section 9)."""

from dataclasses import dataclass, field

from warpwright.benchmark.decision import Decision, Rank
from warpwright.benchmark.figure import PairedFigure, paired_figure
from warpwright.benchmark.paired import LEAST_ROUNDS, PairedEffects, PairedOptions, is_sure, judge, paired_effects
from warpwright.errors import InfrastructureError
from warpwright.evaluation.course import Course, StageListener
from warpwright.evaluation.failure import Failure
from warpwright.evaluation.outcome import Outcome
from warpwright.evaluation.promotion.paired_run import PairedBench, PairedRun, too_slow, unproved

_BOOTSTRAP_SEED = 0
"""The same samples give the same interval, here and for whoever checks it."""


@dataclass(frozen=True, slots=True)
class NoFigure:
    """Two kernels that cannot be compared. message: why."""

    message: str


@dataclass(slots=True)
class PairedComparison:
    """Compares candidates of one workload on one GPU. What an A/A run cannot tell is found once for each incumbent, when it is
    first needed.
    """

    bench: PairedBench
    options: PairedOptions
    _floors: dict[str, float] = field(default_factory=dict)

    def compare(
        self, incumbent: Course, contender: Course, listener: StageListener | None = None
    ) -> PairedFigure | NoFigure | Failure:
        """Both must have been built and verified. The Failure is the contender's.

        Raises: InfrastructureError if the incumbent fails beside a copy of itself, or the device does.
        """
        run = PairedRun(self.bench, incumbent, contender, "pair")
        failure = run.extend(self.options.rounds, listener)
        if failure is not None:
            if failure.outcome is not Outcome.SUSPICIOUS:
                self._floor(incumbent, listener)  # raises if the incumbent fails beside a copy of itself, too
            return failure
        effects = self._effects(run)
        if isinstance(effects, NoFigure):
            return effects
        floor = self._floors.get(incumbent.candidate.identity)
        if floor is None and not is_sure(effects, self.options):
            found = self._floor(incumbent, listener)
            if isinstance(found, NoFigure):
                return found
            floor = found
        return self._concluded(run, effects, floor, listener)

    def _concluded(
        self, run: PairedRun, effects: PairedEffects, floor: float | None, listener: StageListener | None
    ) -> PairedFigure | NoFigure | Failure:
        """With more rounds where the first leave it open."""
        more = self.options.most_rounds - self.options.rounds
        judgement = judge(effects, floor, self.options, run.launch_bound(), final=more <= 0)
        if judgement.rank is None:
            failure = run.extend(more, listener)
            again = failure or self._effects(run)
            if isinstance(again, Failure | NoFigure):
                return again
            effects = again
            judgement = judge(effects, floor, self.options, run.launch_bound(), final=True)
        return paired_figure(effects, judgement, floor, run.samples(), run.incumbent.candidate.identity)

    def _effects(self, run: PairedRun) -> PairedEffects | NoFigure:
        rounds = run.effects()
        if min(len(d) for d in rounds.values()) < LEAST_ROUNDS:
            return NoFigure(too_slow(run))
        cut_short = run.cut_short()
        if cut_short:
            return NoFigure(unproved(cut_short))
        return paired_effects(rounds, self.options, _BOOTSTRAP_SEED)

    def _floor(self, incumbent: Course, listener: StageListener | None) -> float | NoFigure:
        """What this machine shows as a difference between two copies of the incumbent (M35), a logarithm.

        Taken over the most rounds that a comparison may have: over ten it is itself so uncertain that on an H200 it hid a
        quarter of the true 2 % gains; over twenty, drawn from the same rounds, one in sixty (`benchmarks/measurement`).
        """
        identity = incumbent.candidate.identity
        if identity not in self._floors:
            run = PairedRun(self.bench, incumbent, incumbent, "A/A")
            failure = run.extend(self.options.most_rounds, listener)
            if failure is not None:
                raise InfrastructureError(
                    f"the incumbent fails beside a copy of itself ({failure.label}): {failure.message} "
                    "Verify it again; nothing can be compared with it."
                )
            effects = self._effects(run)
            if isinstance(effects, NoFigure):
                return effects
            self._floors[identity] = effects.overall.floor
        return self._floors[identity]


def without_run(lead: float, options: PairedOptions) -> Decision | None:
    """The decision on a contender whose own record does not earn it a paired run; None if it does (M32).

    lead: incumbent over contender by their own records. Between processes such figures agree within a few per cent, so a
    small loss is a tie.
    """
    if lead > 1.0 + options.entry_ratio:
        return None
    rank = Rank.SLOWER if lead * (1.0 + options.case_loss_ratio) < 1.0 else Rank.TIE
    needed = f"a paired run needs a lead of more than {options.entry_ratio:.1%}"
    return Decision(rank, lead, {}, f"{rank.value}: {lead:.3f}x by its own record; {needed}")
