"""What a proposer writes down while it converses, in the directory of the attempt that it proposes, and what it may spend."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Self

from warpwright.loop.budget import Budget
from warpwright.loop.model.charges import CUT_OFF, cut_off_lines, exchange_lines, forgotten_lines, tool_line
from warpwright.proposer.conversation import NO_TRIES, Allowance, Exchange, ToolUse, Tries
from warpwright.proposer.exchange_files import (
    Asking,
    clear_asking,
    read_asking,
    read_exchanges,
    read_tool_uses,
    write_asking,
    write_exchange,
    write_tool_use,
)
from warpwright.proposer.registry import REPLAY
from warpwright.record.event import Event
from warpwright.record.ledger.spending import Spending
from warpwright.record.session import Session


class SessionNotebook:
    """`Notebook` of one attempt of a session. refusal: why the last request was not allowed, None while all were."""

    def __init__(self, session: Session, budget: Budget, number: int) -> None:
        """Read what a killed process wrote; what of it is missing in the ledger is charged now. number: of the attempt."""
        self._session, self._budget, self._number = session, budget, number
        self._directory = session.attempt_directory(number)
        self._exchanges = list(read_exchanges(self._directory))
        self._uses = list(read_tool_uses(self._directory))
        self.refusal: str | None = None
        self._cut_off = 0
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

    def allowance(self) -> Allowance:
        """What the session's caps leave."""
        return self._budget.allowance(self._session.spending())

    def admit(self, model: str, estimate: tuple[int, float | None], tries: Tries = NO_TRIES) -> str | None:
        """Which cap a request that may take this much would break; None if none, and then it is noted that it is sent."""
        unknown = 0 if model.startswith(REPLAY) else tries.sent - tries.refused
        spent = self._session.spending() + Spending(
            calls=tries.sent, without_tokens=tries.sent - tries.refused, without_price=unknown
        )
        self.refusal = self._budget.refuses(spent, *estimate)
        if self.refusal is None and not model.startswith(REPLAY):
            write_asking(self._directory, Asking(len(self._exchanges) + 1, model, tries, self._cut_off))
        return self.refusal

    def say(self, text: str) -> None:
        """A note among the session's events."""
        self._session.emit(Event("note", attempt=self._number, text=text))

    def _charge_forgotten(self) -> None:
        asking = read_asking(self._directory)
        if not self._exchanges and not self._uses and asking is None:
            return
        lines = [entry for entry in self._session.ledger() if entry.attempt == self._number]
        charged = [entry.outcome for entry in lines if entry.kind == "model"]
        for entry in forgotten_lines(self._number, self._exchanges, charged):
            self._session.spend(entry)
        for entry in cut_off_lines(self._number, len(self._exchanges), asking, charged):
            self._session.spend(entry)
        for use in self._uses[sum(entry.kind == "tool" for entry in lines) :]:
            self._session.spend(tool_line(self._number, use))
        self._cut_off = sum(each.attempt == self._number and each.outcome == CUT_OFF for each in self._session.ledger())
