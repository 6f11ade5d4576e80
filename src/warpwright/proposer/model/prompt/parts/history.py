"""What this session tried: the last attempts in a line each, and what is ruled out."""

from collections import Counter
from collections.abc import Iterator

from warpwright.profiler.diagnosis.finding import Verdict
from warpwright.proposer.model.prompt.limits import limits
from warpwright.proposer.model.prompt.parts.evidence import message_of
from warpwright.proposer.model.prompt.quoting import one_line, quoted
from warpwright.proposer.protocol import SearchState
from warpwright.proposer.strategist.expectation import cooling_cards, counters_refute
from warpwright.record.attempt import Attempt, PendingAttempt
from warpwright.record.evidence import times_from
from warpwright.units import format_ratio, format_us

_SMALLEST_TUNING = 2


def attempts(state: SearchState) -> str:
    """The newest attempts, oldest first, then candidates in hand; how many there were before."""
    shown = state.attempts[-limits().attempts_shown :]
    if not shown:
        return ""
    earlier = len(state.attempts) - len(shown)
    lines = [one_line(_attempt(state, attempt), limits().line) for attempt in shown]
    lines += [one_line(_in_hand(attempt), limits().line) for attempt in state.begun]
    heading = f"## Attempts so far ({earlier} earlier ones are not shown)" if earlier else "## Attempts so far"
    return f"{heading}\n{quoted('attempts', '\n'.join(lines), limits().attempts)}"


def refuted(state: SearchState) -> str:
    """Techniques that failed by themselves or whose counters did not do what was expected, newest first; cards that rest."""
    lines = list(dict.fromkeys(one_line(text, limits().line) for text in _ruled_out(state)))[: limits().refuted_shown]
    resting = sorted(cooling_cards(state))
    if resting:
        lines.append(f"cards that brought nothing twice: {', '.join(resting)}")
    if not lines:
        return ""
    return f"## What did not work here\n{quoted('techniques', '\n'.join(lines), limits().refuted)}"


def tuning(state: SearchState, number: int) -> str:
    """What the search over the parent's tunables found."""
    points = state.tuned.get(number, ())
    timed = [point for point in points if point.geomean_us is not None]
    if len(timed) < _SMALLEST_TUNING:
        return ""
    best = min(timed, key=lambda point: point.geomean_us or 0.0)
    values = ", ".join(f"{name}={value}" for name, value in sorted(best.point.items())) or "its own values"
    return one_line(
        f"Its tunables were searched already ({len(points)} points); best {values} with {format_us(best.geomean_us or 0.0)}. "
        "Change what no tunable changes.",
        limits().line,
    )


def _attempt(state: SearchState, attempt: Attempt) -> str:
    hypothesis, evaluation = attempt.hypothesis, attempt.evaluation
    origin = f" from #{attempt.parent}" if attempt.parent else ""
    technique = "initial kernel" if hypothesis is None else hypothesis.technique
    card = "" if hypothesis is None or hypothesis.card is None else f" {hypothesis.card}"
    text = f"#{attempt.number}{origin} {attempt.proposer}, {technique}{card}: {evaluation.label}{_time(state, attempt)}"
    if attempt.number == state.incumbent:
        text += ", incumbent"
    text += "".join(f"; {said}" for said in _expected(state, attempt))
    message = "" if evaluation.outcome.correct else message_of(state.workload, evaluation)
    return f"{text}: {message}" if message else text


def _in_hand(attempt: PendingAttempt) -> str:
    idea = "initial kernel" if attempt.hypothesis is None else attempt.hypothesis.technique
    return f"#{attempt.number} from #{attempt.parent} {attempt.proposer}, {idea}: in hand, no outcome yet"


def _time(state: SearchState, attempt: Attempt) -> str:
    own = attempt.evaluation.geomean_us
    if own is None:
        return ""
    times = times_from([attempt.evaluation])
    text = f", {'est. ' if times is not None and times.estimated else ''}{format_us(own)}"
    before = state.attempt(attempt.parent).evaluation.geomean_us if attempt.parent else None
    return f"{text}, {format_ratio(before / own)} over #{attempt.parent}" if before and own else text


def _expected(state: SearchState, attempt: Attempt) -> Iterator[str]:
    """What became of the counters that its hypothesis named."""
    diagnosis = state.diagnoses.get(attempt.number)
    for check in (() if diagnosis is None else diagnosis.checks)[:2]:
        if check.verdict is not Verdict.UNKNOWN and check.seen is not None:
            yield f"{check.counter} expected x{check.expected:.2g}, seen x{check.seen:.2g}, {check.verdict.value}"


def _ruled_out(state: SearchState) -> Iterator[str]:
    tried = [attempt for attempt in reversed(state.attempts) if attempt.hypothesis is not None]
    times = Counter(attempt.hypothesis.technique for attempt in tried if attempt.hypothesis is not None)
    for attempt in tried:
        technique = attempt.hypothesis.technique if attempt.hypothesis is not None else ""
        often = f" ({times[technique]} attempts)" if times[technique] > 1 else ""
        bottleneck = attempt.hypothesis.bottleneck if attempt.hypothesis is not None else None
        if counters_refute(state, attempt):
            yield f"{technique}{often} on {bottleneck or 'this kernel'}: no gain, and its counters did not move as expected"
        elif not attempt.evaluation.outcome.correct:
            yield f"{technique}{often}: {attempt.evaluation.label}"
