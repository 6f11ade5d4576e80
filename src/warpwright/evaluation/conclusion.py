"""From verified and timed cases to the outcome: score, decision against the incumbent, and the sentence that says why."""

from collections.abc import Collection, Iterable

from warpwright.benchmark.decision import Decision, decide
from warpwright.benchmark.score import geomean_us
from warpwright.device.protocol import TimeSource, Timing
from warpwright.evaluation.course import Course
from warpwright.evaluation.outcome import CaseEvaluation, Evaluation, Outcome
from warpwright.units import format_us
from warpwright.workload.model import CaseKind

SCREENED = "screened"
"""Reason beside `passed` of a tuning point: perf cases were timed but not verified, so it cannot be an incumbent."""


def conclude(course: Course, against: Evaluation | None, *, screen: bool) -> Evaluation:
    """The outcome of a candidate that no gate stopped. against: the incumbent's evaluation, if it is one to beat."""
    ranked = [case.name for case in course.cases if case.kind is CaseKind.PERF]
    timings = _timings(course.found.values(), ranked)
    geomean = geomean_us([timing.median_us for timing in timings.values()]) if timings else None
    decision = None
    if timings and against is not None and against.outcome.correct:
        decision = decide(_timings(against.cases, ranked), timings)
    text = _message(course, timings, geomean, decision)
    outcome, reason = _outcome(course, decision, screen=screen)
    held = course.built.held if course.built is not None else None
    if held is not None and not screen:
        text = f"held until a person accepts it: {held.message} {text}"
    speedup = None if decision is None else decision.speedup
    return course.result(outcome, reason, text, geomean_us=geomean, speedup=speedup)


def _timings(cases: Iterable[CaseEvaluation], ranked: Collection[str]) -> dict[str, Timing]:
    """Times of the ranked cases; cases for another device may hold an estimate as well, which never counts."""
    return {case.name: case.timing for case in cases if case.name in ranked and case.timing is not None}


def _outcome(course: Course, decision: Decision | None, *, screen: bool) -> tuple[Outcome, str | None]:
    held = course.built.held if course.built is not None else None
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
    timing = next(iter(timings.values()))
    source = f"estimated for {timing.gpu}" if timing.source is TimeSource.ESTIMATED else f"measured on {timing.gpu}"
    text = f"{checked}; {format_us(geomean)} ({source})"
    return text if decision is None else f"{decision.message}; {text}"
