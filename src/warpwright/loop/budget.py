"""What a session may spend, and the words in which it stops."""

import math
import time
from dataclasses import dataclass, field

from warpwright.units import US_PER_S, format_us


@dataclass(slots=True)
class Budget:
    """Caps on one session, held over all its processes; None = no cap.

    spent_s: wall time that earlier processes of this session took (from the ledger).
    patience: attempts without a new incumbent after which the search ends.
    """

    attempts: int | None
    time_limit_s: float | None
    patience: int
    max_repairs: int
    spent_s: float = 0.0
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
        if self.time_is_up():
            return (
                f"budget: time limit of {format_us(self.time_limit_s * US_PER_S)} reached"
                if self.time_limit_s
                else None
            )
        if incumbent and attempts - incumbent >= self.patience:
            return f"no gain in {attempts - incumbent} attempts"
        return None

    def time_is_up(self) -> bool:
        """True once the wall-clock limit is reached."""
        return self.time_limit_s is not None and self.elapsed_s() >= self.time_limit_s
