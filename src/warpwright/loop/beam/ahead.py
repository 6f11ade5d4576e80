"""What was found of candidates before their turn: kept in memory alone, since a process that is killed finds it again."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from warpwright.evaluation.course import Examined


@dataclass(frozen=True, slots=True)
class Found:
    """One candidate that was examined, in `spent_s` by its own clock. share_s: its part of the wall time of all of them."""

    examined: Examined
    share_s: float
    spent_s: float


@dataclass(slots=True)
class Ahead:
    """Candidates by attempt number. Safe for threads."""

    _found: dict[int, Examined] = field(default_factory=dict)
    _spans: dict[int, tuple[float, float]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def examine(self, number: int, examine: Callable[[], Examined]) -> None:
        """Keep what `examine` finds, with the time that it took."""
        began = time.monotonic()
        examined = examine()
        with self._lock:
            if not self._found:
                self._spans.clear()
            self._found[number] = examined
            self._spans[number] = (began, time.monotonic())

    def take(self, number: int) -> Found | None:
        """What is known of an attempt, once; None if it was not examined in this process."""
        with self._lock:
            examined = self._found.pop(number, None)
            return None if examined is None else Found(examined, self._share_s(), sum(examined.course.seconds.values()))

    def _share_s(self) -> float:
        """All wall time of those that were examined together, spread evenly: they shared the machine."""
        begun, ended = zip(*self._spans.values(), strict=True)
        return float(max(ended) - min(begun)) / len(self._spans)
