"""A small kernel with a known answer: compiled, run and compared before a device is trusted, and after it crashed."""

from importlib import resources

import numpy as np

from warpwright.candidate.resolved import ResolvedLaunch, ResolvedPlan
from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import CompileFailed, CompileRequest
from warpwright.device.protocol import (
    Array,
    ArrayArgument,
    Device,
    Faulted,
    Program,
    RunOutcome,
    RunRequest,
    ScalarArgument,
)
from warpwright.workload.model import Role

_COUNT = 1000
"""Not a multiple of the block, so that the bounds check of the kernel matters."""

_BLOCK = 128


def run_canary(device: Device, compiler: Compiler) -> str | None:
    """Compile and run saxpy on a device; None if the numbers are right, else what went wrong.

    Raises: InfrastructureError, ToolchainUnavailable.
    """
    program = compile_canary(compiler, device.target.arch)
    return program if isinstance(program, str) else canary_problem(device.run(canary_request(program)))


def compile_canary(compiler: Compiler, arch: str) -> Program | str:
    """The canary for one GPU, or why there is none."""
    source = (resources.files("warpwright.device") / "canary.cu").read_text(encoding="utf-8")
    outcome = compiler.compile(CompileRequest(source, "canary.cu", arch, ("saxpy",), defines={}, headers={}))
    if isinstance(outcome, CompileFailed):
        return f"the canary kernel does not compile: {outcome.message}"
    return Program(
        outcome.ptx, outcome.cubin, outcome.arch, outcome.lowered, outcome.resources, source_name="canary.cu"
    )


def canary_request(program: Program, time_limit_s: float = 30.0) -> RunRequest:
    """What the canary is asked to compute."""
    return RunRequest(program, _plan(), _arguments(*_inputs()), time_limit_s=time_limit_s)


def canary_problem(outcome: RunOutcome) -> str | None:
    """None if the numbers are right, else what went wrong."""
    if isinstance(outcome, Faulted):
        return f"the canary kernel faulted: {outcome.fault.message}"
    x, y = _inputs()
    wrong = int(np.count_nonzero(outcome.arrays["y"] != np.float32(2) * x + y))
    return None if wrong == 0 else f"the canary kernel computed {wrong} of {_COUNT} elements wrong"


def _inputs() -> tuple[Array, Array]:
    return np.arange(_COUNT, dtype=np.float32), np.full(_COUNT, 0.5, np.float32)


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
