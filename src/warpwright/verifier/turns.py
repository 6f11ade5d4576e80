"""One thread at a time for each thing that is worth computing once."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock


@dataclass(slots=True)
class _Turn:
    lock: Lock = field(default_factory=Lock)
    users: int = 0


class Turns:
    """A lock for each key, there while somebody holds it or waits for it. Safe for threads."""

    def __init__(self) -> None:
        self._turns: dict[Hashable, _Turn] = {}
        self._lock = Lock()

    @contextmanager
    def of(self, key: Hashable) -> Iterator[None]:
        """Wait until no other thread is at this key; then look first whether it left what is wanted."""
        with self._lock:
            turn = self._turns.setdefault(key, _Turn())
            turn.users += 1
        try:
            with turn.lock:
                yield
        finally:
            with self._lock:
                turn.users -= 1
                if turn.users == 0:
                    del self._turns[key]
