"""Memory that one run of a kernel needs: the context, warps' records, shared and local memory, sites, tables."""

import ctypes
from typing import Any

import numpy as np

from warpwright.emulator.execution import TRACE_DTYPE, Run
from warpwright.emulator.flow.graph import KernelGraph
from warpwright.emulator.jit.codegen.emitter import WARP
from warpwright.emulator.jit.codegen.layout import Layout
from warpwright.emulator.jit.codegen.operands import symbol_order
from warpwright.emulator.jit.context import Allocated, Context
from warpwright.emulator.jit.sites import SiteTable
from warpwright.emulator.memory.arena import BASE_ADDRESS

_Array = np.ndarray[Any, np.dtype[Any]]


def aligned_zeros(size_bytes: int, align: int = 256) -> _Array:
    """Zeroed bytes at an aligned address; at least one alignment unit, so that empty areas have an address too."""
    raw = np.zeros(max(size_bytes, align) + align, np.uint8)
    start = -raw.ctypes.data % align
    return raw[start : start + max(size_bytes, align)]


class Machine:
    """Everything that generated code touches during one run. Keep it alive until the run is over."""

    def __init__(self, graph: KernelGraph, layout: Layout, sites: SiteTable, run: Run, step: int) -> None:
        self._graph = graph
        self._run = run
        threads = run.block[0] * run.block[1] * run.block[2]
        self.warp_count = -(-threads // WARP)
        self.context = Context()
        self._kept: list[_Array] = []
        self.sites = sites.begin(self._keep(aligned_zeros(sites.size_bytes)))
        self.executions = self._keep(np.zeros((len(graph.blocks), 2), np.int64))
        self.trace = self._keep(np.zeros(run.trace_requests, TRACE_DTYPE))
        self._launch(threads)
        self._memory(layout, step)
        self._tables(layout)
        self.context.sites = self.sites.ctypes.data

    @property
    def address(self) -> int:
        """Host address of the context."""
        return ctypes.addressof(self.context)

    def _keep(self, array: _Array) -> _Array:
        self._kept.append(array)
        return array

    def _launch(self, threads: int) -> None:
        context, run = self.context, self._run
        context.ntid_x, context.ntid_y, context.ntid_z = run.block
        context.nctaid_x, context.nctaid_y, context.nctaid_z = run.grid
        context.budget = context.clock = run.budget
        context.warp_count = self.warp_count
        blocks = self._keep(np.ascontiguousarray(run.blocks, np.int64))
        context.blocks, context.block_count = blocks.ctypes.data, len(blocks)
        context.thread_ids = self._keep(_thread_ids(run.block, self.warp_count)).ctypes.data
        live = np.full(self.warp_count, 0xFFFFFFFF, np.uint32)
        if threads % WARP:
            live[-1] = (1 << threads % WARP) - 1
        context.live = self._keep(live).ctypes.data

    def _memory(self, layout: Layout, step: int) -> None:
        context, run, graph = self.context, self._run, self._graph
        context.step = step
        context.bias = run.arena.host_base - BASE_ADDRESS
        context.shared_bytes = shared_bytes(graph, run)
        context.dynamic_shared_bytes = run.shared_bytes
        context.shared = self._keep(aligned_zeros(context.shared_bytes)).ctypes.data
        context.local_bytes = -(-graph.local_bytes // 16) * 16
        context.local = self._keep(aligned_zeros(context.local_bytes * WARP * self.warp_count)).ctypes.data
        parameters = self._keep(aligned_zeros(max(graph.parameter_bytes, len(run.parameters))))
        parameters[: len(run.parameters)] = np.frombuffer(run.parameters, np.uint8)
        context.parameters = parameters.ctypes.data
        context.warp_bytes, context.pending_offset = layout.warp_bytes, layout.pending_offset
        context.warps = self._keep(aligned_zeros(layout.warp_bytes * self.warp_count)).ctypes.data

    def _tables(self, layout: Layout) -> None:
        context, arena = self.context, self._run.arena
        zeroed = self._keep(np.array(layout.zeroed, np.int64))
        context.zeroed, context.zeroed_count = zeroed.ctypes.data, len(zeroed)
        rows = [(a.address, a.size_bytes, int(a.writable)) for a in arena.allocations]
        table = self._keep(np.array(rows, np.int64).reshape(-1, ctypes.sizeof(Allocated) // 8))
        context.allocations, context.allocation_count = table.ctypes.data, len(rows)
        symbols = [arena.symbols[name].address for name in symbol_order(self._graph)]
        context.symbols = self._keep(np.array([*symbols, 0], np.int64)).ctypes.data
        context.executions = self.executions.ctypes.data
        context.trace, context.trace_left = self.trace.ctypes.data, len(self.trace)


def shared_bytes(graph: KernelGraph, run: Run) -> int:
    """Static and dynamic shared memory of a block."""
    return graph.shared_static_bytes + run.shared_bytes


def _thread_ids(block: tuple[int, int, int], warps: int) -> _Array:
    """int32[warps, 3, 32], 64-byte aligned: thread indices of each lane."""
    linear = np.arange(warps * WARP)
    ids = np.stack([linear % block[0], linear // block[0] % block[1], linear // (block[0] * block[1])])
    result = aligned_zeros(warps * 3 * WARP * 4)
    by_warp = ids.astype(np.int32).reshape(3, warps, WARP).transpose(1, 0, 2)
    result[: by_warp.size * 4] = np.ascontiguousarray(by_warp).reshape(-1).view(np.uint8)
    return result
