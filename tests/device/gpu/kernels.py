"""Kernels that the stand-in knows by name, compiled by the real NVRTC, and requests for them."""

from typing import Any

import numpy as np

from warpwright.candidate.resolved import ResolvedLaunch, ResolvedPlan, ResolvedScratch
from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import Compiled, CompileRequest
from warpwright.device.measuring import Contestant, MeasureRequest, ScheduledBlock, ScheduledLaunch, TimedArray
from warpwright.device.protocol import Argument, ArrayArgument, Fault, Faulted, Program, Ran, RunRequest, ScalarArgument
from warpwright.workload.dtypes import numpy_dtype
from warpwright.workload.model import Role
from warpwright.workload.recipe import Recipe

SCALE = 'extern "C" __global__ void scale(float* y, const float* x, int n) {\n'
SCALE += "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = 2 * x[i];\n}\n"
NORMAL = Recipe("normal", "float32", 0.0, 1.0)


def program(compiler: Compiler, source: str = SCALE, entry: str = "scale", arch: str = "sm_90") -> Program:
    outcome = compiler.compile(CompileRequest(source, "kernel.cu", arch, (entry,), defines={}, headers={}))
    assert isinstance(outcome, Compiled), outcome
    return Program(outcome.ptx, outcome.cubin, outcome.arch, outcome.lowered, outcome.resources, "kernel.cu")


def plan(count: int, entry: str = "scale", scratch: tuple[ResolvedScratch, ...] = ()) -> ResolvedPlan:
    return ResolvedPlan((ResolvedLaunch(entry, (-(-count // 128), 1, 1), (128, 1, 1), 0, ("y", "x", "n")),), scratch)


def arguments(x: np.ndarray[Any, Any]) -> tuple[Argument, ...]:
    return (
        ArrayArgument("y", Role.OUT, "float32", x.shape, 4, None),
        ArrayArgument("x", Role.IN, "float32", x.shape, numpy_dtype("float32").itemsize, x),
        ScalarArgument("n", "int32", np.int32(x.size).tobytes()),
    )


def scale_request(compiler: Compiler, count: int = 1000, **changes: Any) -> RunRequest:
    """y = 2 x over 0, 1, 2, ..."""
    return RunRequest(program(compiler), plan(count), arguments(np.arange(count, dtype=np.float32)), **changes)


def measure_request(compiler: Compiler, count: int = 1000, sides: int = 1, **changes: Any) -> MeasureRequest:
    """Two blocks of four launches of each side on generated values; the second launch of each block is kept."""
    candidate = program(compiler)
    key = iter(range(1, 10_000))
    blocks = tuple(
        ScheduledBlock(side, tuple(ScheduledLaunch({"x": next(key)}, keep=launch == 1) for launch in range(4)))
        for _ in range(2)
        for side in range(sides)
    )
    fields: dict[str, Any] = {
        "contestants": tuple(Contestant(candidate, plan(count)) for _ in range(sides)),
        "arrays": (
            TimedArray("y", Role.OUT, "float32", (count,), 4),
            TimedArray("x", Role.IN, "float32", (count,), 4, recipe=NORMAL),
        ),
        "scalars": (ScalarArgument("n", "int32", np.int32(count).tobytes()),),
        "blocks": blocks,
        "sets": 4,
        "spin_ms": 1.0,
    }
    return MeasureRequest(**(fields | changes))


def ran(outcome: object) -> Ran:
    assert isinstance(outcome, Ran), outcome
    return outcome


def fault(outcome: object) -> Fault:
    assert isinstance(outcome, Faulted), outcome
    return outcome.fault
