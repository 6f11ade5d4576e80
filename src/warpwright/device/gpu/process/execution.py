"""Carries requests out in processes that are replaced whenever they end, and decides whose fault an end was."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from warpwright.device.gpu.process.client import HarnessClient, HarnessError
from warpwright.device.gpu.process.module_loading import load_restoring
from warpwright.device.gpu.process.pool import SPARES_VERIFYING, HarnessPool
from warpwright.device.gpu.process.recovery import fault_of_end, healthy_process
from warpwright.device.gpu.process.turns import Turns
from warpwright.device.gpu.wire.messages import Answer
from warpwright.device.gpu.wire.replies import WireFault
from warpwright.device.protocol import Array, Fault, FaultKind, Program
from warpwright.errors import InfrastructureError
from warpwright.isolation.process import Ended, WorkerEnded

_OUT_OF_MEMORY = 2  # CUDA_ERROR_OUT_OF_MEMORY
_NO_REQUEST = 64
_LOGGER = logging.getLogger(__name__)

Canary = Callable[[HarnessClient], str | None]


class UnusableGpu(InfrastructureError):
    """No process comes up on this GPU, or a known-good kernel fails in it."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request of a candidate. programs: by the name under which they are loaded. judge: a fault in the device's words."""

    operation: str
    fields: Mapping[str, Any]
    attachments: Sequence[Array]
    programs: Mapping[str, Program]
    time_limit_s: float
    reply_bytes: int
    judge: Callable[[WireFault], Fault]

    @property
    def timing(self) -> bool:
        """Whether nothing else may happen meanwhile."""
        return self.operation == "time"


@dataclass(slots=True)
class _Session:
    """A process in use. loaded: name -> digest of the cubin."""

    client: HarnessClient
    loaded: dict[str, bytes] = field(default_factory=dict)
    unrestored: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Name of a module -> variables of it that the driver does not find by name."""
    timed_at: float | None = None
    """When the last measurement in it ended."""


class Execution:
    """Not thread-safe. canary: runs a known-good kernel in a process; None if its numbers are right."""

    def __init__(self, pool: HarnessPool, turns: Turns, canary: Canary) -> None:
        self._pool = pool
        self._turns = turns
        self._canary = canary
        self._session: _Session | None = None
        self._suspect = False

    @property
    def pid(self) -> int | None:
        """Of the process in use; None between two."""
        return None if self._session is None else self._session.client.pid

    @property
    def idle_s(self) -> float | None:
        """Since the last measurement in the process in use; None if there was none."""
        timed_at = None if self._session is None else self._session.timed_at
        return None if timed_at is None else time.monotonic() - timed_at

    @property
    def unrestored(self) -> tuple[str, ...]:
        """Variables of the modules in use that keep what a launch leaves in them, since the driver does not find them."""
        return (
            () if self._session is None else tuple(name for each in self._session.unrestored.values() for name in each)
        )

    def rest(self) -> None:
        """Nothing is measured for now: processes may start and end in the background."""
        self._pool.upkeep()

    def renew(self) -> None:
        """The next call runs in a process in which no candidate has run."""
        session, self._session = self._session, None
        if session is not None:
            self._pool.retire(session.client)

    def call(self, call: Call) -> Answer | Fault:
        """Carry one request out; a process that ends in the middle is replaced, and the request repeated once.

        Raises: InfrastructureError if it is not the candidate's fault; HarnessError for what the harness could not do.
        """
        ended = self._attempt(call)
        if isinstance(ended, WorkerEnded) and ended.how is Ended.CRASHED:
            _LOGGER.warning("the harness ended during `%s` (%s); once more in a fresh process", call.operation, ended)
            ended = self._attempt(call)
        if isinstance(ended, WorkerEnded):
            return fault_of_end(ended, call.time_limit_s, timing=call.timing)
        return ended

    def _attempt(self, call: Call) -> Answer | Fault | WorkerEnded:
        """WorkerEnded: the process ended without an answer, and the GPU is good all the same."""
        try:
            return self._carried_out(call)
        except WorkerEnded as ended:
            self._lose()
            if ended.exit_code == _NO_REQUEST:
                raise InfrastructureError(
                    f"the harness did not understand `{call.operation}`: {ended.stderr}"
                ) from ended
            self._process()
            return ended
        except InfrastructureError as error:
            if not (isinstance(error, HarnessError) and error.error.kind == "memory"):
                self._lose()
            raise

    def _carried_out(self, call: Call) -> Answer | Fault:
        if call.timing:
            self._pool.pause()  # it would wait for what begins now
        session = self._process()
        for name, program in call.programs.items():
            refused = self._load(session, name, program, afresh=call.timing and name in session.unrestored)
            if refused is not None:
                return refused
        if call.timing:
            self._pool.settle()
        else:
            self._pool.upkeep(SPARES_VERIFYING)
        with self._turns.measuring() if call.timing else nullcontext():
            answer = session.client.request(
                call.operation,
                call.fields,
                call.attachments,
                time_limit_s=call.time_limit_s,
                reply_bytes=call.reply_bytes,
            )
        if isinstance(answer, WireFault):
            if answer.fatal:
                self._lose()
            return call.judge(answer)
        if call.timing:
            session.timed_at = time.monotonic()
        return answer

    def _process(self) -> _Session:
        if self._session is not None and not self._session.client.running:
            self._lose()  # ended between two calls
        if self._session is None:
            self._session = _Session(self._fresh())
            self._suspect = False
        return self._session

    def _fresh(self) -> HarnessClient:
        """Raises: UnusableGpu; HarnessError where device memory is short."""
        try:
            return healthy_process(self._pool, self._canary) if self._suspect else self._pool.take()
        except InfrastructureError as error:
            if isinstance(error, HarnessError) and error.error.kind == "memory":
                raise
            raise UnusableGpu(str(error)) from error

    def _lose(self) -> None:
        """The process is gone or not to be trusted: what comes next first shows that the GPU is good."""
        session, self._session = self._session, None
        self._suspect = True
        if session is not None:
            self._pool.discard(session.client)

    def _load(self, session: _Session, name: str, program: Program, *, afresh: bool) -> Fault | None:
        """Load a program unless it is loaded. afresh: even then, so that nothing is left in its variables."""
        digest = sha256(program.cubin).digest()
        if session.loaded.get(name) == digest and not afresh:
            return None
        if session.loaded.pop(name, None) is not None:
            session.unrestored.pop(name, None)
            session.client.request("unload", {"name": name}, time_limit_s=0)
        try:
            missing = load_restoring(session.client, name, program)
        except HarnessError as error:
            if error.error.code == _OUT_OF_MEMORY:
                return Fault(FaultKind.RESOURCES, f"the module does not fit into device memory: {error.error.message}")
            raise
        session.loaded[name] = digest
        if missing:
            session.unrestored[name] = missing
        return None
