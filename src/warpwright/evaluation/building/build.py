"""Compiles a candidate once for each distinct set of tunable values that its cases use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from warpwright.candidate.candidate import Candidate
from warpwright.candidate.resolved import ResolvedPlan
from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import Compiled, CompileFailed, CompileOutcome, CompileRequest
from warpwright.device.protocol import Program
from warpwright.evaluation.building.plans import check_plan
from warpwright.evaluation.building.signature import check_signature
from warpwright.evaluation.failure import Failure
from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.verifier.module_state import check_module
from warpwright.workload.model import Case, Workload


@dataclass(frozen=True, slots=True)
class Build:
    """programs: by case name. compiled: of the first case, or the failure. held: a question that only a person can settle."""

    programs: Mapping[str, Program]
    compiled: CompileOutcome
    held: Failure | None = None


def build(
    candidate: Candidate, plans: Mapping[str, ResolvedPlan], cases: Sequence[Case], compiler: Compiler, arch: str
) -> tuple[Build, Failure | None]:
    """Programs for all cases. The failure is that of the compiler, or of a module that keeps state."""
    by_values: dict[tuple[tuple[str, int], ...], Compiled] = {}
    programs: dict[str, Program] = {}
    first: CompileOutcome | None = None
    held = None
    for case in cases:
        values = candidate.values(case.name)
        key = tuple(sorted(values.items()))
        if key not in by_values:
            outcome = compiler.compile(compile_request(candidate, plans[case.name], values, arch))
            first = first or outcome
            if isinstance(outcome, CompileFailed):
                return Build(programs, outcome), _compile_failure(outcome)
            by_values[key] = outcome
            found = check_module(outcome.ptx)
            if found is not None and found.label is not None:
                failure = Failure(found.label, found.message)
                if not found.label.startswith("suspicious"):
                    return Build(programs, outcome), failure
                held = failure
        programs[case.name] = _program(by_values[key], candidate.source_name)
    if first is None:
        raise ValueError("a build needs at least one case")
    return Build(programs, first, held), None


def compile_request(candidate: Candidate, plan: ResolvedPlan, values: Mapping[str, int], arch: str) -> CompileRequest:
    """What the compiler is asked for one set of tunable values."""
    return CompileRequest(
        source=candidate.source,
        source_name=candidate.source_name,
        arch=arch,
        entries=tuple(dict.fromkeys(launch.entry for launch in plan.launches)),
        defines=values,
        headers=candidate.headers,
        options=candidate.options,
    )


def check_build(
    workload: Workload, plans: Mapping[str, ResolvedPlan], cases: Sequence[Case], built: Build, gpu: GpuSpec
) -> Failure | None:
    """What only the binary tells: parameters against the signature, registers and static shared memory against the GPU."""
    for case in cases:
        plan, program = plans[case.name], built.programs[case.name]
        failure = check_signature(workload, plan, program) or check_plan(case, plan, gpu, program.resources)
        if failure is not None:
            return failure
    return None


def _program(compiled: Compiled, source_name: str) -> Program:
    return Program(compiled.ptx, compiled.cubin, compiled.arch, compiled.lowered, compiled.resources, source_name)


def _compile_failure(failed: CompileFailed) -> Failure:
    line = next((d.line for d in failed.diagnostics if d.severity == "error"), None)
    stage = "launch_error" if failed.reason == "resources" else "compile_error"
    return Failure(f"{stage}.{failed.reason}", failed.message, line)
