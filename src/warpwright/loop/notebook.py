"""What a proposer writes down while it converses, in the directory of the attempt that it proposes, and what it may spend."""

from collections.abc import Sequence
from dataclasses import replace

from warpwright.loop.budget import Budget
from warpwright.loop.model.charges import TRIED_AGAIN, exchange_lines, fruitless_lines, tool_line
from warpwright.loop.model.settling import cut_off
from warpwright.proposer.conversation import NO_TRIES, Estimate, Exchange, ToolUse, Tries
from warpwright.proposer.exchange_files import (
    Asking,
    clear_asking,
    read_exchanges,
    read_tool_uses,
    write_asking,
    write_exchange,
    write_tool_use,
)
from warpwright.proposer.registry import REPLAY
from warpwright.record.event import Event
from warpwright.record.ledger.spending import spending
from warpwright.record.session import Session


class SessionNotebook:
    """`Notebook` of one attempt of a session. refusal: why the last request was not allowed, None while all were."""

    def __init__(self, session: Session, budget: Budget, number: int) -> None:
        """Read what a killed process wrote; `settle` has charged it. number: of the attempt."""
        self._session, self._budget, self._number = session, budget, number
        self._directory = session.attempt_directory(number)
        self._exchanges = list(read_exchanges(self._directory))
        self._uses = list(read_tool_uses(self._directory))
        self.refusal: str | None = None
        self._cut_off = cut_off(session, number)

    def exchanges(self) -> Sequence[Exchange]:
        """Those of this attempt so far, in order."""
        return tuple(self._exchanges)

    def keep(self, exchange: Exchange) -> None:
        """Write an exchange, then charge it: a kill between the two is made up for when the notebook is opened again."""
        self._exchanges.append(exchange)
        write_exchange(self._directory, len(self._exchanges), exchange)
        clear_asking(self._directory)
        for entry in exchange_lines(self._number, exchange):
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
        self._session.spend(tool_line(self._number, use))

    def admit(self, model: str, estimate: Estimate, tries: Tries = NO_TRIES) -> str | None:
        """Which cap a request that may take this much would break; None if none, and then it is noted that it is sent."""
        exchange = len(self._exchanges) + 1
        in_hand = spending(fruitless_lines(self._number, model, tries, estimate, TRIED_AGAIN))
        self.refusal = self._budget.refuses(self._session.spending() + in_hand, estimate)
        if self.refusal is None and not model.startswith(REPLAY):
            write_asking(self._directory, Asking(exchange, model, tries, estimate, self._cut_off))
        return self.refusal

    def end(self, reason: str) -> None:
        """Nothing can be asked any more."""
        self.refusal = reason

    def say(self, text: str) -> None:
        """A note among the session's events."""
        self._session.emit(Event("note", attempt=self._number, text=text))
