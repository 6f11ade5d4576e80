"""The emulator as a device: candidates run in workers that can be killed and are replaced after any abnormal end."""

import logging
from dataclasses import dataclass
from pathlib import Path
from queue import LifoQueue
from types import TracebackType
from typing import Any, Self

from warpwright.compiler.compiler import Compiler
from warpwright.device.emulated.messages import (
    fault_from,
    modified_from,
    outputs_from,
    run_message,
    spill_notes,
    time_message,
    values,
)
from warpwright.device.protocol import (
    Argument,
    CodeKind,
    CountedLaunch,
    Fault,
    Faulted,
    FaultKind,
    Ran,
    RunOutcome,
    RunRequest,
    Target,
    TimeOutcome,
    TimeRequest,
    TimeSource,
    Timing,
)
from warpwright.emulator.launch.api import ExecutorKind
from warpwright.errors import InfrastructureError
from warpwright.hardware import GpuSpec
from warpwright.isolation.process import Ended, Reply, WorkerEnded, WorkerProcess
from warpwright.units import GIB
from warpwright.workload.model import DeviceKind

MEMORY_LIMIT_BYTES = 8 * GIB
"""Arrays and scratch of one run."""

_KILLED_BY_SYSTEM = -9
_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EmulatorOptions:
    """executor: `jit` unless told otherwise. cache_directory: for machine code; None: nowhere. workers: requests at a time."""

    executor: ExecutorKind = ExecutorKind.JIT
    cache_directory: Path | None = None
    memory_limit_bytes: int = MEMORY_LIMIT_BYTES
    workers: int = 1


class EmulatedDevice:
    """Runs PTX on the CPU; times are estimates of `gpu`. Thread-safe: as many requests at a time as it has workers."""

    def __init__(self, gpu: GpuSpec, options: EmulatorOptions) -> None:
        self._gpu = gpu
        self._options = options
        cache = "" if options.cache_directory is None else str(options.cache_directory)
        arguments = (options.executor.value, str(options.memory_limit_bytes), cache)
        module = "warpwright.device.emulated.worker"
        self._workers = tuple(WorkerProcess(module, arguments) for _ in range(options.workers))
        self._idle: LifoQueue[WorkerProcess] = LifoQueue()
        for worker in reversed(self._workers):
            self._idle.put(worker)

    @property
    def kind(self) -> DeviceKind:
        """Cases for the emulator apply."""
        return DeviceKind.EMULATOR

    @property
    def name(self) -> str:
        """`emulator:h200`."""
        return f"emulator:{self._gpu.key}"

    @property
    def spec(self) -> GpuSpec:
        """The GPU whose latencies are estimated and whose limits hold."""
        return self._gpu

    @property
    def target(self) -> Target:
        """PTX for that GPU."""
        return Target(CodeKind.PTX, self._gpu.arch)

    @property
    def description(self) -> str:
        """One line for people."""
        how = "just-in-time compiled" if self._options.executor is ExecutorKind.JIT else "interpreted, slow"
        return f"PTX emulator ({how}; latencies are estimates of an {self._gpu.name})"

    @property
    def worker_pid(self) -> int | None:
        """Process id of the first worker that is running; None if none is."""
        return next((worker.pid for worker in self._workers if worker.pid is not None), None)

    def prepare(self, compiler: Compiler) -> None:
        """Nothing: the emulator has no kernels of its own."""

    def renew(self) -> None:
        """Nothing: memory is laid out afresh for every request and modules keep no state between them."""

    def run(self, request: RunRequest) -> RunOutcome:
        """Run a plan in full, with every access checked, and give every output back; no generated inputs."""
        reply = self._call(run_message(request), request.arguments, request.time_limit_s)
        if isinstance(reply, Faulted):
            return reply
        outputs = outputs_from(request.arguments, reply.buffers)
        return Ran(outputs, reply.body["seconds"], modified_from(reply.body))

    def time(self, request: TimeRequest) -> TimeOutcome:
        """Estimate a plan from counters of sampled blocks; the same request gives the same figure."""
        reply = self._call(time_message(request, self._gpu), request.arguments, request.time_limit_s)
        if isinstance(reply, Faulted):
            return reply
        estimate = reply.body["estimate"]
        return Timing(
            source=TimeSource.ESTIMATED,
            gpu=self._gpu.name,
            samples_us=(estimate["time_us"],),
            median_us=estimate["time_us"],
            uncertainty_ratio=estimate["uncertainty_ratio"],
            binding=estimate["binding"],
            terms=estimate["terms_us"],
            counters=estimate["counters"],
            notes=(*estimate["notes"], *spill_notes(request)),
            counted=CountedLaunch(**estimate["counted"]),
        )

    def close(self) -> None:
        """End the workers, each after its request."""
        for worker in [self._idle.get() for _ in self._workers]:
            worker.discard()
            self._idle.put(worker)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _call(self, body: dict[str, Any], arguments: tuple[Argument, ...], time_limit_s: float) -> Reply | Faulted:
        worker = self._idle.get()
        try:
            reply = worker.call(body, values(arguments), time_limit_s=time_limit_s)
        except WorkerEnded as ended:
            return Faulted(_fault_of_end(ended, time_limit_s))
        finally:
            self._idle.put(worker)
        if "fault" in reply.body:
            return Faulted(fault_from(reply.body["fault"]))
        return reply


def _fault_of_end(ended: WorkerEnded, time_limit_s: float) -> Fault:
    """The candidate's fault if time ran out; a crash of the emulator is not held against it as a wrong result.

    Raises: InfrastructureError if the system killed the worker or memory ran out.
    """
    if ended.how is Ended.TIMEOUT:
        text = (
            f"not finished after {time_limit_s:g} s in the emulator and stopped. "
            "An endless loop, or too much work for one run."
        )
        return Fault(FaultKind.TIMEOUT, text)
    if ended.exit_code == _KILLED_BY_SYSTEM or "MemoryError" in ended.stderr:
        raise InfrastructureError(
            "the emulator's worker ran out of memory or was killed by the system. Close other programs or use smaller cases."
        ) from ended
    _LOGGER.warning("the emulator itself ended abnormally (exit code %s):\n%s", ended.exit_code, ended.stderr)
    text = (
        f"the emulator itself ended abnormally on this candidate (exit code {ended.exit_code}), which says nothing about "
        "the candidate. Please report it; run this candidate with --device gpu."
    )
    return Fault(FaultKind.UNSUPPORTED, text)
