"""What a session may spend, and the words in which it stops."""

import math
import time
from dataclasses import dataclass, field

from warpwright.proposer.conversation import Allowance
from warpwright.record.ledger.spending import Spending
from warpwright.units import US_PER_S, format_us


@dataclass(slots=True)
class Budget:
    """Caps on one session, held over all its processes; None = no cap.

    spent_s: wall time that earlier processes of this session took (from the ledger).
    patience: attempts without a new incumbent after which the search ends.
    model_calls, tokens (read and written), money_usd: what may be spent on a model.
    """

    attempts: int | None
    time_limit_s: float | None
    patience: int
    max_repairs: int
    spent_s: float = 0.0
    model_calls: int | None = None
    tokens: int | None = None
    money_usd: float | None = None
    _opened: float = field(default_factory=time.monotonic)

    def elapsed_s(self) -> float:
        """Wall seconds of the session, this process included."""
        return self.spent_s + time.monotonic() - self._opened

    def share_ends_s(self, share: float) -> float:
        """`elapsed_s` at which a part of the time that is left will be used up; infinite without a limit."""
        if self.time_limit_s is None:
            return math.inf
        now_s = self.elapsed_s()
        return now_s + share * max(self.time_limit_s - now_s, 0.0)

    def exhausted(self, attempts: int, incumbent: int) -> str | None:
        """Why no further attempt may begin, or None. attempts: finished ones; incumbent: its number."""
        if self.attempts is not None and attempts >= self.attempts:
            return f"budget: {attempts} of {self.attempts} attempts used"
        if self.time_limit_s is not None and self.time_is_up():
            return f"budget: time limit of {format_us(self.time_limit_s * US_PER_S)} reached"
        if incumbent and attempts - incumbent >= self.patience:
            return f"no gain in {attempts - incumbent} attempts"
        return None

    def time_is_up(self) -> bool:
        """True once the wall-clock limit is reached."""
        return self.time_limit_s is not None and self.elapsed_s() >= self.time_limit_s

    def allowance(self, spent: Spending) -> Allowance:
        """What may still be spent on a model."""
        return Allowance(
            None if self.model_calls is None else self.model_calls - spent.calls,
            None if self.tokens is None else self.tokens - spent.tokens,
            None if self.money_usd is None else self.money_usd - spent.money_usd,
        )

    def refuses(self, spent: Spending, tokens: int, money_usd: float | None) -> str | None:
        """Why a request to a model that may take this much must not be sent, or None.

        Earlier ones of unknown size count as large as this one, so that a cap holds for a server that tells no usage.
        """
        left = self.allowance(spent)
        if self.time_limit_s is not None and self.time_is_up():
            return f"budget: time limit of {format_us(self.time_limit_s * US_PER_S)} reached"
        if left.calls is not None and left.calls < 1:
            return f"budget: model calls: {spent.calls} of {self.model_calls} used"
        if left.tokens is not None and left.tokens - spent.without_tokens * tokens < tokens:
            used = f"{spent.tokens} of {self.tokens} used{_unknown(spent.without_tokens)}"
            return f"budget: tokens: {used}, and the next request may take {tokens}"
        next_usd = 0.0 if money_usd is None else money_usd
        if left.money_usd is not None and left.money_usd - spent.without_price * next_usd < next_usd:
            used = f"{spent.money_usd:.4f} of {self.money_usd:g} USD used{_unknown(spent.without_price)}"
            return f"budget: money: {used}, and the next request may cost {next_usd:.4f}"
        return None


def _unknown(requests: int) -> str:
    return f" and what {requests} requests took is unknown" if requests else ""
