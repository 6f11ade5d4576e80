"""What a proposer writes down while it converses, in the directory of the attempt that it proposes, and what it may spend."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Self

from warpwright.loop.budget import Budget
from warpwright.proposer.conversation import REFUSED, Allowance, Exchange, ModelFault, ToolUse
from warpwright.proposer.exchange_files import read_exchanges, read_tool_uses, write_exchange, write_tool_use
from warpwright.proposer.registry import REPLAY
from warpwright.record.event import Event, LedgerEntry
from warpwright.record.ledger.spending import FAULT
from warpwright.record.session import Session

_REPLY = "reply"
_TRIED_AGAIN = f"{FAULT}: tried again"


class SessionNotebook:
    """`Notebook` of one attempt of a session. refusal: why the last request was not allowed, None while all were."""

    def __init__(self, session: Session, budget: Budget, number: int) -> None:
        """Read what a killed process wrote; what of it is missing in the ledger is charged now. number: of the attempt."""
        self._session, self._budget, self._number = session, budget, number
        self._directory = session.attempt_directory(number)
        self._exchanges = list(read_exchanges(self._directory))
        self._uses = list(read_tool_uses(self._directory))
        self.refusal: str | None = None
        self._charge_forgotten()

    @classmethod
    def of_next(cls, session: Session, budget: Budget) -> Self:
        """For the attempt that is begun next."""
        return cls(session, budget, session.next_number)

    def exchanges(self) -> Sequence[Exchange]:
        """Those of this attempt so far, in order."""
        return tuple(self._exchanges)

    def keep(self, exchange: Exchange) -> None:
        """Write an exchange, then charge it: a kill between the two is made up for when the notebook is opened again."""
        self._exchanges.append(exchange)
        write_exchange(self._directory, len(self._exchanges), exchange)
        for entry in _model_entries(self._number, exchange):
            self._session.spend(entry)

    def judge(self, verdict: str) -> None:
        """Note what was wrong with the last reply."""
        judged = replace(self._exchanges[-1], verdict=verdict)
        self._exchanges[-1] = judged
        write_exchange(self._directory, len(self._exchanges), judged)

    def tool_uses(self) -> Sequence[ToolUse]:
        """Those of this attempt so far, in order."""
        return tuple(self._uses)

    def keep_tool(self, use: ToolUse) -> None:
        """Write a look-up, then charge it."""
        self._uses.append(use)
        write_tool_use(self._directory, len(self._uses), use)
        self._session.spend(_tool_entry(self._number, use))

    def allowance(self) -> Allowance:
        """What the session's caps leave."""
        return self._budget.allowance(self._session.spending())

    def refuses(self, tokens: int, money_usd: float | None) -> str | None:
        """Which cap a request that may take this much would break, or None."""
        self.refusal = self._budget.refuses(self._session.spending(), tokens, money_usd)
        return self.refusal

    def say(self, text: str) -> None:
        """A note among the session's events."""
        self._session.emit(Event("note", attempt=self._number, text=text))

    def _charge_forgotten(self) -> None:
        if not self._exchanges and not self._uses:
            return
        charged = [entry for entry in self._session.ledger() if entry.attempt == self._number]
        for entry in self._forgotten([entry.outcome for entry in charged if entry.kind == "model"]):
            self._session.spend(entry)
        for use in self._uses[sum(entry.kind == "tool" for entry in charged) :]:
            self._session.spend(_tool_entry(self._number, use))

    def _forgotten(self, charged: Sequence[str]) -> Iterator[LedgerEntry]:
        """Lines of requests that the ledger lacks, behind its last line: the kill came there. charged: outcomes in the ledger.

        Each exchange has one line with its outcome, and in a ledger of an older version that alone, however often it was
        tried: lines are therefore counted within the last exchange that has one, never over several.
        """
        first_lines = [place for place, outcome in enumerate(charged) if outcome != _TRIED_AGAIN]
        known = len(first_lines)
        for exchange in self._exchanges[:known][-1:]:
            yield from _model_entries(self._number, exchange)[len(charged) - first_lines[-1] :]
        for exchange in self._exchanges[known:]:
            yield from _model_entries(self._number, exchange)


def _model_entries(number: int, exchange: Exchange) -> tuple[LedgerEntry, ...]:
    """A line for each request of an exchange: the last one, which had the outcome, then those that were tried before it."""
    outcome, replayed = exchange.outcome, exchange.model.startswith(REPLAY)
    money_usd = 0.0 if replayed else None
    lost = LedgerEntry("model", number, 0.0, model=exchange.model, money_usd=money_usd, outcome=_TRIED_AGAIN)
    refused = replace(lost, tokens_in=0, tokens_out=0, money_usd=0.0)
    others = outcome.tries - 1 - outcome.refused
    return (_last_entry(number, exchange), *[refused] * outcome.refused, *[lost] * others)


def _last_entry(number: int, exchange: Exchange) -> LedgerEntry:
    outcome = exchange.outcome
    if isinstance(outcome, ModelFault):
        tokens = 0 if outcome.kind in REFUSED else None
        return LedgerEntry(
            "model",
            number,
            outcome.seconds,
            model=exchange.model,
            tokens_in=tokens,
            tokens_out=tokens,
            money_usd=exchange.money_usd,
            outcome=f"{FAULT}: {outcome.kind.value}",
        )
    usage = outcome.usage
    return LedgerEntry(
        "model",
        number,
        outcome.seconds,
        model=exchange.model,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        tokens_cached=usage.tokens_cached,
        money_usd=exchange.money_usd,
        outcome=_REPLY,
    )


def _tool_entry(number: int, use: ToolUse) -> LedgerEntry:
    return LedgerEntry("tool", number, use.seconds, outcome=use.name)
