"""Speed of the emulator's LLVM executor on this CPU: machine code made, read back and run, with counters and checks on.

    python -m benchmarks.emulator.speed [OUT.json]

One core. A run time is the best of 5 runs after 1; `lane_instructions_per_s` is active lanes of PTX instructions over
that time. Results are compared with NumPy before anything is timed. Peak memory is that of the whole process.
"""

import datetime as dt
import json
import platform
import struct
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from warpwright.compiler.binding import NvrtcLibrary, Translation
from warpwright.compiler.toolchain import find_nvrtc
from warpwright.emulator.execution import Run, RunReport
from warpwright.emulator.flow import KernelGraph, build_graph
from warpwright.emulator.jit import Jit
from warpwright.emulator.launch.parameters import pack_parameters
from warpwright.emulator.launch.variables import place_variables, placed_sizes
from warpwright.emulator.memory.arena import Arena
from warpwright.emulator.ptx import parse

KERNELS = Path(__file__).parent / "kernels"
RUNS = 5

Array = np.ndarray[Any, np.dtype[Any]]
Dim3 = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Case:
    """One launch. arguments: arrays and i32/f32 scalars in the kernel's order; expected: of the last array."""

    name: str
    kernel: str
    grid: Dim3
    block: Dim3
    arguments: tuple[Array | int | float, ...]
    expected: Callable[..., Array]
    tolerance: float


def cases() -> list[Case]:
    """What is measured."""
    random = np.random.default_rng(0)
    a, b, c = (random.random((256, 256), np.float32) for _ in range(3))
    x, y = (random.random(4 << 20, np.float32) for _ in range(2))
    rows, square = random.random((1024, 1000), np.float32), random.random((1024, 1024), np.float32)
    matmul = (a, b, c, 256)
    return [
        Case("saxpy 4M", "saxpy", (16384, 1, 1), (256, 1, 1), (x.size, 2.5, x, y), lambda x, y: 2.5 * x + y, 1e-6),
        Case("matmul naive 16x16", "matmul_naive", (16, 16, 1), (16, 16, 1), matmul, _product, 1e-5),
        Case("matmul naive 32x8", "matmul_naive", (8, 32, 1), (32, 8, 1), matmul, _product, 1e-5),
        Case("matmul tiled 16x16", "matmul_tiled", (16, 16, 1), (16, 16, 1), matmul, _product, 1e-5),
        Case("matmul registers 8x8", "matmul_registers", (4, 4, 1), (64, 1, 1), matmul, _product, 1e-5),
        Case("softmax 1024x1000", "softmax", (1024, 1, 1), (32, 1, 1), (rows, rows.copy(), 1000), _softmax, 1e-5),
        Case("transpose 1024", "transpose", (32, 32, 1), (32, 8, 1), (square, square.copy(), 1024), _transposed, 0),
    ]


def _product(a: Array, b: Array, _: Array) -> Array:
    return np.asarray(a.astype(np.float64) @ b.astype(np.float64))


def _transposed(x: Array, _: Array) -> Array:
    return x.T


def _softmax(x: Array, _: Array) -> Array:
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def main() -> None:
    """Measure all, print JSON, write it to a file if one is named."""
    report = {
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "cpu": cpu_name(),
        "python": platform.python_version(),
        "results": [measure(case) for case in cases()],
        "peak_memory_bytes": peak_memory_bytes(),
    }
    text = json.dumps(report, indent=1)
    print(text)
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text + "\n", encoding="utf-8")


def measure(case: Case) -> dict[str, Any]:
    """One case: times in milliseconds."""
    graph = _graph(case.kernel)
    with tempfile.TemporaryDirectory() as directory:
        Jit(graph, Path(directory))  # the runtime is compiled once per process: not this kernel's time
        for entry in Path(directory).iterdir():
            entry.unlink()
        first_ms = _milliseconds(lambda: Jit(graph, Path(directory)))
        cached_ms = _milliseconds(lambda: Jit(graph, Path(directory)))
        jit = Jit(graph, Path(directory))
    run, output = _prepare(graph, case)
    report = jit.run(run)
    _check(case, report, output)
    run_ms = min(_milliseconds(lambda: jit.run(run)) for _ in range(RUNS))
    sizes = np.array([len(block.nodes) for block in graph.blocks])
    lanes = int((report.counts.block_lanes * sizes).sum())
    return {
        "name": case.name,
        "ptx_instructions": int(sizes.sum()),
        "jit_ms": round(first_ms, 1),
        "cached_ms": round(cached_ms, 2),
        "run_ms": round(run_ms, 2),
        "lane_instructions_per_s": round(lanes / run_ms * 1e3),
    }


def _graph(kernel: str) -> KernelGraph:
    found = find_nvrtc()
    source = (KERNELS / f"{kernel}.cu").read_text(encoding="utf-8")
    options = ["--gpu-architecture=compute_80", "-lineinfo", "-default-device"]
    translated = NvrtcLibrary(found.path).translate(Translation(source, f"{kernel}.cu", {}, options, ()))
    return build_graph(parse(translated.ptx), kernel)


def _prepare(graph: KernelGraph, case: Case) -> tuple[Run, Array]:
    """The run on an arena with the case's arrays, and the view of the last array."""
    arrays = [argument for argument in case.arguments if isinstance(argument, np.ndarray)]
    variables = graph.module_variables
    arena = Arena(Arena.capacity_for([array.nbytes for array in arrays] + list(placed_sizes(variables.values()))))
    place_variables(arena, variables)
    packed, output = [], arrays[-1]
    for number, argument in enumerate(case.arguments):
        if isinstance(argument, np.ndarray):
            place = arena.allocate(f"array {number}", argument.nbytes)
            arena.view(place)[:] = argument.reshape(-1).view(np.uint8)
            output = arena.view(place).view(argument.dtype).reshape(argument.shape)
            packed.append(struct.pack("<Q", place.address))
        else:
            packed.append(struct.pack("<f" if isinstance(argument, float) else "<i", argument))
    parameters = pack_parameters(graph.parameters, graph.parameter_bytes, packed)
    blocks = np.arange(case.grid[0] * case.grid[1] * case.grid[2])
    return Run(case.grid, case.block, 0, parameters, blocks, arena, 10**10), output


def _check(case: Case, report: RunReport, output: Array) -> None:
    arrays = [argument for argument in case.arguments if isinstance(argument, np.ndarray)]
    expected = case.expected(*arrays)
    if report.fault is not None or not np.allclose(output, expected, rtol=case.tolerance, atol=case.tolerance):
        raise SystemExit(f"{case.name}: wrong result ({report.fault}); nothing is measured")


def _milliseconds(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return (time.perf_counter() - started) * 1e3


def cpu_name() -> str:
    """The CPU's own name where the system tells it, else its architecture."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def peak_memory_bytes() -> int | None:
    """Most resident memory of this process so far; None where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    main()
