"""What the cases cover, judged by their dims alone."""

from collections.abc import Iterator

from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.units import format_bytes, format_us
from warpwright.workload.floor import Binding, case_floor
from warpwright.workload.lint.finding import LintFinding, Severity
from warpwright.workload.model import CaseKind, DeviceKind, OracleKind, ScalarParameter, Workload
from warpwright.workload.shapes import case_bytes, scalar_value

_TILE = 8
_USABLE_DRAM_RATIO = 0.9


def plan_findings(workload: Workload, gpu: GpuSpec | None) -> list[LintFinding]:
    """Dims and scalars that never vary, no ragged case, launch-bound perf cases, cases that do not fit."""
    findings = [*_dim_findings(workload), *_scalar_findings(workload)]
    if workload.oracle is OracleKind.KERNEL:
        findings.append(
            LintFinding(
                Severity.WARNING,
                "the expected outputs come from the initial kernel itself: a mistake in it is kept, only disagreement is seen",
            )
        )
    if gpu is not None:
        findings += [*_launch_bound(workload, gpu), *_too_large(workload, gpu)]
    return findings


def _dim_findings(workload: Workload) -> Iterator[LintFinding]:
    for name, limits in workload.dims.items():
        if limits.low == limits.high:
            continue
        values = sorted({case.dims[name] for case in workload.cases})
        if len(values) == 1:
            yield LintFinding(
                Severity.WARNING,
                f"every case has {name} = {values[0]}: a kernel that takes it for a constant passes; "
                f"add a case with another value, or set the range of {name} to {values[0]}..{values[0]}",
            )
        elif limits.high >= _TILE and all(value % _TILE == 0 or value == 1 for value in values):
            yield LintFinding(
                Severity.WARNING,
                f"no case has {name} off a multiple of {_TILE}: a kernel without a tail passes; add one, such as "
                f"{name} = {min(values[-1] - 1, limits.high) | 1}",
            )


def _scalar_findings(workload: Workload) -> Iterator[LintFinding]:
    for scalar in workload.scalars:
        if scalar.name in workload.dims or isinstance(scalar.value, str):
            continue
        values = {scalar_value(scalar, case).item() for case in workload.cases}
        if len(values) == 1 and len(workload.cases) > 1:
            yield _constant_scalar(scalar, values.pop())


def _constant_scalar(scalar: ScalarParameter, value: object) -> LintFinding:
    return LintFinding(
        Severity.WARNING,
        f"every case has {scalar.name} = {value}: a kernel that hard-codes it passes; give one case "
        f"scalars = {{ {scalar.name} = ... }}",
    )


def _launch_bound(workload: Workload, gpu: GpuSpec) -> Iterator[LintFinding]:
    for case in workload.cases:
        floor = case_floor(workload, case, gpu)
        if case.kind is CaseKind.PERF and floor.binding is Binding.LAUNCH:
            yield LintFinding(
                Severity.NOTE,
                f"launch-bound on {gpu.name}: its bytes need {format_us(floor.bytes_us)}, an empty launch "
                f"{format_us(floor.launch_us)}; a perfect kernel cannot be told from a good one there",
                case.name,
            )


def _too_large(workload: Workload, gpu: GpuSpec) -> Iterator[LintFinding]:
    limit = gpu.memory.dram_bytes * _USABLE_DRAM_RATIO
    for case in workload.cases_on(DeviceKind.GPU):
        needed = case_bytes(workload, case)
        if needed > limit:
            yield LintFinding(
                Severity.ERROR,
                f"needs {format_bytes(needed)}; of the {format_bytes(gpu.memory.dram_bytes)} of {gpu.name}, "
                f"{format_bytes(limit)} can be used. Use smaller dims.",
                case.name,
            )
