"""The emulator: one PTX module, its kernels launched or profiled on an arena."""

import time
from pathlib import Path
from typing import Any

import numpy as np

from warpwright.emulator.counters.summary import KernelCosts
from warpwright.emulator.execution import Executor, Run, RunReport
from warpwright.emulator.flow import build_graph
from warpwright.emulator.flow.graph import KernelGraph
from warpwright.emulator.launch.api import ExecutorKind, Launch, LaunchReport
from warpwright.emulator.launch.parameters import argument_fault, pack_parameters
from warpwright.emulator.launch.profiling import Profiler
from warpwright.emulator.launch.variables import place_variables, placed_sizes
from warpwright.emulator.memory.arena import Arena
from warpwright.emulator.ptx import PtxSyntaxError, parse
from warpwright.errors import InputError, ToolchainUnavailable
from warpwright.hardware import GpuSpec

DEFAULT_BUDGET = 4_000_000_000
"""Warp instructions of one launch: a minute or so in the JIT, far above any kernel that one would emulate in full."""

_Blocks = np.ndarray[Any, np.dtype[np.int64]]


class Emulator:
    """Kernels of one PTX module. Each is prepared once, at its first use; results are the same for both executors.

    cache_directory: where the JIT keeps machine code between processes; None = nowhere.
    """

    def __init__(
        self, ptx: str, executor: ExecutorKind = ExecutorKind.JIT, cache_directory: Path | None = None
    ) -> None:
        """Raises: InputError for a syntax error in the PTX; ToolchainUnavailable if the JIT cannot be used here."""
        if executor is ExecutorKind.JIT:
            _require_jit()
        try:
            self._module = parse(ptx)
        except PtxSyntaxError as error:
            raise InputError(f"{error}. The PTX was not written by a compiler, or is damaged.") from error
        self._kind = executor
        self._cache_directory = cache_directory
        self._graphs: dict[str, KernelGraph] = {}
        self._executors: dict[str, Executor] = {}
        self._costs: dict[str, KernelCosts] = {}

    @property
    def entries(self) -> tuple[str, ...]:
        """Names of the kernels, as in the PTX."""
        return tuple(name for name, function in self._module.functions.items() if function.is_entry)

    def graph(self, entry: str) -> KernelGraph:
        """A kernel as basic blocks.

        Raises: InputError for an unknown name; UnsupportedInstruction for PTX that is not emulated.
        """
        if entry not in self.entries:
            raise InputError(f"kernel {entry} is not in the PTX; it has {', '.join(self.entries) or 'no kernels'}")
        if entry not in self._graphs:
            self._graphs[entry] = build_graph(self._module, entry)
        return self._graphs[entry]

    def variable_sizes(self, entry: str) -> tuple[int, ...]:
        """Bytes of the module variables that a launch places in the arena, for `Arena.capacity_for`."""
        return placed_sizes(self.graph(entry).module_variables.values())

    def argument_fault(self, entry: str, arguments: tuple[bytes, ...]) -> str | None:
        """Why arguments do not fit a kernel's parameters (number or sizes), in one sentence; None if they fit."""
        return argument_fault(entry, self.graph(entry).parameters, arguments)

    def launch(
        self, arena: Arena, entry: str, launch: Launch, *, budget: int = DEFAULT_BUDGET, registers: int | None = None
    ) -> LaunchReport:
        """Run every block; memory in the arena is changed in place. The profile has exact counts but no footprint.

        budget: warp instructions; spent = fault. Raises: InputError if the arguments do not fit.
        """
        started = time.perf_counter()
        place_variables(arena, self.graph(entry).module_variables)
        blocks = np.arange(launch.grid[0] * launch.grid[1] * launch.grid[2], dtype=np.int64)
        report = self._run(arena, entry, launch, blocks, (budget, 0))
        profile = None
        if report.fault is None:
            costs = self._costs_of(entry)
            counted = [costs.warp_instructions(report.counts)]
            profile = Profiler(costs, launch, registers, None).profile([report.counts], [1.0], counted)
        return LaunchReport(report.fault, profile, complete=report.fault is None, seconds=time.perf_counter() - started)

    def profile(
        self, arena: Arena, entry: str, launch: Launch, registers: int | None, gpu: GpuSpec, *, restore: bool = True
    ) -> LaunchReport:
        """Count a launch by running a sample of its blocks; the arena is afterwards as it was.

        registers: per thread, None unknown. gpu: whose caches and residency count. restore: False leaves what the sample
        wrote, which saves a copy of all writable buffers. A sample never counts as a pass: `complete` is False.
        Raises: InputError if the arguments do not fit.
        """
        started = time.perf_counter()
        place_variables(arena, self.graph(entry).module_variables)
        saved = [(a, arena.view(a).copy()) for a in arena.allocations if a.writable] if restore else []

        def run_block(block: int, trace_requests: int) -> RunReport:
            return self._run(arena, entry, launch, np.array([block], np.int64), (DEFAULT_BUDGET, trace_requests))

        profiler = Profiler(self._costs_of(entry), launch, registers, gpu)
        sample, profile = profiler.sampled(run_block, arena.allocations)
        for allocation, content in saved:
            arena.view(allocation)[:] = content
        return LaunchReport(sample.fault, profile, complete=False, seconds=time.perf_counter() - started)

    def _run(self, arena: Arena, entry: str, launch: Launch, blocks: _Blocks, limits: tuple[int, int]) -> RunReport:
        graph = self.graph(entry)
        fault = self.argument_fault(entry, launch.arguments)
        if fault:
            raise InputError(f"{fault}. Make the kernel's parameters those of the workload, in the same order.")
        budget, trace_requests = limits
        return self._executor(entry).run(
            Run(
                grid=launch.grid,
                block=launch.block,
                shared_bytes=launch.shared_bytes,
                parameters=pack_parameters(graph.parameters, graph.parameter_bytes, launch.arguments),
                blocks=blocks,
                arena=arena,
                budget=budget,
                trace_requests=trace_requests,
            )
        )

    def _executor(self, entry: str) -> Executor:
        if entry not in self._executors:
            self._executors[entry] = self._build(self.graph(entry))
        return self._executors[entry]

    def _build(self, graph: KernelGraph) -> Executor:
        if self._kind is ExecutorKind.INTERP:
            from warpwright.emulator.interp import Interpreter

            return Interpreter(graph)
        from warpwright.emulator.jit import Jit

        return Jit(graph, cache_directory=self._cache_directory)

    def _costs_of(self, entry: str) -> KernelCosts:
        if entry not in self._costs:
            self._costs[entry] = KernelCosts(self.graph(entry))
        return self._costs[entry]


def _require_jit() -> None:
    from warpwright.emulator import jit

    reason = jit.available()
    if reason:
        raise ToolchainUnavailable(
            f"the JIT executor cannot be used: {reason}. Install it with `pip install 'warpwright[emulator]'`, "
            "or choose the slower interpreter (executor `interp`)."
        )
