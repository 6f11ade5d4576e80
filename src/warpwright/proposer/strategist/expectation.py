"""What the record says against an idea: refuted by its counters, wrong by itself, or without gain too often."""

from collections import Counter

from warpwright.evaluation.outcome import Outcome
from warpwright.profiler.diagnosis.finding import Verdict
from warpwright.proposer.protocol import SearchState
from warpwright.record.attempt import Attempt

COOLS_DOWN_AFTER = 2
"""Attempts without gain after which a card rests for the session."""
AHEAD = 1.01
"""A tie faster than what it must beat by this much is a gain: small ones add up to one that counts."""

_OWN_FAULT = frozenset(
    {Outcome.COMPILE_ERROR, Outcome.CRASH, Outcome.TIMEOUT, Outcome.WRONG_RESULT, Outcome.UNSTABLE, Outcome.REJECTED}
)


def refuted(state: SearchState, technique: str, parent: Attempt) -> bool:
    """True if a technique failed by its own fault anywhere, or its counters refuted it on a parent with this bottleneck."""
    bottleneck = _bottleneck(state, parent.number)
    return any(
        attempt.evaluation.outcome in _OWN_FAULT
        or (counters_refute(state, attempt) and _bottleneck(state, attempt.parent) == bottleneck)
        for attempt in state.attempts
        if attempt.hypothesis is not None and attempt.hypothesis.technique == technique
    )


def counters_refute(state: SearchState, attempt: Attempt) -> bool:
    """True if an attempt brought no gain and its counters did not do what was expected of them."""
    diagnosis = state.diagnoses.get(attempt.number)
    if attempt.evaluation.outcome is Outcome.IMPROVED or diagnosis is None:
        return False
    return diagnosis.verdict is Verdict.REFUTED


def cooling_cards(state: SearchState) -> frozenset[str]:
    """Cards that failed twice in this session."""
    failures = Counter(
        attempt.hypothesis.card
        for attempt in state.attempts
        if attempt.hypothesis is not None and attempt.hypothesis.card is not None and not _gained(state, attempt)
    )
    return frozenset(card for card, count in failures.items() if count >= COOLS_DOWN_AFTER)


def _gained(state: SearchState, attempt: Attempt) -> bool:
    """True if an attempt became the incumbent, or is a tie ahead of what it was made from."""
    outcome, own = attempt.evaluation.outcome, attempt.evaluation.geomean_us
    if outcome is Outcome.IMPROVED or outcome is Outcome.PASSED:
        return True
    before = state.attempt(attempt.parent).evaluation.geomean_us if attempt.parent else None
    return outcome is Outcome.TIE and own is not None and before is not None and before / own > AHEAD


def _bottleneck(state: SearchState, number: int) -> str | None:
    diagnosis = state.diagnoses.get(number)
    return None if diagnosis is None else diagnosis.bottleneck
