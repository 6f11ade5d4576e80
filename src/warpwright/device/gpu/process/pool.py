"""Harness processes of one GPU: one in use, others ready behind it, none that a candidate has run in ever used again."""

import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np

from warpwright.device.gpu.own_kernels import OWN_MODULE, OwnKernels
from warpwright.device.gpu.process.client import HarnessClient
from warpwright.device.gpu.process.connection import Connection, connect
from warpwright.device.gpu.process.turns import Turns
from warpwright.device.gpu.wire.messages import Answer
from warpwright.device.gpu.wire.replies import Hello, Loaded, Opened, WireFault, parse
from warpwright.errors import InfrastructureError, UnavailableError
from warpwright.isolation.process import WorkerEnded

OPEN_LIMIT_S = 60.0
LOAD_LIMIT_S = 60.0
SPARES = 2
"""One for the next verification, one for the benchmark behind it, before which no time is left to start it."""
SPARES_VERIFYING = 1
"""While a candidate is verified: its benchmark would wait for a second one that is being started."""
MOST_LIVING = 3
"""Processes that have not ended: each has a context and takes device memory."""
_AT_ONCE = 2
"""Processes that start or end at the same time: starting takes a quarter of a second, and each candidate needs two."""
_LOGGER = logging.getLogger(__name__)


class AnotherHarness(InfrastructureError):
    """What answers is not what the session began with."""


class HarnessPool:
    """Fresh processes with a context and our own kernels in it. Thread-safe.

    Processes start and end in the background, two at a time, between `upkeep` and `settle`, and while no other session
    measures; those that are no longer needed are parked until then, since an idle context disturbs nobody.
    greeted: a process that has said hello already; it becomes the first spare. Nothing can be taken before `provide`.
    """

    def __init__(self, connection: Connection, hello: Hello, greeted: HarnessClient, turns: Turns) -> None:
        self._connection = connection
        self._hello = hello
        self._turns = turns
        self._kernels: OwnKernels | None = None
        self._changed = threading.Condition()
        self._greeted: HarnessClient | None = greeted
        self._living: set[HarnessClient] = {greeted}
        self._spares: deque[HarnessClient] = deque()
        self._parked: deque[HarnessClient] = deque()
        self._wanted = SPARES
        self._starting = 0
        self._unborn = 0  # of those that are being started: not yet among the living
        self._background = ThreadPoolExecutor(max_workers=_AT_ONCE, thread_name_prefix="harness-pool")
        self._busy = 0
        self._settled = False
        self._closed = False

    @property
    def living(self) -> frozenset[int]:
        """Process ids of all that have not ended."""
        with self._changed:
            return frozenset(client.pid for client in self._living)

    def provide(self, kernels: OwnKernels) -> None:
        """What each process loads first; the process that was greeted is made ready in the background."""
        with self._changed:
            self._kernels = kernels
        self.upkeep()

    def take(self) -> HarnessClient:
        """A process in which no candidate has run. Raises: InfrastructureError if none comes up."""
        with self._changed:
            while not self._spares and (self._starting or (self._busy and self._greeted is not None)):
                self._changed.wait()
            dead: list[HarnessClient] = []
            while self._spares and not self._spares[0].running:
                dead.append(self._spares.popleft())
            spare = self._spares.popleft() if self._spares else None
            self._unborn += spare is None
        for client in dead:
            self.discard(client)
        if spare is not None:
            return spare
        with self._turns.unmeasured(lambda: self._closed):
            self._make_room()
            return self._ready()

    def upkeep(self, spares: int = SPARES) -> None:
        """From now on parked processes end in the background, and others start until there are so many spares."""
        with self._changed:
            self._settled = False
            self._wanted = spares
            while not self._closed and self._busy < _AT_ONCE:
                self._busy += 1
                self._background.submit(self._keep_up)

    def pause(self) -> None:
        """Begin nothing in the background until `upkeep`."""
        with self._changed:
            self._settled = True

    def settle(self) -> None:
        """Pause, and wait for what has begun: before a measurement."""
        self.pause()
        with self._changed:
            while self._busy and not self._closed:
                self._changed.wait()

    def retire(self, client: HarnessClient) -> None:
        """Put a process aside that is no longer needed; `upkeep` ends it."""
        with self._changed:
            self._parked.append(client)

    def discard(self, client: HarnessClient) -> None:
        """End a process at once."""
        client.kill()
        self._forget(client)

    def close(self) -> None:
        """End every process; doing it twice is harmless."""
        with self._changed:
            self._closed = True
            living = list(self._living)
        for client in living:
            client.kill()
        self._background.shutdown(wait=True, cancel_futures=True)
        for client in list(self._living):  # one that was being started meanwhile
            self.discard(client)
        self._living.clear()
        self._spares.clear()
        self._parked.clear()

    def _keep_up(self) -> None:
        """Steps until there is nothing to do; behind a start that failed only ends."""
        finished = failed = False
        try:
            while not finished:
                try:
                    finished = not self._step(failed)
                except (InfrastructureError, UnavailableError) as error:
                    _LOGGER.debug("a spare harness process did not come up: %s", error)  # whoever takes one is told
                    if failed:
                        return
                    failed = True
        finally:
            if not finished:
                with self._changed:
                    self._busy -= 1
                    self._changed.notify_all()

    def _step(self, failed: bool) -> bool:
        """Start or end one process once no session measures; False if there is nothing to do now. failed: start none."""
        with self._turns.unmeasured(lambda: self._settled or self._closed) as allowed:
            step = self._next_step(allowed, failed)
            if step is not None:
                step()
            return step is not None

    def _next_step(self, allowed: bool, failed: bool) -> Callable[[], None] | None:
        """What to do; None if there is nothing to do now. allowed: False if it was not, when asked. failed: start none."""
        with self._changed:
            step: Callable[[], None] | None = None
            coming = len(self._spares) + self._starting
            room = len(self._living) + self._unborn < MOST_LIVING and coming < self._wanted
            if self._settled or self._closed:
                step = None
            elif not allowed:
                step = _look_again
            elif self._greeted is not None and not failed:
                greeted, self._greeted = self._greeted, None
                step = partial(self._start, lambda: self._make_ready(greeted))
                self._starting += 1
            elif room and not failed and not (self._parked and coming):
                step = partial(self._start, self._ready)
                self._starting += 1
                self._unborn += 1
            elif self._parked:
                step = partial(self._end, self._parked.popleft())
            self._busy -= step is None
            self._changed.notify_all()
            return step

    def _start(self, ready: Callable[[], HarnessClient]) -> None:
        try:
            client = ready()
            with self._changed:
                self._spares.append(client)
        finally:
            with self._changed:
                self._starting -= 1
                self._changed.notify_all()

    def _make_room(self) -> None:
        """End parked processes, or wait for those that are ending, until there may be one more."""
        while True:
            with self._changed:
                while len(self._living) >= MOST_LIVING and not self._parked and self._busy:
                    self._changed.wait()
                if len(self._living) < MOST_LIVING or not self._parked:
                    return
                parked = self._parked.popleft()
            self._end(parked)

    def _end(self, client: HarnessClient) -> None:
        client.close()
        self._forget(client)

    def _ready(self) -> HarnessClient:
        """One that is counted as unborn."""
        try:
            client, hello = self._greet()
        except UnavailableError as error:
            raise InfrastructureError(f"{error} It was there before; the session can be resumed.") from error
        if (hello.uuid, hello.build) != (self._hello.uuid, self._hello.build):
            self.discard(client)
            raise AnotherHarness(
                f"another GPU or harness answers now: {hello.name} {hello.uuid}, build {hello.build}; this run began with "
                f"{self._hello.uuid}, build {self._hello.build}. Resume the session to go on with what is there now."
            )
        return self._make_ready(client)

    def _greet(self) -> tuple[HarnessClient, Hello]:
        """As `connect`; what does not come up is ended, and no longer counted."""
        begun: list[HarnessClient] = []

        def remember(client: HarnessClient) -> None:
            begun.append(client)
            self._remember(client)

        greeted = False
        try:
            found = connect(replace(self._connection, on_start=remember))
            greeted = True
            return found
        finally:
            if not greeted:
                for client in begun:
                    self.discard(client)
            if not begun:
                with self._changed:
                    self._unborn -= 1

    def _make_ready(self, client: HarnessClient) -> HarnessClient:
        """Context and own kernels. Raises: InfrastructureError; the process is then gone."""
        kernels = self._kernels
        if kernels is None:
            raise InfrastructureError("the GPU was used before `prepare` gave it the harness's own kernels.")
        ready = False
        try:
            parse(Opened, _result(client.request("open", time_limit_s=OPEN_LIMIT_S), "open"), "open")
            load(client, OWN_MODULE, kernels.cubin, kernels.symbols)
            ready = True
            return client
        except WorkerEnded as ended:
            raise InfrastructureError(
                f"the harness ended while it opened the GPU ({ended}). Its last words:\n{ended.stderr}"
            ) from ended
        finally:
            if not ready:
                self.discard(client)

    def _remember(self, client: HarnessClient) -> None:
        with self._changed:
            self._living.add(client)
            self._unborn -= 1
            closed = self._closed
        if closed:
            client.kill()

    def _forget(self, client: HarnessClient) -> None:
        with self._changed:
            self._living.discard(client)
            self._changed.notify_all()


def _look_again() -> None:
    """Nothing was allowed since nothing was wanted, and now something is."""


def load(
    client: HarnessClient, name: str, cubin: bytes, symbols: tuple[str, ...], variables: tuple[str, ...] = ()
) -> None:
    """Load a cubin under a name. variables: writable ones. Raises: HarnessError, WorkerEnded."""
    fields = {"name": name, "symbols": list(symbols), "globals": list(variables)}
    image = np.frombuffer(cubin, np.uint8)
    answer = client.request("load", fields, (image,), time_limit_s=LOAD_LIMIT_S)
    parse(Loaded, _result(answer, "load"), "load")


def _result(answer: Answer | WireFault, operation: str) -> object:
    """Raises: InfrastructureError for a fault where no candidate runs."""
    if isinstance(answer, WireFault):
        raise InfrastructureError(
            f"the GPU failed at `{operation}`, before any candidate ran: {answer.message} ({answer.name or answer.kind})"
        )
    return answer.body
