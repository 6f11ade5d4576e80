"""Runs a candidate of the corpus on the emulator and compares it with another."""

from collections.abc import Mapping

import numpy as np

from proposer.corpus import BYTES
from warpwright.candidate.candidate import Candidate
from warpwright.candidate.expressions import evaluate
from warpwright.candidate.limits import check_limits
from warpwright.candidate.resolve import resolve_plan
from warpwright.candidate.resolved import PlanFault
from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import Compiled, CompileRequest
from warpwright.device.emulated.device import EmulatedDevice
from warpwright.device.protocol import Argument, ArrayArgument, Program, Ran, RunRequest, ScalarArgument
from warpwright.workload.model import ArrayParameter, Case, Role, Workload
from warpwright.workload.values import Array

Results = Mapping[str, Array]


def possible(workload: Workload, candidate: Candidate, device: EmulatedDevice) -> bool:
    """True if every case can be launched."""
    names = [p.name for p in workload.parameters]
    for case in workload.cases:
        plan = resolve_plan(candidate, case.dims, device.spec, case.name, names)
        if isinstance(plan, PlanFault) or any(check_limits(run, device.spec, None) for run in plan.launches):
            return False
    return True


def run(
    workload: Workload, candidate: Candidate, case: Case, tools: tuple[Compiler, EmulatedDevice], align: int
) -> Results:
    """Outputs of one case with seeded inputs. align: 1 = each array starts one element off, 16 = as the allocator gives it."""
    compiler, device = tools
    entries = tuple(launch.entry for launch in candidate.plan.launches)
    request = CompileRequest(candidate.source, "kernel.cu", "sm_90", entries, candidate.values(), {})
    compiled = compiler.compile(request)
    assert isinstance(compiled, Compiled), f"{compiled.message}\n{candidate.source}"
    plan = resolve_plan(candidate, case.dims, device.spec, case.name, [p.name for p in workload.parameters])
    assert not isinstance(plan, PlanFault), plan.message
    program = Program(compiled.ptx, b"", compiled.arch, compiled.lowered, compiled.resources, "kernel.cu")
    outcome = device.run(RunRequest(program, plan, arguments(workload, case, align)))
    assert isinstance(outcome, Ran), f"{outcome}\n{candidate.source}"
    return {a.name: outcome.arrays[a.name] for a in workload.outputs}


def arguments(workload: Workload, case: Case, align: int) -> tuple[Argument, ...]:
    """The same values for every candidate of a case."""
    rng = np.random.default_rng(len(case.name))
    found: list[Argument] = []
    for parameter in workload.parameters:
        if isinstance(parameter, ArrayParameter):
            shape = tuple(evaluate(size, case.dims) for size in parameter.shape)
            value = None if parameter.role is Role.OUT else draw(rng, parameter.dtype, shape)
            size = BYTES[parameter.dtype] if align == 1 else align
            found.append(
                ArrayArgument(parameter.name, parameter.role, parameter.dtype, shape, size, value, parameter.zeroed)
            )
        else:
            number = evaluate(parameter.value, case.dims) if isinstance(parameter.value, str) else parameter.value
            found.append(
                ScalarArgument(parameter.name, parameter.dtype, np.dtype(parameter.dtype).type(number).tobytes())
            )
    return tuple(found)


def draw(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> Array:
    if dtype.startswith("float"):
        return rng.standard_normal(shape).astype(dtype)
    low, high = {"uint8": (0, 256), "int8": (-128, 128)}.get(dtype, (0, 100_000))
    return rng.integers(low, high, shape).astype(dtype)


def assert_same(actual: Results, expected: Results, label: str) -> None:
    """Integers equal, floats equal up to the order of their sums."""
    for name, want in expected.items():
        got = actual[name]
        if want.dtype.kind == "f":
            scale = float(np.max(np.abs(want), initial=1.0))
            np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-6 * scale, err_msg=f"{label}: {name}")
        else:
            np.testing.assert_array_equal(got, want, err_msg=f"{label}: {name}")
