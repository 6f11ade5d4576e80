"""The launch plan of every case in integers, checked against the device before anything is compiled or run."""

from collections.abc import Mapping, Sequence

from warpwright.candidate.candidate import Candidate
from warpwright.candidate.limits import check_limits
from warpwright.candidate.resolve import resolve_plan
from warpwright.candidate.resolved import PlanFault, ResolvedPlan
from warpwright.compiler.result import KernelResources
from warpwright.evaluation.failure import Failure
from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.verifier.evidence import case_text
from warpwright.workload.model import Case, Workload


def resolve_plans(
    candidate: Candidate, workload: Workload, cases: Sequence[Case], gpu: GpuSpec
) -> dict[str, ResolvedPlan] | Failure:
    """Case name -> plan, for all cases, or the first fault."""
    known = {case.name for case in (*workload.cases, *cases)}
    strange = sorted(set(candidate.plan.overrides) - known)
    if strange:
        text = f"[kernel.case.{strange[0]}] names no case; the workload has {', '.join(sorted(known))}"
        return Failure("invalid_plan.signature", text)
    names = [parameter.name for parameter in workload.parameters]
    plans: dict[str, ResolvedPlan] = {}
    for case in cases:
        plan = resolve_plan(candidate, case.dims, gpu, case.name, names)
        if isinstance(plan, PlanFault):
            return Failure(f"{plan.outcome}.{plan.reason}", plan.message)
        fault = check_plan(case, plan, gpu, {})
        if fault is not None:
            return fault
        plans[case.name] = plan
    return plans


def check_plan(
    case: Case, plan: ResolvedPlan, gpu: GpuSpec, resources: Mapping[str, KernelResources]
) -> Failure | None:
    """Every launch of one case against the device. resources: by entry; empty before the kernels are compiled."""
    for launch in plan.launches:
        fault = check_limits(launch, gpu, resources.get(launch.entry))
        if fault is not None:
            return Failure(f"{fault.outcome}.{fault.reason}", f"{case_text(case)}: {fault.message}")
    return None
