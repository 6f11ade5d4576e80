"""Work that somebody will ask for, done by threads in the background until it is."""

from collections import deque
from collections.abc import Callable, Iterable
from threading import Lock, Thread, current_thread

from warpwright.errors import InfrastructureError, WorkloadError


class Prefetch[T]:
    """A queue and the threads that work it off, first come, first served. Safe for threads.

    work: of one item. If it fails the rest is given up in silence: whoever asks for an item meets the failure.
    threads: at most; they live while there is something to do.
    """

    def __init__(self, work: Callable[[T], None], threads: int) -> None:
        self._work = work
        self._most = threads
        self._waiting: deque[T] = deque()
        self._threads: set[Thread] = set()
        self._stopped = False
        self._lock = Lock()

    def add(self, items: Iterable[T]) -> None:
        """Behind all others. After `stop` nothing happens."""
        with self._lock:
            if self._stopped:
                return
            self._waiting.extend(items)
            for _ in range(min(self._most - len(self._threads), len(self._waiting))):
                thread = Thread(target=self._run, name="prefetch", daemon=True)
                self._threads.add(thread)
                thread.start()

    def stop(self) -> None:
        """Begin nothing more; what is under way goes on."""
        with self._lock:
            self._stopped = True
            self._waiting.clear()

    def join(self) -> None:
        """Wait until everything is done or, after `stop`, what is under way."""
        while True:
            with self._lock:
                thread = next(iter(self._threads), None)
            if thread is None:
                return
            thread.join()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._threads.discard(current_thread())
                    return
                item = self._waiting.popleft()
            try:
                self._work(item)
            except (WorkloadError, InfrastructureError, MemoryError):
                with self._lock:
                    self._waiting.clear()
