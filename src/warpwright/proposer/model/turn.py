"""One turn of a model: it is asked, looks things up, is told what was wrong, until it has said something usable."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from warpwright.proposer.conversation import (
    Exchange,
    FaultKind,
    Message,
    ModelClient,
    ModelFault,
    Notebook,
    Purpose,
    Reply,
    Role,
    ToolCall,
    ToolUse,
    Tries,
)
from warpwright.proposer.exchange_files import encodable, with_kept_calls
from warpwright.proposer.model.costs import Costs
from warpwright.proposer.model.prompt.build import TOOL_CALLS, build_reask
from warpwright.proposer.model.prompt.limits import limits
from warpwright.proposer.model.prompt.quoting import one_line
from warpwright.proposer.model.reply.bad_reply import BadKind, BadReply
from warpwright.proposer.model.said import answers_to, characters_of, shown_again
from warpwright.proposer.model.tools.tool import Tool

RE_ASKS = 2
"""How often a model is told what was wrong with its reply before its turn is over."""
NONE_LEFT = "No look-ups are left in this turn. Answer now, with the header and the kernel."
_BEGINNINGS = (Purpose.PROPOSE, Purpose.REPAIR)


@dataclass(frozen=True, slots=True)
class Lost:
    """A turn that brought nothing. reason: in words that name the model. refused: nothing more can be asked in this session."""

    reason: str
    refused: bool = False


class Turn:
    """One conversation about one attempt. What a killed process had already heard is not asked again."""

    def __init__(self, client: ModelClient, notebook: Notebook, tools: Sequence[Tool], costs: Costs) -> None:
        self._client = client
        self._notebook = notebook
        self._tools = {tool.spec.name: tool for tool in tools} if client.takes_tools else {}
        self._costs = costs
        self._said: list[Message] = []
        self._at = 0
        self._end: int | None = None
        self._looked_up = 0

    def converse[T](
        self, purpose: Purpose, first: Sequence[Message], judge: Callable[[Reply], T | BadReply]
    ) -> T | Lost:
        """What `judge` makes of the first reply that it does not refuse. purpose: `PROPOSE` or `REPAIR`."""
        self._resume(purpose, first)
        messages, asked_again = tuple(first), 0
        while True:
            outcome = self._ask(purpose, messages)
            if not isinstance(outcome, Reply):
                return outcome
            if outcome.calls and self._tools and self._looked_up < TOOL_CALLS:
                purpose, messages = Purpose.TOOL, self._answers(outcome.calls)
                continue
            judged = _unanswerable() if outcome.calls and self._tools else judge(outcome)
            if not isinstance(judged, BadReply):
                return judged
            self._blame(judged)
            if asked_again == RE_ASKS:
                return Lost(f"{self._client.name}: {RE_ASKS + 1} replies not usable; the last: {judged.verdict}")
            asked_again += 1
            purpose, messages = Purpose.RE_ASK, (*self._answers(outcome.calls), build_reask(judged))

    def _resume(self, purpose: Purpose, first: Sequence[Message]) -> None:
        """Go to where this conversation begins among the exchanges of the attempt. Others may stand before and after it: about
        the same attempt, or where several are in hand about another one.
        """
        kept = self._notebook.exchanges()
        starts = [n for n, exchange in enumerate(kept) if exchange.purpose in _BEGINNINGS]
        self._at = next((n for n in starts if _begins(kept[n], purpose, first)), len(kept))
        self._end = next((n for n in starts if n > self._at), None)
        self._answered = _look_ups_in(kept[: self._at])

    def _ask(self, purpose: Purpose, messages: tuple[Message, ...]) -> Reply | Lost:
        exchange = self._recorded() or self._asked(purpose, messages)
        if isinstance(exchange, Lost):
            return exchange
        self._at += 1
        self._said += answers_to(self._said[-1].calls if self._said else (), exchange.messages)
        outcome = exchange.outcome
        if isinstance(outcome, ModelFault):
            return Lost(f"{outcome.message.rstrip('.')} ({_fault_words(outcome)})")
        outcome = with_kept_calls(outcome)  # records of earlier versions have all
        self._said.append(shown_again(outcome))
        return outcome

    def _recorded(self) -> Exchange | None:
        """What was heard here before a kill; a conversation ends where the next one begins."""
        kept = self._notebook.exchanges()[: self._end]
        return kept[self._at] if self._at < len(kept) else None

    def _asked(self, purpose: Purpose, messages: tuple[Message, ...]) -> Exchange | Lost:
        """Ask, and have the reply on disk before anything is done with it."""
        conversation = (*self._said, *messages)
        specs = tuple(tool.spec for tool in self._tools.values())
        characters = characters_of(conversation, specs)
        model, estimate = self._client.name, self._costs.next_request(self._client.name, characters)
        refusal = self._notebook.admit(model, estimate)
        if refusal is not None:
            return Lost(refusal, refused=True)

        def forbids(tries: Tries) -> str | None:
            return self._notebook.admit(model, estimate, tries)

        outcome = encodable(self._client.ask(conversation, specs, forbids))
        if isinstance(outcome, ModelFault) and outcome.kind is FaultKind.USED_UP:
            self._notebook.end(outcome.message)
            return Lost(outcome.message, refused=True)
        money_usd = self._costs.of(model, outcome)
        exchange = Exchange(purpose, model, messages, outcome, money_usd, estimate=estimate)
        self._notebook.keep(exchange)
        self._at, self._end = len(self._notebook.exchanges()) - 1, None
        return exchange

    def _answers(self, calls: Sequence[ToolCall]) -> tuple[Message, ...]:
        """Answers to every look-up that a reply asks for, since providers insist; beyond the allowance only words."""
        return tuple(Message(Role.TOOL, self._answer(call), call_id=call.id) for call in calls)

    def _answer(self, call: ToolCall) -> str:
        if self._looked_up >= TOOL_CALLS:
            return NONE_LEFT
        self._looked_up += 1
        self._answered += 1
        if self._recorded() is not None:  # the request that this answer went into is recorded, and stands in for it
            return ""
        used = next(iter(self._notebook.tool_uses()[self._answered - 1 :]), None)
        if used is not None and (used.name, used.arguments) == (call.name, call.arguments):
            return used.answer
        tool = self._tools.get(call.name)
        started = time.monotonic()
        if tool is None:
            answer = f"There is no look-up {one_line(call.name, limits().title)}. There are: {', '.join(self._tools)}."
        else:
            answer = encodable(tool.run(call.arguments))
        self._notebook.keep_tool(ToolUse(call.name, call.arguments, answer, time.monotonic() - started))
        return answer

    def _blame(self, bad: BadReply) -> None:
        """Note what was wrong with the reply, unless that was done before a kill."""
        kept = self._notebook.exchanges()
        if self._at == len(kept) and not kept[-1].verdict:
            self._notebook.judge(bad.verdict)
            self._notebook.say(f"{self._client.name}: reply not usable: {bad.verdict}")


def _begins(exchange: Exchange, purpose: Purpose, first: Sequence[Message]) -> bool:
    """True if an exchange began this very conversation: what was written of it had to be encodable."""
    return exchange.purpose is purpose and encodable(exchange.messages) == encodable(tuple(first))


def _look_ups_in(exchanges: Sequence[Exchange]) -> int:
    """Look-ups that were made for some exchanges."""
    return sum(m.role is Role.TOOL and m.text != NONE_LEFT for exchange in exchanges for m in exchange.messages)


def _unanswerable() -> BadReply:
    return BadReply(BadKind.NO_CODE, f"found a call of a look-up. {NONE_LEFT}")


def _fault_words(fault: ModelFault) -> str:
    return fault.kind.value if fault.tries <= 1 else f"{fault.kind.value}, {fault.tries} tries"
