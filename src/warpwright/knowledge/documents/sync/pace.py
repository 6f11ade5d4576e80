"""When the next request may start: one gap for all threads, and as long as the host asks to be left alone."""

import time
from threading import Event, Lock


class Pace:
    """gap_s: least time between the starts of two requests."""

    def __init__(self, gap_s: float) -> None:
        self.gap_s = gap_s
        self._stop = Event()
        self._lock = Lock()
        self._next_start = 0.0
        self._held_until = 0.0

    @property
    def stopped(self) -> bool:
        """Whether nothing more may start."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Every wait ends at once."""
        self._stop.set()

    def slow_down(self, gap_s: float) -> None:
        """A gap at least as long."""
        self.gap_s = max(self.gap_s, gap_s)

    def hold_off(self, seconds: float) -> None:
        """No request starts for so long, not even one that waits for its turn already."""
        with self._lock:
            self._held_until = max(self._held_until, time.monotonic() + seconds)
            self._next_start = max(self._next_start, self._held_until)

    def wait_for_turn(self) -> bool:
        """Wait until a request may start, in the order in which they ask; False if the run was stopped."""
        while True:
            with self._lock:
                start = max(time.monotonic(), self._next_start)
                self._next_start = start + self.gap_s
            if self._stop.wait(max(0.0, start - time.monotonic())):
                return False
            with self._lock:
                if start >= self._held_until:
                    return True

    def wait(self, seconds: float) -> bool:
        """False if the run was stopped meanwhile."""
        return not self._stop.wait(seconds)
