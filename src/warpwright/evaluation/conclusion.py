"""From verified and timed cases to the outcome: score, decision against the incumbent, and the sentence that says why."""

from collections.abc import Iterable

from warpwright.benchmark.decision import Decision, decide
from warpwright.benchmark.score import geomean_us
from warpwright.device.protocol import TimeSource, Timing
from warpwright.evaluation.course import Course
from warpwright.evaluation.outcome import CaseEvaluation, Evaluation, Outcome
from warpwright.units import format_us
from warpwright.workload.model import CaseKind

SCREENED = "screened"
"""Reason beside `passed` of a tuning point: perf cases were timed but not verified, so it cannot be an incumbent."""


def conclude(course: Course, decision: Decision | None, *, screen: bool) -> Evaluation:
    """The outcome of a candidate that no gate stopped. decision: against the incumbent, if there is one to beat."""
    timings = ranked_timings(course, course.found.values())
    geomean = geomean_us([timing.median_us for timing in timings.values()]) if timings else None
    text = _message(course, timings, geomean, decision)
    outcome, reason = _outcome(course, decision, screen=screen)
    held = course.held
    if held is not None:
        text = f"{'' if screen else 'held until a person accepts it: '}{held.message} {text}"
    speedup = None if decision is None else decision.speedup
    return course.result(outcome, reason, text, geomean_us=geomean, speedup=speedup)


def decide_by_records(course: Course, against: Evaluation) -> Decision | None:
    """The decision that estimates allow; None without estimates on both sides."""
    own, other = ranked_timings(course, course.found.values()), ranked_timings(course, against.cases)
    if not own or not against.outcome.correct:
        return None
    if any(timing.source is not TimeSource.ESTIMATED for timing in (*own.values(), *other.values())):
        return None
    return decide(other, own)


def ranked_timings(course: Course, cases: Iterable[CaseEvaluation]) -> dict[str, Timing]:
    """Times of the ranked cases; cases for another device may hold an estimate as well, which never counts."""
    ranked = [case.name for case in course.cases if case.kind is CaseKind.PERF]
    return {case.name: case.timing for case in cases if case.name in ranked and case.timing is not None}


def _outcome(course: Course, decision: Decision | None, *, screen: bool) -> tuple[Outcome, str | None]:
    held = course.held
    if held is not None:
        return held.outcome, held.reason
    if screen:
        return Outcome.PASSED, SCREENED
    return (Outcome.PASSED if decision is None else Outcome(decision.rank.value)), None


def _message(course: Course, timings: dict[str, Timing], geomean: float | None, decision: Decision | None) -> str:
    passed = sum(case.passed is True for case in course.found.values())
    checked = f"passed {passed} of {len(course.cases)} cases"
    if geomean is None:
        return f"{checked}; no perf case applies to this device"
    text = f"{checked}; {format_us(geomean)} ({_source(timings)})"
    return text if decision is None else f"{decision.message}; {text}"


def _source(timings: dict[str, Timing]) -> str:
    """Where the times come from, and what weakens them."""
    timing = next(iter(timings.values()))
    if timing.source is TimeSource.ESTIMATED:
        return f"estimated for {timing.gpu}"
    flags = [flag for t in timings.values() if t.measurement is not None for flag in t.measurement.flags]
    return ", ".join([f"measured on {timing.gpu}", *(flag.replace("_", " ") for flag in dict.fromkeys(flags))])
