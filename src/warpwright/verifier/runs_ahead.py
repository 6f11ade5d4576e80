"""Runs that are begun before they are asked for, where a device carries out several at once."""

from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from types import TracebackType
from typing import Self

from warpwright.device.measuring import ConcurrentDevice
from warpwright.device.protocol import Device, Ran, RunOutcome, RunRequest


class RunsAhead:
    """A context manager; at its end nothing more begins, and what is under way has ended.

    Runs begin in the order of `begin`. Behind one that did not reach its end no other begins: a candidate that hangs costs
    its time limit once.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self._count = device.concurrent_runs if isinstance(device, ConcurrentDevice) else 1
        self._stopped = Event()
        self._threads = ThreadPoolExecutor(max_workers=self._count, thread_name_prefix="runs-ahead")

    @property
    def count(self) -> int:
        """How many are carried out at once; with 1 there is nothing to gain."""
        return self._count

    def begin(self, request: RunRequest) -> Future[RunOutcome | None]:
        """Its outcome will be None if it was not run. Raises (the future): InfrastructureError."""
        return self._threads.submit(self._carried_out, request)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _carried_out(self, request: RunRequest) -> RunOutcome | None:
        if self._stopped.is_set():
            return None
        ended = False
        try:
            outcome = self._device.run(request)
            ended = isinstance(outcome, Ran)
            return outcome
        finally:
            if not ended:
                self._stopped.set()
