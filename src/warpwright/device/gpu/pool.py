"""Harness processes of one GPU: one in use, one ready behind it, none that a candidate has run in ever used again."""

import logging
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from warpwright.device.gpu.client import Answer, HarnessClient
from warpwright.device.gpu.connection import Connection, connect
from warpwright.device.gpu.own_kernels import OWN_MODULE, OwnKernels
from warpwright.device.gpu.replies import Hello, Loaded, Opened, WireFault, parse
from warpwright.errors import InfrastructureError, UnavailableError
from warpwright.isolation.process import WorkerEnded

OPEN_LIMIT_S = 60.0
LOAD_LIMIT_S = 60.0
_LOGGER = logging.getLogger(__name__)


class AnotherHarness(InfrastructureError):
    """What answers is not what the session began with."""


class HarnessPool:
    """Fresh processes with a context and our own kernels in it. Thread-safe.

    greeted: a process that has said hello already; it becomes the first spare. Nothing can be taken before `provide`.
    """

    def __init__(self, connection: Connection, hello: Hello, greeted: HarnessClient) -> None:
        self._connection = replace(connection, on_start=self._remember)
        self._hello = hello
        self._kernels: OwnKernels | None = None
        self._lock = threading.Lock()
        self._greeted: HarnessClient | None = greeted
        self._living: set[HarnessClient] = {greeted}
        self._background = ThreadPoolExecutor(max_workers=1, thread_name_prefix="harness-pool")
        self._spare: Future[HarnessClient] | None = None
        self._retiring: list[Future[None]] = []
        self._closed = False

    @property
    def living(self) -> frozenset[int]:
        """Process ids of all that have not ended."""
        with self._lock:
            return frozenset(client.pid for client in self._living)

    def provide(self, kernels: OwnKernels) -> None:
        """What each process loads first; the process that was greeted is made ready in the background."""
        with self._lock:
            self._kernels = kernels
            greeted, self._greeted = self._greeted, None
            if greeted is not None:
                self._spare = self._background.submit(self._make_ready, greeted)

    def take(self) -> HarnessClient:
        """A process in which no candidate has run. Raises: InfrastructureError if none comes up."""
        with self._lock:
            spare, self._spare = self._spare, None
        if spare is not None:
            try:
                client = spare.result()
            except (InfrastructureError, UnavailableError) as error:
                _LOGGER.debug("the spare harness process did not come up: %s", error)
            else:
                if client.running:
                    return client
                self._forget(client)
        return self._ready()

    def prepare_spare(self) -> None:
        """Start the next process in the background if there is none."""
        with self._lock:
            if self._spare is None and not self._closed:
                self._spare = self._background.submit(self._ready)

    def settle(self) -> None:
        """Wait until nothing starts or ends in the background: before a measurement."""
        with self._lock:
            waiting: list[Future[Any]] = [*self._retiring, *([self._spare] if self._spare is not None else [])]
            self._retiring = []
        for future in waiting:
            future.exception()

    def retire(self, client: HarnessClient) -> None:
        """Let a process end by itself, in the background."""
        with self._lock:
            if not self._closed:
                self._retiring = [future for future in self._retiring if not future.done()]
                self._retiring.append(self._background.submit(self._end, client))
                return
        self._end(client)

    def discard(self, client: HarnessClient) -> None:
        """End a process at once."""
        client.kill()
        self._forget(client)

    def close(self) -> None:
        """End every process; doing it twice is harmless."""
        with self._lock:
            self._closed = True
            living = list(self._living)
        for client in living:
            client.kill()
        self._background.shutdown(wait=True, cancel_futures=True)
        for client in list(self._living):  # one that was being started meanwhile
            self.discard(client)
        self._living.clear()
        self._spare = None

    def _ready(self) -> HarnessClient:
        try:
            client, hello = connect(self._connection)
        except UnavailableError as error:
            raise InfrastructureError(f"{error} It was there before; the session can be resumed.") from error
        if (hello.uuid, hello.build) != (self._hello.uuid, self._hello.build):
            self.discard(client)
            raise AnotherHarness(
                f"another GPU or harness answers now: {hello.name} {hello.uuid}, build {hello.build}; this run began with "
                f"{self._hello.uuid}, build {self._hello.build}. Resume the session to go on with what is there now."
            )
        return self._make_ready(client)

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

    def _end(self, client: HarnessClient) -> None:
        client.close()
        self._forget(client)

    def _remember(self, client: HarnessClient) -> None:
        with self._lock:
            self._living.add(client)
            closed = self._closed
        if closed:
            client.kill()

    def _forget(self, client: HarnessClient) -> None:
        with self._lock:
            self._living.discard(client)


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
