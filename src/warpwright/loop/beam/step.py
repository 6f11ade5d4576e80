"""One step of the search: every candidate that is begun before the next one is evaluated."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from warpwright.loop.beam.plan import foci, treats
from warpwright.loop.context import LoopContext
from warpwright.loop.notebook import SessionNotebook
from warpwright.loop.proposing import begin
from warpwright.proposer.model.reply.duplicate import duplicate_of
from warpwright.proposer.protocol import Focus, Proposal, SearchState
from warpwright.record.attempt import PendingAttempt
from warpwright.record.event import Event


@dataclass(frozen=True, slots=True)
class Step:
    """What was begun. refusal: why a cap of the session forbade to ask for more, None = it did not."""

    numbers: tuple[int, ...]
    refusal: str | None = None


def begin_step(context: LoopContext) -> Step:
    """Ask for the best candidate, then (in a beam) for one for each focus that the first does not treat, and begin them.

    After a kill the same is asked again in the same order: what was begun or heard before is found again, not doubled.
    """
    session = context.session
    state = context.search_state()
    begun: list[PendingAttempt] = []
    made: list[Proposal] = []
    for focus in _wanted(context, state, made):
        if len(begun) == _room(context):
            break
        notebook = context.notebook(session.attempt_count + len(begun) + 1)
        shown = replace(state, focus=focus, begun=tuple(begun))
        proposal = _proposal(context, shown, notebook)
        if proposal is None and notebook.refusal is not None:
            return Step(_numbers(begun), notebook.refusal)
        if proposal is None or _repeats(context, shown, proposal):
            continue
        made.append(proposal)
        number = begin(context, proposal)
        begun.append(next(p for p in session.pending() if p.number == number))
    return Step(_numbers(begun))


def _proposal(context: LoopContext, state: SearchState, notebook: SessionNotebook) -> Proposal | None:
    """What the proposer makes of the focus; if it has nothing against that finding, of any other of the same attempt.

    A proposer that has spent something is not asked twice for one place.
    """
    proposal, focus = context.proposer.propose(state, notebook), state.focus
    if proposal is not None or focus is None or focus.bottleneck is None or notebook.exchanges():
        return proposal
    return context.proposer.propose(replace(state, focus=Focus(focus.parent)), notebook)


def _wanted(context: LoopContext, state: SearchState, made: list[Proposal]) -> Iterator[Focus | None]:
    """What to ask for, in order. made: proposals so far."""
    yield None
    options = context.session.options
    if options.width > 1:
        for focus in foci(state, options.beam, options.bottlenecks):
            if not any(treats(proposal, focus) for proposal in made[:1]):
                yield focus


def _room(context: LoopContext) -> int:
    """How many candidates one step may begin."""
    width, most = context.session.options.width, context.budget.attempts
    return width if most is None else min(width, most - context.session.attempt_count)


def _repeats(context: LoopContext, state: SearchState, proposal: Proposal) -> bool:
    """True in a beam if a candidate was tried or is in hand, in other words or layout; the watchers are told."""
    if context.session.options.width == 1:
        return False
    known = duplicate_of(proposal.candidate, state.tried)
    if known is not None:
        text = f"{proposal.proposer}, {proposal.hypothesis.technique}: not begun: {known.detail}"
        if not any(event.text == text for event in context.session.events()):  # every focus may bring it again
            context.session.emit(Event("note", text=text))
    return known is not None


def _numbers(begun: list[PendingAttempt]) -> tuple[int, ...]:
    return tuple(attempt.number for attempt in begun)
