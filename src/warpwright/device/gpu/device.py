"""An NVIDIA GPU as a device: every verification and every measurement in a harness process of its own."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from warpwright.candidate.resolved import ResolvedPlan
from warpwright.compiler.compiler import Compiler
from warpwright.device.canary import canary_problem, canary_request, compile_canary
from warpwright.device.gpu.job import plan_symbols, write_job
from warpwright.device.gpu.own_kernels import OwnKernels, compile_own_kernels
from warpwright.device.gpu.process.client import HarnessClient, HarnessError
from warpwright.device.gpu.process.connection import Connection
from warpwright.device.gpu.process.execution import Call, Execution
from warpwright.device.gpu.process.pool import HarnessPool, load
from warpwright.device.gpu.process.turns import Turns
from warpwright.device.gpu.wire.faults import fault_of_wire
from warpwright.device.gpu.wire.replies import Hello, WireFault
from warpwright.device.gpu.wire.run import returned_bytes, run_message, run_outcome
from warpwright.device.gpu.wire.time import contestant_module, kept_bytes, measure_outcome, time_message
from warpwright.device.measuring import MeasureOutcome, MeasureRequest
from warpwright.device.protocol import (
    CodeKind,
    Fault,
    Faulted,
    FaultKind,
    Program,
    RunOnce,
    RunOutcome,
    RunRequest,
    Target,
)
from warpwright.errors import DeviceUnavailable, InfrastructureError
from warpwright.hardware import GpuSpec
from warpwright.hardware.reported import reported_gpu
from warpwright.isolation.owned_folder import OwnedFolder
from warpwright.units import format_bytes
from warpwright.workload.model import DeviceKind

LEAST_SETS = 2
"""Copies of the arrays below which there is no rotation; a case that does not fit then is too large for this GPU."""

WARM_SPIN_MS = 10.0
"""How long a GPU is kept busy first that has just been measured on."""
_WARM_S = 0.02
_CANDIDATE = "candidate"


@dataclass(frozen=True, slots=True)
class OpenedGpu:
    """A GPU that has been greeted. temporary: the harness's own folder, removed at the end; None: elsewhere."""

    connection: Connection
    hello: Hello
    client: HarnessClient
    temporary: OwnedFolder | None = None


class GpuDevice:
    """Runs cubins and takes times. Thread-safe: one request at a time; processes of other sessions wait for each other."""

    def __init__(self, opened: OpenedGpu) -> None:
        hello = opened.hello
        self._connection = opened.connection
        self._temporary = opened.temporary
        self._hello = hello
        capability = (hello.compute_capability[0], hello.compute_capability[1])
        self._spec = reported_gpu(hello.name, capability, hello.total_memory_bytes, hello.attributes)
        self._turns = Turns(hello.uuid, f"{hello.name} ({self.name})")
        self._pool = HarnessPool(opened.connection, hello, opened.client, self._turns)
        self._execution = Execution(self._pool, self._turns, self._run_canary)
        self._canary: Program | None = None
        self._kernels: OwnKernels | None = None
        self._pages: str | None = None
        self._compiler_label = "unknown"
        self._lock = threading.Lock()

    @property
    def kind(self) -> DeviceKind:
        """Cases for GPUs apply."""
        return DeviceKind.GPU

    @property
    def name(self) -> str:
        """`gpu:0`, or the command."""
        return self._connection.name

    @property
    def spec(self) -> GpuSpec:
        """Its limits as the driver reports them; rates from its description, or from its compute capability."""
        return self._spec

    @property
    def target(self) -> Target:
        """A cubin for exactly this GPU, from a compiler that the driver understands."""
        return Target(CodeKind.CUBIN, self._spec.arch, self._hello.cuda)

    @property
    def description(self) -> str:
        """One line for people."""
        major, minor = self._hello.cuda
        return f"{self._hello.name} ({self.name}, driver for CUDA {major}.{minor}, harness {self._hello.harness})"

    @property
    def identity(self) -> Mapping[str, str]:
        """What a published figure must name; what is unknown says so."""
        major, minor = self._hello.cuda
        return {
            "gpu": self._hello.name,
            "uuid": self._hello.uuid,
            "pci_bus_id": self._hello.pci_bus_id,
            "arch": self._spec.arch,
            "driver": f"CUDA {major}.{minor}",
            "harness": self._hello.harness,
            "harness_build": self._hello.build,
            "compiler": self._compiler_label,
            "sandbox": self._connection.sandbox,
            "unmapped_pages": self._pages or "unknown",
            "other_processes": "unknown",
        }

    @property
    def process_ids(self) -> frozenset[int]:
        """Of every harness process that has not ended."""
        return self._pool.living

    @property
    def worker_pid(self) -> int | None:
        """Of the process in use; None between two."""
        return self._execution.pid

    def prepare(self, compiler: Compiler) -> None:
        """Compile the harness's own kernels and the canary. Raises: ToolchainUnavailable, InfrastructureError."""
        with self._lock:
            if self._canary is not None:
                return
            kernels = compile_own_kernels(compiler, self._spec.arch)
            canary = compile_canary(compiler, self._spec.arch)
            if isinstance(canary, str):
                raise InfrastructureError(canary)
            self._compiler_label = compiler.nvrtc.label
            self._canary = canary
            self._kernels = kernels
            self._pool.provide(kernels)

    def renew(self) -> None:
        """What runs next runs in a process in which no candidate has run."""
        with self._lock:
            self._execution.renew()

    def rest(self) -> None:
        """Nothing is measured for now: processes may start and end in the background."""
        with self._lock:
            self._execution.rest()

    def settle(self) -> None:
        """Something is measured elsewhere on this machine: wait for processes that start or end, and begin none."""
        self._pool.settle()

    def run(self, request: RunRequest) -> RunOutcome:
        """Run a plan once on guarded memory. Raises: InfrastructureError."""
        fields, attachments = run_message(request, _CANDIDATE)
        call = Call(
            operation="run",
            fields=fields,
            attachments=attachments,
            programs={_CANDIDATE: request.program},
            time_limit_s=request.time_limit_s,
            reply_bytes=returned_bytes(request),
            judge=lambda wire: fault_of_wire(wire, request.program, request.plan, timing=False),
        )
        with self._alone():
            try:
                answer = self._execution.call(call)
            except HarnessError as error:
                return Faulted(_shortage(error, [request.plan]))
            if isinstance(answer, Fault):
                return Faulted(answer)
            outcome, reply = run_outcome(request, answer)
            self._pages = "yes" if reply.pages is True else f"no: {reply.pages}"
            return outcome

    def run_once(self, request: RunRequest, folder: Path) -> RunOnce:
        """As `RunOnceDevice` says. Raises: DeviceUnavailable, InfrastructureError."""
        once = self._connection.once
        if once is None:
            raise DeviceUnavailable(
                f"{self.name}: the GPU is behind a command, where no tool of this machine can watch a process. Run Warpwright "
                "on the machine that has the GPU, with --device gpu:0."
            )
        if self._kernels is None:
            raise InfrastructureError("the GPU was used before `prepare` gave it the harness's own kernels.")
        try:
            job = write_job(request, self._kernels, self._connection.device, folder)
        except OSError as error:
            raise DeviceUnavailable(f"{folder}: a job for the GPU cannot be written ({error.strerror}).") from error
        command = once(job)
        return RunOnce(command.arguments, command.environment, plan_symbols(request), self._turns.requests)

    def measure(self, request: MeasureRequest) -> MeasureOutcome:
        """Carry out a schedule; where memory is short, with fewer sets of arrays. Raises: InfrastructureError."""
        sets = request.sets
        with self._alone():
            while True:
                try:
                    return self._measured(request, sets)
                except HarnessError as error:
                    if error.error.kind != "memory" or sets <= LEAST_SETS:
                        return Faulted(_shortage(error, [contestant.plan for contestant in request.contestants]))
                    sets = max(LEAST_SETS, sets // 2)

    def close(self) -> None:
        """End every process."""
        self._pool.close()
        if self._temporary is not None:
            self._temporary.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _measured(self, request: MeasureRequest, sets: int) -> MeasureOutcome:
        idle_s = self._execution.idle_s
        if idle_s is not None and idle_s < _WARM_S:
            request = replace(request, spin_ms=min(request.spin_ms, WARM_SPIN_MS))
        fields, attachments = time_message(request, sets)
        programs = {
            contestant_module(index): contestant.program
            for index, contestant in enumerate(request.contestants)
            if contestant.program is not None
        }
        answer = self._execution.call(
            Call(
                operation="time",
                fields=fields,
                attachments=attachments,
                programs=programs,
                time_limit_s=request.time_limit_s,
                reply_bytes=kept_bytes(request),
                judge=_judge_of(request),
            )
        )
        if isinstance(answer, Fault):
            return Faulted(answer)
        outcome = measure_outcome(request, answer)
        lasting = self._execution.unrestored
        if isinstance(outcome, Faulted) or not lasting:
            return outcome
        why = f"the driver does not find {', '.join(lasting)} by name: what a launch leaves there stays between blocks"
        return replace(outcome, unavailable={**outcome.unavailable, "restored_variables": why})

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One request on this GPU at a time, over all threads and all processes of this machine that use Warpwright."""
        with self._lock, self._turns.alone():
            yield

    def _run_canary(self, client: HarnessClient) -> str | None:
        canary = self._canary
        assert canary is not None
        request = canary_request(canary)
        load(client, "canary", canary.cubin, tuple(canary.lowered.values()))
        fields, attachments = run_message(request, "canary")
        answer = client.request("run", fields, attachments, time_limit_s=request.time_limit_s)
        if isinstance(answer, WireFault):
            return f"the canary kernel faulted: {answer.message}"
        return canary_problem(run_outcome(request, answer)[0])


def _judge_of(request: MeasureRequest) -> Callable[[WireFault], Fault]:
    """A fault under the clock is named after the contestant whose kernel it names; the last one is the newest."""
    by_symbol = {
        symbol: contestant
        for contestant in request.contestants
        if contestant.program is not None
        for symbol in contestant.program.lowered.values()
    }
    candidates = [contestant for contestant in request.contestants if contestant.program is not None]

    def judge(wire: WireFault) -> Fault:
        contestant = by_symbol.get(wire.entry or "", candidates[-1])
        assert contestant.program is not None
        return fault_of_wire(wire, contestant.program, contestant.plan, timing=True)

    return judge


def _shortage(error: HarnessError, plans: list[ResolvedPlan]) -> Fault:
    """Too little device memory: a plan's own scratch may be why. Raises: the error itself if it is about something else."""
    wire = error.error
    if wire.kind != "memory":
        raise error
    sizes = "unknown sizes"
    if wire.needed_bytes is not None and wire.free_bytes is not None:
        sizes = f"{format_bytes(wire.needed_bytes)} needed, {format_bytes(wire.free_bytes)} free"
    if not any(plan.scratch for plan in plans):
        raise InfrastructureError(f"the case does not fit into device memory: {sizes}. Use a smaller case.")
    return Fault(FaultKind.RESOURCES, f"arrays and scratch do not fit into device memory: {sizes}. Use less scratch.")
