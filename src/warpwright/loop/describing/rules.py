"""What a described workload must have besides what the loader asks of every workload; nothing of it is run."""

from collections.abc import Iterator

from warpwright.loop.describing.draft import KERNEL, ORACLE, WORKLOAD_TOML, Draft
from warpwright.workload.form.reference_file import read_functions
from warpwright.workload.model import CaseKind, DeviceKind, OracleKind, Workload

_LEAST_CASES = 3


def rule_faults(draft: Draft, workload: Workload, device: DeviceKind) -> list[str]:
    """Everything that is missing or that a model may not write, in words."""
    return [*_not_by_a_model(draft, workload), *form_faults(workload, device)]


def form_faults(workload: Workload, device: DeviceKind) -> list[str]:
    """The part that does not ask who wrote it."""
    return [*_cases(workload, device), *_summary(workload)]


def _not_by_a_model(draft: Draft, workload: Workload) -> Iterator[str]:
    """Whoever writes the answers must not choose how they are marked."""
    own = draft.assignment.supplied
    if ORACLE not in own and "compare" in read_functions(draft.files / ORACLE):
        yield f"{ORACLE}: defines compare; leave it out: the comparison is Warpwright's own"
    if WORKLOAD_TOML in own:
        return
    if workload.initial.source_name != KERNEL:
        yield f'{WORKLOAD_TOML}: [kernel] source = "{workload.initial.source_name}"; leave it out: the kernel is {KERNEL}'
    if workload.initial.headers:
        yield f"{WORKLOAD_TOML}: [kernel] headers; leave them out: {KERNEL} is all that is written of it"
    if workload.oracle is OracleKind.KERNEL:
        yield 'workload.toml: [oracle] kind = "kernel"; leave it out: reference.py is the oracle'
    if workload.policy.lower_precision or workload.policy.specialise:
        yield "workload.toml: [policy]; leave it out: only a person may allow more to candidates"


def _cases(workload: Workload, device: DeviceKind) -> Iterator[str]:
    smallest = {name: limits.low for name, limits in workload.dims.items()}
    check = workload.cases_on(device, CaseKind.CHECK)
    if not any(dict(case.dims) == smallest for case in check):
        dims = ", ".join(f"{name} = {value}" for name, value in smallest.items())
        yield f'cases: none of kind "check" has every dim at its least; add one with dims = {{ {dims} }}'
    if not workload.cases_on(device, CaseKind.PERF):
        yield f'cases: none of kind "perf" applies to the {device.value} in use; add one without `on`'
    if len(workload.cases) < _LEAST_CASES:
        yield f"cases: found {len(workload.cases)}; at least {_LEAST_CASES}: the least sizes, ragged sizes, a timed one"


def _summary(workload: Workload) -> Iterator[str]:
    if not workload.summary.strip():
        yield "summary: missing; one line that says what is computed"
