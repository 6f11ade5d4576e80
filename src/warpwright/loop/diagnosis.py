"""What limits an attempt: its counters by case, the diagnosis, and whether they bore out what it was made for."""

import time
from collections.abc import Sequence
from dataclasses import replace

from warpwright.errors import InfrastructureError
from warpwright.evaluation.judgement import judge
from warpwright.evaluation.profiling import profile_cases
from warpwright.loop.beam.plan import parents
from warpwright.loop.context import LoopContext
from warpwright.profiler.diagnosis.compare import changes, not_compared
from warpwright.profiler.diagnosis.expectation import check_expectations
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis, CaseDiagnosis, ExpectationCheck, Verdict
from warpwright.profiler.diagnosis.target import target_case
from warpwright.profiler.profile import CaseProfile
from warpwright.record.attempt import Attempt
from warpwright.record.event import Event

TRIAGE = 1
"""Tier of sections that a search asks Nsight Compute for: seconds a case."""


def worth_profiling(context: LoopContext, attempt: Attempt) -> bool:
    """True if an attempt is to be profiled. The emulator's counters are at hand; on a GPU a profile costs seconds, so only
    the incumbent has one, an attempt whose hypothesis names counters, and the parents of a beam.
    """
    if not attempt.evaluation.outcome.correct:
        return False
    if not context.bench.evaluator.measures:
        return True
    if context.session.options.width > 1 and attempt.number in _next_parents(context):
        return not context.budget.time_is_up()
    expects = attempt.hypothesis is not None and bool(attempt.hypothesis.expects)
    return (expects or attempt.number == context.session.incumbent()) and not context.budget.time_is_up()


def _next_parents(context: LoopContext) -> tuple[int, ...]:
    """From which attempts a beam goes on, as the record stands."""
    session = context.session
    chosen = parents(session.attempts(), session.incumbent(), session.options.beam)
    return tuple(parent.number for parent in chosen)


def diagnose_attempt(context: LoopContext, attempt: Attempt) -> AttemptDiagnosis:
    """Profile and diagnose a correct attempt; both files are on disk before this returns.

    Counters that a killed process had written are taken as they are.
    """
    session = context.session
    profiles = session.profiles(attempt.number)
    if profiles is None:
        started = time.monotonic()
        profiles = _profiled(context, attempt)
        context.charge("profile", attempt.number, time.monotonic() - started)
        _tell_lost_counters(context, profiles)
        session.write_profiles(attempt.number, profiles)
    diagnosis = _concluded(context, attempt, profiles)
    session.write_diagnosis(attempt.number, diagnosis)
    return diagnosis


def _profiled(context: LoopContext, attempt: Attempt) -> tuple[CaseProfile, ...]:
    """Counters of every perf case on the emulator. On a GPU of the target case alone, which stays the same so that attempts
    can be compared; of the others too once nothing is left to gain there.
    """
    if not context.bench.evaluator.measures:
        return _profile(context, attempt, None)
    names = [case.name for case in attempt.evaluation.cases if case.timing is not None]
    chosen = _kept_target(context, attempt, names)
    if chosen is None:
        return ()
    profiles = _profile(context, attempt, [chosen])
    others = [name for name in names if name != chosen]
    if others and all(case.at_roof for case in _judged(context, profiles)):
        profiles += _profile(context, attempt, others)
    return profiles


def _profile(context: LoopContext, attempt: Attempt, cases: Sequence[str] | None) -> tuple[CaseProfile, ...]:
    keep = context.session.attempt_directory(attempt.number) / "profile"
    options = replace(context.profiling, keep=keep)
    try:
        return profile_cases(context.bench.evaluator, attempt.candidate, attempt.evaluation, cases, TRIAGE, options)
    except InfrastructureError as error:
        # What is broken for good stops the next evaluation; what only breaks profiling must not stop the search.
        context.session.emit(Event("note", attempt=attempt.number, text=f"no counters of this attempt: {error}"))
        return ()


def _kept_target(context: LoopContext, attempt: Attempt, names: Sequence[str]) -> str | None:
    """The case that the last diagnosis chose (another than before only once that one was at its roof); at first the one with
    most to gain over its floor.
    """
    for number in reversed(range(1, attempt.number)):
        earlier = context.session.diagnosis(number)
        if earlier is not None and earlier.target is not None and earlier.target.case in names:
            return earlier.target.case
    timed = {case.name: case for case in attempt.evaluation.cases if case.name in names}

    def over_floor(name: str) -> float:
        timing, floor = timed[name].timing, timed[name].floor_us
        return timing.median_us / floor if timing is not None and floor else 0.0

    return max(names, key=over_floor, default=None)


def _judged(context: LoopContext, profiles: Sequence[CaseProfile]) -> tuple[CaseDiagnosis, ...]:
    return tuple(judge(context.session.workload, context.bench.device.spec, profile) for profile in profiles)


def _concluded(context: LoopContext, attempt: Attempt, profiles: Sequence[CaseProfile]) -> AttemptDiagnosis:
    session = context.session
    cases = _judged(context, profiles)
    target = target_case(cases)
    incumbent = max((number for number in session.incumbents() if number < attempt.number), default=0)
    parent = None if not attempt.parent else session.diagnosis(attempt.parent)
    followed = target if parent is None else parent.target_case
    own = _of_case(profiles, followed) or _of_case(profiles, target) or next(iter(profiles), None)
    before_parent = _of_case(session.profiles(attempt.parent) or (), own.case) if own and attempt.parent else None
    before_incumbent = _of_case(session.profiles(incumbent) or (), own.case) if own and incumbent else None
    checks, verdict = _checked(attempt, before_parent, own)
    return AttemptDiagnosis(
        cases=cases,
        target_case=target,
        parent=attempt.parent,
        incumbent=incumbent,
        against_parent=changes(before_parent, own) if before_parent and own else (),
        against_incumbent=changes(before_incumbent, own) if before_incumbent and own else (),
        checks=checks,
        verdict=verdict,
        notes=_not_compared(("parent", before_parent), ("incumbent", before_incumbent), after=own),
        compared_case=None if own is None else own.case,
    )


def _not_compared(*earlier: tuple[str, CaseProfile | None], after: CaseProfile | None) -> tuple[str, ...]:
    """What kept the counters of earlier attempts from being compared, once for each reason."""
    found: dict[str, str] = {}
    for whose, before in earlier:
        reason = None if before is None or after is None else not_compared(before, after)
        if reason is not None:
            found.setdefault(reason, f"counters of the {whose}: {reason}")
    return tuple(found.values())


def _checked(
    attempt: Attempt, before: CaseProfile | None, after: CaseProfile | None
) -> tuple[tuple[ExpectationCheck, ...], Verdict]:
    if attempt.hypothesis is None or before is None or after is None:
        return (), Verdict.UNKNOWN
    return check_expectations(attempt.hypothesis.expects, before, after)


def _of_case(profiles: Sequence[CaseProfile], case: str | None) -> CaseProfile | None:
    return next((profile for profile in profiles if profile.case == case), None)


def _tell_lost_counters(context: LoopContext, profiles: Sequence[CaseProfile]) -> None:
    """Said once in a session, which goes on with what is known. The emulator's notice was given when the device was opened."""
    session = context.session
    if not context.bench.evaluator.measures:
        return
    reasons = dict.fromkeys(profile.reason for profile in profiles if profile.reason is not None)
    told = {p.reason for number in range(1, session.attempt_count + 1) for p in session.profiles(number) or ()}
    for reason in reasons:
        if reason not in told:
            session.emit(Event("note", text=f"no hardware counters, so the diagnosis goes by what is known: {reason}"))
