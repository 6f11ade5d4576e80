"""A chat model as proposer, with the built-in strategist behind it: a search never ends because of its model."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from warpwright.candidate.candidate import Candidate
from warpwright.knowledge.documents.library import Library
from warpwright.proposer.conversation import ModelClient, Notebook, Purpose, Reply
from warpwright.proposer.model.costs import Costs
from warpwright.proposer.model.prompt.build import Prompt, build_prompt, build_repair
from warpwright.proposer.model.reply.bad_reply import BadReply
from warpwright.proposer.model.reply.candidate import candidate_of
from warpwright.proposer.model.reply.duplicate import duplicate_of
from warpwright.proposer.model.reply.hypothesis import hypothesis_of
from warpwright.proposer.model.reply.parse import parse_reply
from warpwright.proposer.model.tools.aids import Aids
from warpwright.proposer.model.tools.registry import tools_for
from warpwright.proposer.model.tools.tool import citations_in
from warpwright.proposer.model.turn import Lost, Turn
from warpwright.proposer.protocol import Proposal, Proposer, SearchState
from warpwright.proposer.strategist.tuned import tuned_point
from warpwright.record.attempt import Attempt, Hypothesis

TUNER = "tuner"
_REASON_LENGTH = 400


@dataclass(frozen=True, slots=True)
class ModelAids:
    """What a model may draw on beside the record. library: indexed documents. compile_check: what the compiler says of a
    candidate, without running it. costs: what requests take.
    """

    library: Library | None = None
    compile_check: Callable[[Candidate], str] | None = None
    costs: Costs = field(default_factory=Costs)


class ModelProposer:
    """Asks a model for the next candidate; if that brings nothing usable, the fallback takes the turn and the record says so.

    What the tuner found is entered first, at no cost. Every request and look-up goes through the notebook, so one is needed.
    """

    def __init__(self, client: ModelClient, fallback: Proposer, aids: ModelAids | None = None) -> None:
        self._client = client
        self._fallback = fallback
        self._aids = aids or ModelAids()

    @property
    def name(self) -> str:
        """`openai:gpt-5`, as `--model` names it."""
        return self._client.name

    def propose(self, state: SearchState, notebook: Notebook | None = None) -> Proposal | None:
        """The next candidate; None when nothing is left, or a cap forbids to ask (the notebook has its reason)."""
        tuned = tuned_point(state, TUNER) if state.incumbent and state.focus is None else None
        if tuned is not None:
            return tuned.proposal
        kept = _required(notebook)
        prompt = self.first_prompt(state)
        parent = _parent(state)
        request = _Request(state, parent, parent.candidate, prompt)
        found = self._converse(Purpose.PROPOSE, request, kept)
        if isinstance(found, Proposal):
            return found
        if found.refused:
            return None
        return self._fall_back(found, self._fallback.propose(state, kept), kept)

    def repair(self, state: SearchState, failed: int, notebook: Notebook | None = None) -> Proposal | None:
        """The failed attempt's idea again, mended by its evidence; None if that brings nothing or the idea was another's."""
        attempt = state.attempt(failed)
        if attempt.proposer != self.name:
            return self._fallback.repair(state, failed, notebook)
        kept = _required(notebook)
        prompt = build_repair(state, failed, self._client.takes_tools)
        request = _Request(state, attempt, attempt.candidate, prompt, attempt.hypothesis)
        found = self._converse(Purpose.REPAIR, request, kept)
        if isinstance(found, Proposal):
            return found
        if not found.refused:
            kept.say(f"attempt {failed} is given up: {found.reason}")
        return None

    def first_prompt(self, state: SearchState) -> Prompt:
        """What the model is told before it proposes."""
        parent = _parent(state).number
        bottleneck = None if state.focus is None else state.focus.bottleneck
        hints = state.hints.get(parent, ())
        return build_prompt(state, parent, self._client.takes_tools, hints=hints, bottleneck=bottleneck)

    def _converse(self, purpose: Purpose, request: "_Request", notebook: Notebook) -> Proposal | Lost:
        parent = request.parent.number
        aids = Aids(request.state, self._aids.library, self._aids.compile_check, parent)
        turn = Turn(self._client, notebook, tools_for(aids), self._aids.costs)
        found = turn.converse(purpose, request.prompt.messages, request.judge)
        if isinstance(found, Lost):
            return found
        candidate, hypothesis = found
        shown = (citation for use in notebook.tool_uses() for citation in citations_in(use.answer))
        return Proposal(candidate, hypothesis, self.name, parent, known_citations=(*request.prompt.citations, *shown))

    def _fall_back(self, lost: Lost, proposal: Proposal | None, notebook: Notebook) -> Proposal | None:
        reason = " ".join(lost.reason.split())[:_REASON_LENGTH].rstrip(".")
        if proposal is None:
            notebook.say(f"{reason}; and {self._fallback.name} has nothing left to try")
            return None
        notebook.say(f"{reason}; {self._fallback.name} takes this turn")
        return replace(proposal, reason=reason)


@dataclass(frozen=True, slots=True)
class _Request:
    """What a model is asked for. base: what a reply's plan completes. hypothesis: kept in a repair, None = the reply's own."""

    state: SearchState
    parent: Attempt
    base: Candidate
    prompt: Prompt
    hypothesis: Hypothesis | None = None

    def judge(self, reply: Reply) -> tuple[Candidate, Hypothesis] | BadReply:
        """A candidate that may become an attempt, or exactly why not."""
        state = self.state
        parsed = parse_reply(reply, _entries(self.base), self.base.source)
        if isinstance(parsed, BadReply):
            return parsed
        candidate = candidate_of(parsed, self.base, state.workload, state.gpu)
        if isinstance(candidate, BadReply):
            return candidate
        hypothesis = self.hypothesis or hypothesis_of(parsed, self._treats)
        return duplicate_of(candidate, state.tried) or (candidate, hypothesis)

    @property
    def _treats(self) -> str | None:
        focus = self.state.focus
        if focus is not None and focus.bottleneck is not None:
            return focus.bottleneck
        diagnosis = self.state.diagnoses.get(self.parent.number)
        return None if diagnosis is None else diagnosis.bottleneck


def _parent(state: SearchState) -> Attempt:
    """What is asked for; else the incumbent, or the initial kernel while nothing has passed."""
    return state.attempt(state.incumbent or 1) if state.focus is None else state.attempt(state.focus.parent)


def _entries(candidate: Candidate) -> tuple[str, ...]:
    return tuple(dict.fromkeys(launch.entry for launch in candidate.plan.launches))


def _required(notebook: Notebook | None) -> Notebook:
    if notebook is None:
        raise ValueError("a model proposes only with a notebook: what it spends must be written down")
    return notebook
