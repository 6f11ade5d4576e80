"""Build a kernel and run it on arrays, with any executor."""

import functools
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from warpwright.compiler.binding import NvrtcLibrary, Translation
from warpwright.compiler.toolchain import find_nvrtc
from warpwright.emulator.counters.raw import RawCounts
from warpwright.emulator.execution import Executor, Run, RunReport
from warpwright.emulator.flow import KernelGraph, build_graph
from warpwright.emulator.interp import Interpreter
from warpwright.emulator.jit import Jit
from warpwright.emulator.launch.parameters import pack_parameters
from warpwright.emulator.launch.variables import place_variables, placed_sizes
from warpwright.emulator.memory.arena import Allocation, Arena
from warpwright.emulator.ptx import parse

Array = np.ndarray[Any, np.dtype[Any]]
Dim3 = tuple[int, int, int]
Argument = Array | int | float


@functools.cache
def compile_cuda(source: str) -> str:
    """PTX of a CUDA source, for compute_80 with line information."""
    found = find_nvrtc()
    includes = [f"-I{directory}" for directory in found.include_directories]
    options = ["--gpu-architecture=compute_80", "-lineinfo", "-default-device", *includes]
    translated = NvrtcLibrary(found.path).translate(Translation(source, "kernel.cu", {}, options, ()))
    assert translated.status == 0, translated.log
    return translated.ptx


@functools.cache
def graph_of(ptx: str) -> KernelGraph:
    """The only entry of a PTX module."""
    module = parse(ptx)
    (entry,) = (name for name, function in module.functions.items() if function.is_entry)
    return build_graph(module, entry)


def ptx_of(body: str, *, registers: str = "", parameters: str = ".param .u64 out", variables: str = "") -> str:
    """A module around the body of a kernel `k` whose registers %r, %rd, %f, %fd, %p and %rs are declared."""
    usual = ".reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<20>; .reg .f64 %fd<20>; .reg .pred %p<20>; .reg .b16 %rs<20>;"
    head = f".version 8.0\n.target sm_80\n.address_size 64\n{variables}\n"
    return f"{head}.visible .entry k({parameters})\n{{\n{usual}\n{registers}\n{body}\n}}\n"


@dataclass(frozen=True, slots=True)
class Launched:
    """Report of a run and the arrays as it left them."""

    report: RunReport
    arrays: list[Array]


@dataclass(frozen=True, slots=True)
class Setting:
    """How to launch."""

    grid: Dim3 = (1, 1, 1)
    block: Dim3 = (32, 1, 1)
    shared_bytes: int = 0
    budget: int = 10**9
    trace_requests: int = 0
    offset_bytes: int = 0
    read_only: tuple[int, ...] = ()
    constants: tuple[tuple[str, bytes], ...] = ()


def launch(
    executor: Executor, graph: KernelGraph, arguments: Sequence[Argument], setting: Setting | None = None
) -> Launched:
    """Run all blocks. Arrays are copied in and out; an int is an i32, a float an f32."""
    setting = setting or Setting()
    variables = graph.module_variables
    arrays = [argument for argument in arguments if isinstance(argument, np.ndarray)]
    sizes = [array.nbytes + setting.offset_bytes for array in arrays]
    arena = Arena(Arena.capacity_for([*sizes, *placed_sizes(variables.values())]))
    place_variables(arena, variables)
    for name, content in setting.constants:
        arena.view(arena.symbols[name])[: len(content)] = np.frombuffer(content, np.uint8)
    packed: list[bytes] = []
    places: list[Allocation] = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            name, writable = "abcdefgh"[len(places)], len(places) not in setting.read_only
            place = arena.allocate(name, argument.nbytes, offset_bytes=setting.offset_bytes, writable=writable)
            arena.view(place)[:] = np.ascontiguousarray(argument).reshape(-1).view(np.uint8)
            places.append(place)
            packed.append(struct.pack("<Q", place.address))
        else:
            packed.append(struct.pack("<f" if isinstance(argument, float) else "<i", argument))
    parameters = pack_parameters(graph.parameters, graph.parameter_bytes, packed)
    count = setting.grid[0] * setting.grid[1] * setting.grid[2]
    run = Run(
        setting.grid, setting.block, setting.shared_bytes, parameters, np.arange(count), arena, setting.budget,
        setting.trace_requests,
    )  # fmt: skip
    report = executor.run(run)
    results = [
        arena.view(place).view(array.dtype).reshape(array.shape).copy()
        for place, array in zip(places, arrays, strict=True)
    ]
    return Launched(report, results)


_JITS: dict[int, tuple[KernelGraph, Jit]] = {}


def _jit_of(graph: KernelGraph) -> Jit:
    """Machine code of a graph, made once; the graph is kept, so that its identity stays its own."""
    if id(graph) not in _JITS:
        _JITS[id(graph)] = graph, Jit(graph)
    return _JITS[id(graph)][1]


def launch_on_both(graph: KernelGraph, arguments: Sequence[Argument], setting: Setting | None = None) -> Launched:
    """Run in the interpreter and as machine code; everything that they leave must be equal. Gives the latter's."""
    expected = launch(Interpreter(graph), graph, arguments, setting)
    actual = launch(_jit_of(graph), graph, arguments, setting)
    assert actual.report.fault == expected.report.fault
    for number, (one, other) in enumerate(zip(expected.arrays, actual.arrays, strict=True)):
        assert other.tobytes() == one.tobytes(), f"array {number}: {other} instead of {one}"
    if expected.report.fault is None:
        assert_same_counts(expected.report.counts, actual.report.counts)
    assert _active_part(actual.report.trace) == _active_part(expected.report.trace)
    return actual


def _active_part(trace: Array) -> bytes:
    """The trace without the addresses of lanes that took no part."""
    cleaned = trace.copy()
    active = (trace["mask"][:, None] >> np.arange(32, dtype=np.uint32)) & 1 != 0
    cleaned["address"][~active] = 0
    return cleaned.tobytes()


def assert_same_counts(expected: RawCounts, actual: RawCounts) -> None:
    """Every counter, exactly."""
    assert actual.block_warps.tolist() == expected.block_warps.tolist()
    assert actual.block_lanes.tolist() == expected.block_lanes.tolist()
    assert actual.memory.tolist() == expected.memory.tolist()
    assert actual.barriers == expected.barriers
