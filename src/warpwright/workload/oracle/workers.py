"""The oracle's processes: started when they are needed, as many at a time as cores and memory allow."""

import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition

from warpwright.errors import InfrastructureError
from warpwright.physical_memory import physical_memory_bytes
from warpwright.units import GIB
from warpwright.workload.oracle.channel import Channel

MOST_WORKERS = 6
"""More gain little: NumPy on large arrays is limited by the memory's bandwidth."""
_MEMORY_SHARE = 3
_UNKNOWN_MEMORY_BYTES = 2 * GIB
_RETRY_S = 0.05


class Workers:
    """Lends processes to threads in the order in which they ask. Safe for threads.

    memory_bytes: what all calls at a time may need together; a single call may need more.
    """

    def __init__(self, make: Callable[[], Channel], most: int | None = None, memory_bytes: int | None = None) -> None:
        self.most = most_workers() if most is None else most
        """Processes at a time."""
        self._make = make
        self._memory_bytes = _memory_bytes() if memory_bytes is None else memory_bytes
        self._changed = Condition()
        self._waiting: deque[object] = deque()
        self._idle: list[Channel] = []
        self._busy: list[Channel] = []
        self._needed_bytes = 0
        self._closed = False

    @property
    def closed(self) -> bool:
        """True after `close`: calls under way have been cut off."""
        return self._closed

    @contextmanager
    def one(self, needed_bytes: int) -> Iterator[Channel]:
        """A process for one call that needs that much memory. Raises: InfrastructureError after `close`."""
        channel = self._take(needed_bytes)
        try:
            yield channel
        finally:
            with self._changed:
                self._busy.remove(channel)
                self._idle.append(channel)
                self._needed_bytes -= needed_bytes
                self._changed.notify_all()

    def close(self) -> None:
        """End all processes, also those that work."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            while self._busy:
                for channel in self._busy:
                    channel.interrupt()  # one that is only just starting is caught the next time
                self._changed.wait(_RETRY_S)
            while self._idle:
                self._idle.pop().close()

    def _take(self, needed_bytes: int) -> Channel:
        place = object()
        with self._changed:
            self._waiting.append(place)
            try:
                self._changed.wait_for(lambda: self._closed or (self._waiting[0] is place and self._fits(needed_bytes)))
            finally:
                self._waiting.remove(place)
                self._changed.notify_all()
            if self._closed:
                raise InfrastructureError("the oracle is closed; open another one to compute expected outputs")
            channel = self._idle.pop() if self._idle else self._make()
            self._busy.append(channel)
            self._needed_bytes += needed_bytes
            return channel

    def _fits(self, needed_bytes: int) -> bool:
        if not self._busy:
            return True
        return len(self._busy) < self.most and self._needed_bytes + needed_bytes <= self._memory_bytes


def most_workers() -> int:
    """Half of the cores here, no more than MOST_WORKERS: the others are for the candidate's build, run and comparison."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MOST_WORKERS, cores // 2))


def _memory_bytes() -> int:
    total = physical_memory_bytes()
    return _UNKNOWN_MEMORY_BYTES if total is None else total // _MEMORY_SHARE
