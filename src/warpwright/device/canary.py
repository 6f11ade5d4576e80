"""A small kernel with a known answer: compiled, run and compared before a device is trusted, and after it crashed."""

from importlib import resources

import numpy as np

from warpwright.candidate.resolved import ResolvedLaunch, ResolvedPlan
from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import CompileFailed, CompileRequest
from warpwright.device.protocol import Array, ArrayArgument, Device, Faulted, Program, RunRequest, ScalarArgument
from warpwright.workload.model import Role

_COUNT = 1000
"""Not a multiple of the block, so that the bounds check of the kernel matters."""

_BLOCK = 128


def run_canary(device: Device, compiler: Compiler) -> str | None:
    """Compile and run saxpy on a device; None if the numbers are right, else what went wrong.

    Raises: InfrastructureError, ToolchainUnavailable.
    """
    source = (resources.files("warpwright.device") / "canary.cu").read_text(encoding="utf-8")
    outcome = compiler.compile(
        CompileRequest(source, "canary.cu", device.target.arch, ("saxpy",), defines={}, headers={})
    )
    if isinstance(outcome, CompileFailed):
        return f"the canary kernel does not compile: {outcome.message}"
    program = Program(
        outcome.ptx, outcome.cubin, outcome.arch, outcome.lowered, outcome.resources, source_name="canary.cu"
    )
    x = np.arange(_COUNT, dtype=np.float32)
    y = np.full(_COUNT, 0.5, np.float32)
    ran = device.run(RunRequest(program, _plan(), _arguments(x, y)))
    if isinstance(ran, Faulted):
        return f"the canary kernel faulted: {ran.fault.message}"
    wrong = int(np.count_nonzero(ran.arrays["y"] != np.float32(2) * x + y))
    return None if wrong == 0 else f"the canary kernel computed {wrong} of {_COUNT} elements wrong"


def _plan() -> ResolvedPlan:
    grid = (-(-_COUNT // _BLOCK), 1, 1)
    return ResolvedPlan((ResolvedLaunch("saxpy", grid, (_BLOCK, 1, 1), 0, ("y", "x", "a", "n")),), ())


def _arguments(x: Array, y: Array) -> tuple[ArrayArgument | ScalarArgument, ...]:
    return (
        ArrayArgument("y", Role.INOUT, "float32", y.shape, 4, y),
        ArrayArgument("x", Role.IN, "float32", x.shape, 4, x),
        ScalarArgument("a", "float32", np.float32(2).tobytes()),
        ScalarArgument("n", "int32", np.int32(_COUNT).tobytes()),
    )
