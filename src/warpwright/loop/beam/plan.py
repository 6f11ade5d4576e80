"""From which attempts, and against which of their findings, a step of the beam proposes."""

from collections.abc import Iterator, Sequence

from warpwright.evaluation.outcome import DUPLICATE
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis
from warpwright.proposer.protocol import Focus, Proposal, SearchState
from warpwright.proposer.strategist.changes import structure_of
from warpwright.record.attempt import Attempt


def parents(attempts: Sequence[Attempt], incumbent: int, count: int) -> tuple[Attempt, ...]:
    """At most `count` correct attempts of different structure: the incumbent, then in turn the best by share of the floor in
    its worst case and the best by time. Empty without an incumbent.

    The two orders differ: a candidate that is slower on the whole may be the better start where the incumbent is weak.
    """
    timed = [a for a in attempts if _may_be_parent(a)]
    by_time = sorted(timed, key=lambda a: (a.number != incumbent, a.evaluation.geomean_us, a.number))
    shares = [(share, a) for a in timed if (share := floor_share(a)) is not None]
    by_share = [a for _, a in sorted(shares, key=lambda pair: (-pair[0], pair[1].number))]
    chosen: dict[object, Attempt] = {}
    while incumbent and len(chosen) < count and by_time:
        order = by_share if by_share and len(chosen) % 2 else by_time
        attempt = order.pop(0)
        chosen.setdefault(structure_of(attempt.candidate), attempt)
    return tuple(chosen.values())


def _may_be_parent(attempt: Attempt) -> bool:
    """A repeat differs from its twin in words only."""
    evaluation = attempt.evaluation
    return evaluation.outcome.correct and evaluation.geomean_us is not None and evaluation.reason != DUPLICATE


def floor_share(attempt: Attempt) -> float | None:
    """Floor over time in the worst of the timed cases, 1 = nothing is left to gain; None if the floor of one is unknown."""
    shares: list[float] = []
    for case in attempt.evaluation.cases:
        if case.timing is None:
            continue
        if case.floor_us is None or case.timing.median_us <= 0:
            return None
        shares.append(case.floor_us / case.timing.median_us)
    return min(shares, default=None)


def foci(state: SearchState, beam: int, bottlenecks: int) -> tuple[Focus, ...]:
    """Pairs of a parent and one of its first findings, the main finding of every parent before the second of any.

    A parent that was not diagnosed is one focus without a bottleneck.
    """
    chosen = parents(state.attempts, state.incumbent, beam)
    named = {parent.number: _bottlenecks(state.diagnoses.get(parent.number), bottlenecks) for parent in chosen}
    return tuple(
        Focus(number, names[rank])
        for rank in range(bottlenecks)
        for number, names in named.items()
        if rank < len(names)
    )


def treats(proposal: Proposal, focus: Focus) -> bool:
    """True if a proposal is for what the focus asks for."""
    same = proposal.hypothesis.bottleneck == focus.bottleneck or focus.bottleneck is None
    return proposal.parent == focus.parent and same and proposal.hypothesis.technique != "tuning"


def _bottlenecks(diagnosis: AttemptDiagnosis | None, count: int) -> Sequence[str | None]:
    found = list(dict.fromkeys(_named(diagnosis)))[:count]
    return found or [None]


def _named(diagnosis: AttemptDiagnosis | None) -> Iterator[str]:
    target = None if diagnosis is None else diagnosis.target
    if target is None or target.target is None:
        return
    for finding in (target.target, *target.runners_up):
        yield finding.bottleneck
