"""One request on the emulator, inside the worker: load, lay out, launch or profile."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warpwright.candidate.resolved import ResolvedLaunch
from warpwright.device.emulated.estimation import PlanEstimate
from warpwright.device.emulated.faults import device_fault
from warpwright.device.emulated.memory_layout import Buffers
from warpwright.device.emulated.messages import gpu_from, places, plan_from
from warpwright.device.protocol import Fault, FaultKind, Modified
from warpwright.emulator.launch import Emulator, ExecutorKind, Launch
from warpwright.errors import InputError, UnsupportedInstruction
from warpwright.isolation.serve import Request

_KEPT_MODULES = 16
"""Loaded modules that stay ready: verification and timing of one candidate, and of the one it is compared with."""


class Stopped(Exception):
    """The run ended early; carries why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Step:
    """One launch of the plan with its symbol and arguments. registers: per thread, None unknown."""

    entry: str
    symbol: str
    launch: Launch
    registers: int | None


class Modules:
    """PTX modules loaded in this worker, the last used ones."""

    def __init__(self, executor: ExecutorKind, cache_directory: Path | None) -> None:
        self._executor = executor
        self._cache_directory = cache_directory
        self._loaded: OrderedDict[str, Emulator] = OrderedDict()

    def load(self, ptx: str) -> Emulator:
        """The module, parsed at its first use. Raises: Stopped for PTX that the emulator does not understand."""
        if ptx not in self._loaded:
            try:
                self._loaded[ptx] = Emulator(ptx, self._executor, self._cache_directory)
            except (InputError, UnsupportedInstruction) as error:
                raise Stopped(Fault(FaultKind.UNSUPPORTED, str(error))) from error
        self._loaded.move_to_end(ptx)
        while len(self._loaded) > _KEPT_MODULES:
            self._loaded.popitem(last=False)
        return self._loaded[ptx]


class Job:
    """One request with its module loaded and its memory laid out."""

    def __init__(self, modules: Modules, request: Request, memory_limit_bytes: int) -> None:
        """Raises: Stopped if the candidate cannot run here at all."""
        body = request.body
        self._body = body
        self._emulator = modules.load(body["ptx"])
        self._plan = plan_from(body)
        arrays = places(body)
        _check_memory(sum(place.size_bytes for place in arrays), memory_limit_bytes)
        self._buffers = Buffers(arrays, self._variable_sizes(), least_alignment=body["least_alignment"])
        for view in self._buffers.with_values():
            request.read_into(view)
        self._buffers.fill()
        self._steps = [self._step(launch) for launch in self._plan.launches]

    def run(self) -> tuple[list[memoryview], tuple[Modified, ...]]:
        """Every launch in full, in order; outputs and changed inputs. Raises: Stopped at the first fault."""
        self._buffers.keep_constants()
        for step in self._steps:
            self._launch(step)
        return self._buffers.outputs(), self._buffers.modified()

    def time(self) -> dict[str, Any]:
        """The estimate of the whole plan. Raises: Stopped if a sampled block faults.

        A launch is profiled on the memory that the launches before it leave behind, so those are run in full first, unless
        they are too large: then a note says so.
        """
        gpu = gpu_from(self._body["gpu"])
        plan = PlanEstimate(gpu, cold_cache=self._body["cold_cache"])
        arena = self._buffers.arena
        for number, step in enumerate(self._steps):
            last = number == len(self._steps) - 1
            report = self._emulator.profile(arena, step.symbol, step.launch, step.registers, gpu, restore=not last)
            if report.fault is not None:
                raise Stopped(device_fault(report.fault, step.entry, self._body["source_name"]))
            assert report.profile is not None
            plan.add(step.entry, report.profile)
            if not last and plan.may_run_in_full(report.profile):
                self._launch(step)
        return plan.message()

    def _launch(self, step: Step) -> None:
        report = self._emulator.launch(self._buffers.arena, step.symbol, step.launch, registers=step.registers)
        if report.fault is not None:
            raise Stopped(device_fault(report.fault, step.entry, self._body["source_name"]))

    def _variable_sizes(self) -> list[int]:
        sizes: list[int] = []
        for symbol in {self._symbol(launch) for launch in self._plan.launches}:
            try:
                sizes.extend(self._emulator.variable_sizes(symbol))
            except UnsupportedInstruction as error:
                raise Stopped(Fault(FaultKind.UNSUPPORTED, str(error))) from error
        return sizes

    def _step(self, launch: ResolvedLaunch) -> Step:
        symbol = self._symbol(launch)
        _check_features(launch)
        arguments = self._buffers.packed(launch.args, self._body["scalars"])
        mismatch = self._emulator.argument_fault(symbol, arguments)
        if mismatch is not None:
            text = f"{mismatch}. Make the kernel's parameters those of the workload, in the same order."
            raise Stopped(Fault(FaultKind.CONFIG, text, launch.entry))
        prepared = Launch(launch.grid, launch.block, launch.shared_bytes, arguments)
        registers: Mapping[str, int | None] = self._body["registers"]
        return Step(launch.entry, symbol, prepared, registers.get(launch.entry))

    def _symbol(self, launch: ResolvedLaunch) -> str:
        return str(self._body["lowered"][launch.entry])


def _check_features(launch: ResolvedLaunch) -> None:
    for asked, what in (
        (launch.cluster is not None, "thread block clusters"),
        (launch.cooperative, "cooperative launches"),
    ):
        if asked:
            text = f"{launch.entry}: {what} are not emulated. Run this candidate with --device gpu."
            raise Stopped(Fault(FaultKind.UNSUPPORTED, text, launch.entry))


def _check_memory(needed_bytes: int, limit_bytes: int) -> None:
    if needed_bytes > limit_bytes:
        text = (
            f"arrays and scratch need {needed_bytes} bytes; the emulator has {limit_bytes}. "
            "Use a smaller case here, or run this one with --device gpu."
        )
        raise Stopped(Fault(FaultKind.RESOURCES, text))
