"""The initial kernel as the oracle of a workload that says `[oracle] kind = "kernel"`."""

from collections.abc import Mapping
from dataclasses import dataclass

from warpwright.compiler.compiler import Compiler
from warpwright.device.protocol import Device, Faulted, Program, RunRequest
from warpwright.errors import WorkloadError
from warpwright.evaluation.building.build import build
from warpwright.evaluation.building.plans import resolve_plans
from warpwright.evaluation.failure import Failure
from warpwright.verifier.binding import device_arguments
from warpwright.verifier.evidence import POISONS, case_text
from warpwright.workload.model import Case, Workload
from warpwright.workload.values import Array, CaseArguments


@dataclass(frozen=True, slots=True)
class KernelOracle:
    """Runs the initial kernel for `Oracle(run_kernel=...)`. It proves agreement with that kernel and nothing more."""

    workload: Workload
    device: Device
    compiler: Compiler
    time_limit_s: float

    def __call__(self, case: Case, arguments: CaseArguments) -> Mapping[str, Array]:
        """Every output of one case. Raises: WorkloadError if the initial kernel does not run to its end."""
        initial = self.workload.initial
        plans = resolve_plans(initial, self.workload, [case], self.device.spec)
        if isinstance(plans, Failure):
            raise self._unusable(case, plans)
        built, failure = build(initial, plans, [case], self.compiler, self.device.target.arch)
        if failure is not None:
            raise self._unusable(case, failure)
        program: Program = built.programs[case.name]
        bound = device_arguments(self.workload, arguments)
        request = RunRequest(
            program,
            plans[case.name],
            bound,
            poison=POISONS[0],
            time_limit_s=self.time_limit_s,
            least_alignment=False,
        )
        outcome = self.device.run(request)
        if isinstance(outcome, Faulted):
            raise self._unusable(case, Failure(outcome.fault.kind.value, outcome.fault.message))
        return {output.name: outcome.arrays[output.name] for output in self.workload.outputs}

    def _unusable(self, case: Case, failure: Failure) -> WorkloadError:
        where = self.workload.directory / self.workload.initial.source_name
        return WorkloadError(
            f"{where}: {case_text(case)}: the initial kernel is this workload's oracle, but it ended in {failure.label}: "
            f"{failure.message}"
        )
