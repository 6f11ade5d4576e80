"""A candidate from outside the loop enters a session: a person's or a coding agent's passes the same gates as any other.

In a session that goes on it may become the incumbent, from which the search goes on when resumed. In one that has ended it
must also pass the last checks, on hidden cases that nobody can know, before `best/` becomes it.
"""

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from langgraph.runtime import Runtime

from warpwright.candidate.candidate import Candidate
from warpwright.errors import DeviceUnavailable, UsageError
from warpwright.evaluation.bench import BenchOptions, open_bench
from warpwright.knowledge.documents.library import Library
from warpwright.loop.budget import Budget
from warpwright.loop.context import PATIENCE, LoopContext
from warpwright.loop.ending.complete import complete, is_complete
from warpwright.loop.ending.final_check import check_finally
from warpwright.loop.model.settling import settle
from warpwright.loop.nodes.check import check
from warpwright.loop.nodes.diagnose import diagnose
from warpwright.loop.nodes.evaluate import evaluate
from warpwright.loop.nodes.record import record
from warpwright.loop.nodes.research import research
from warpwright.loop.proposing import begin
from warpwright.loop.secret import entry_secret, pledge_entry_secret
from warpwright.loop.state import LoopState
from warpwright.proposer.protocol import Proposal
from warpwright.proposer.strategist import Strategist
from warpwright.record.attempt import Attempt, Hypothesis
from warpwright.record.event import Event
from warpwright.record.session import Session
from warpwright.record.summary import FinalCheck
from warpwright.report.html import write_report


@dataclass(frozen=True, slots=True)
class Entered:
    """What became of a candidate. known: it is an earlier attempt's, answered from the record. best: of the session, now.

    final_check: of an attempt that could become the best of an ended session; None where it was not needed.
    """

    attempt: Attempt
    known: bool
    best: int
    final_check: FinalCheck | None = None

    @property
    def passed(self) -> bool:
        """True if it passed every check, whatever its rank."""
        held_back = self.final_check is not None and not self.final_check.passed
        return self.attempt.evaluation.outcome.correct and not held_back


def open_for_entry(
    session: Session, options: BenchOptions, documents: Path | None, history: Path | None
) -> LoopContext:
    """What judges a candidate in a session, on the session's device. documents, history: as for `optimize`.

    Raises: DeviceUnavailable if that device is not here; UsageError if another GPU is in its place.
    """
    settle(session)
    try:
        bench = open_bench(session.workload, session.options.device, entry_secret(session), options)
    except DeviceUnavailable as error:
        raise DeviceUnavailable(
            f"{session.directory}: its times are of {session.device}, and a candidate must be timed there too. {error}"
        ) from error
    context = LoopContext(
        session=session,
        bench=bench,
        proposer=Strategist(),
        budget=Budget(None, None, PATIENCE, 0, spent_s=session.spent_s()),
        documents=None if documents is None else Library(documents),
        profiling=options.profiling,
    )
    with ExitStack() as opened:
        opened.callback(context.close)
        _require_same_gpu(session, bench.device.description)
        context.recall(history)
        opened.pop_all()
    return context


def enter_candidate(context: LoopContext, candidate: Candidate, hypothesis: Hypothesis, proposer: str) -> Entered:
    """Take a candidate through every gate against the incumbent and record it as an attempt of the session.

    What a killed process had left unfinished is finished first. proposer: `person`, or who it was.
    """
    session = context.session
    catch_up(context)
    known = next((a for a in session.attempts() if a.candidate.identity == candidate.identity), None)
    if known is not None:
        found = session.summary()
        checks = () if found is None else found.final_checks
        check_of_known = next((each for each in reversed(checks) if each.number == known.number), None)
        return Entered(known, known=True, best=session.best(), final_check=check_of_known)
    number = begin(context, Proposal(candidate, hypothesis, proposer, session.incumbent()))
    checked = _judge(context, number)
    if session.ended:
        complete(session, context.history)
    else:
        write_report(session)
    return Entered(session.attempt(number), known=False, best=session.best(), final_check=checked)


def catch_up(context: LoopContext) -> None:
    """Finish what a kill left undone. The initial kernel comes first; what was begun before, before anything else begins.

    In a session that has ended, what comes after the summary is done again where it is not known to be whole.
    """
    session = context.session
    if not session.attempts() and not session.pending():
        check({"session": str(session.directory)}, Runtime(context=context))
        session.begin(session.workload.initial, None, "workload", 0)
    for pending in session.pending():
        session.emit(Event("note", text=f"attempt {pending.number}, begun before, is finished first"))
        _judge(context, pending.number)
    if not session.ended or is_complete(session):
        return
    _look_into(context, session.attempt_count)
    if session.incumbent() != session.best():  # killed before its last checks
        _check_for_best(context, session.incumbent())
    complete(session, context.history)


def _require_same_gpu(session: Session, description: str) -> None:
    began_on, here = (text.partition(" (")[0] for text in (session.device, description))
    if began_on != here:
        raise UsageError(
            f"{session.directory}: its times are of {session.device}; {session.options.device} is now {description}. Times of "
            "different GPUs cannot be compared: use `warpwright evaluate`, or begin a session here."
        )


def _judge(context: LoopContext, number: int) -> FinalCheck | None:
    """The verbs of the loop from `evaluate` on, without what would begin another attempt."""
    session = context.session
    if session.ended:
        pledge_entry_secret(session, number)
    state, runtime = LoopState(session=str(session.directory), attempt=number), Runtime(context=context)
    evaluate(state, runtime)
    record(state, runtime)
    _look_into(context, number)
    return _check_for_best(context, number) if session.ended and session.incumbent() == number else None


def _look_into(context: LoopContext, number: int) -> None:
    """Why an attempt is as fast as it is; what is known already is left as it is."""
    state, runtime = LoopState(session=str(context.session.directory), attempt=number), Runtime(context=context)
    diagnose(state, runtime)
    research(state, runtime)


def _check_for_best(context: LoopContext, number: int) -> FinalCheck:
    """The last checks of an attempt that beat the best of an ended session; the summary says what came of it."""
    session = context.session
    summary = session.summary()
    assert summary is not None
    pledge_entry_secret(session, number)
    found, checked = check_finally(context, number)
    summary = replace(summary, final_checks=(*summary.final_checks, checked), elapsed_s=context.budget.elapsed_s())
    if found is not None:
        summary = replace(
            summary,
            best=number,
            published=found.published.over_initial,
            published_reference=found.published.over_reference,
            unpublished=found.published.why_not,
            sanitizer=found.sanitizer,
        )
    session.write_summary(summary)
    return checked
