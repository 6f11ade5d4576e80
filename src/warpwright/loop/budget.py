"""What a session may spend, and the words in which it stops."""

import math
import time
from dataclasses import dataclass, field

from warpwright.proposer.conversation import Estimate
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

    def refuses(self, spent: Spending, request: Estimate) -> str | None:
        """Why a request to a model that may take this much must not be sent, or None.

        Earlier ones of unknown size count as they were reckoned, or as large as this one where they were not, so that a cap
        holds for a server that tells no usage.
        """
        if self.time_limit_s is not None and self.time_is_up():
            return f"budget: time limit of {format_us(self.time_limit_s * US_PER_S)} reached"
        if self.model_calls is not None and spent.calls >= self.model_calls:
            return f"budget: model calls: {spent.calls} of {self.model_calls} used"
        most_tokens = spent.tokens + spent.most_tokens + (spent.unreckoned_tokens + 1) * request.tokens
        if self.tokens is not None and most_tokens > self.tokens:
            used = f"{spent.tokens} of {self.tokens} used{_unknown(spent.without_tokens)}"
            return f"budget: tokens: {used}, and the next request may take {request.tokens}"
        next_usd = 0.0 if request.money_usd is None else request.money_usd
        most_usd = spent.money_usd + spent.most_usd + (spent.unreckoned_usd + 1) * next_usd
        if self.money_usd is not None and most_usd > self.money_usd:
            used = f"{spent.money_usd:.4f} of {self.money_usd:g} USD used{_unknown(spent.without_price)}"
            return f"budget: money: {used}, and the next request may cost {next_usd:.4f}"
        return None


def _unknown(requests: int) -> str:
    return f" and what {requests} requests took is unknown" if requests else ""
