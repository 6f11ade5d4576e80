"""The contract: what the kernel is called with, for which sizes, and how exactly its results are compared."""

from warpwright.candidate.candidate import Candidate
from warpwright.proposer.model.prompt.limits import limits
from warpwright.proposer.model.prompt.quoting import clipped, one_line
from warpwright.proposer.model.prompt.subject import Subject
from warpwright.workload.model import ArrayParameter, Case, DeviceKind, Role, Tolerance, Workload

C_TYPES = {
    "float64": "double", "float32": "float", "float16": "__half", "bfloat16": "__nv_bfloat16",
    "int8": "signed char", "int16": "short", "int32": "int", "int64": "long long",
    "uint8": "unsigned char", "uint16": "unsigned short", "uint32": "unsigned int", "uint64": "unsigned long long",
    "bool": "bool",
}  # fmt: skip
"""dtype -> type in device code."""


def contract(subject: Subject) -> str:
    """Signature, arrays and scalars, legal sizes, cases, tolerance."""
    workload = subject.workload
    what = f": {one_line(workload.summary, limits().line)}" if workload.summary else ""
    lines = [
        f"## Contract\nWorkload {one_line(workload.name, limits().title)}{what}",
        *_prototypes(workload, subject.candidate),
        "Arrays are dense, in C order, on the device:",
        *(f"- {_array(array)}" for array in workload.arrays),
        *(f"- {scalar.name}: {scalar.dtype} = {scalar.value}" for scalar in workload.scalars),
        f"Legal sizes: {', '.join(f'{name} {legal.low}..{legal.high}' for name, legal in workload.dims.items())}.",
        *_cases(workload),
        _comparison(workload),
    ]
    return clipped("\n".join(lines), limits().contract)


def _prototypes(workload: Workload, candidate: Candidate) -> list[str]:
    """One prototype for each entry of the plan; `args` of a launch name parameters and scratch."""
    scratch = {buffer.name: buffer.dtype for buffer in candidate.plan.scratch}
    everything = (*(parameter.name for parameter in workload.parameters), *scratch)
    found = {}
    for launch in candidate.plan.launches:
        passed = everything if launch.args is None else launch.args
        declared = ", ".join(_declared(workload, scratch, name) for name in passed)
        found[launch.entry] = f"`__global__ void {launch.entry}({declared})`"
    return list(found.values())


def _declared(workload: Workload, scratch: dict[str, str], name: str) -> str:
    parameter = next((p for p in workload.parameters if p.name == name), None)
    if parameter is None:
        return f"{C_TYPES.get(scratch.get(name, ''), 'void')}* {name}"
    kind = C_TYPES[parameter.dtype]
    if isinstance(parameter, ArrayParameter):
        return f"{'const ' if parameter.role is Role.IN else ''}{kind}* {name}"
    return f"{kind} {name}"


def _array(array: ArrayParameter) -> str:
    text = (
        f"{array.name}: {array.role.value}, {array.dtype}[{', '.join(array.shape)}], {array.align_bytes}-byte aligned"
    )
    if array.role is Role.OUT:
        text += ", zero before the launch" if array.zeroed else ", holds garbage before the launch: write every element"
    if array.alias is not None:
        return f"{text}; is the same memory as {array.alias}: no __restrict__ on either"
    return f"{text}; overlaps no other array"


def _cases(workload: Workload) -> list[str]:
    shown = sorted(workload.cases, key=lambda case: case.kind.value, reverse=True)[: limits().cases_shown]
    left = len(workload.cases) - len(shown)
    further = [f"- and {left} more"] if left else []
    return ["Cases (perf: timed and ranked; check: results only):", *(f"- {_case(case)}" for case in shown), *further]


def _case(case: Case) -> str:
    bound = ", ".join(f"{name}={value}" for name, value in (*case.dims.items(), *case.scalars.items()))
    where = "" if len(case.on) == len(DeviceKind) else f" ({' '.join(sorted(kind.value for kind in case.on))} only)"
    return f"{one_line(case.name, limits().title)}: {case.kind.value}{where}, {bound}"


def _comparison(workload: Workload) -> str:
    texts = [f"{output.name} {_tolerance(workload.tolerance.of(output.name), output)}" for output in workload.outputs]
    cache = "cold" if workload.cold_cache else "warm"
    return (
        "Every element is compared with a reference in higher precision: " + "; ".join(texts) + ". "
        f"Timed launches find the L2 cache {cache}."
    )


def _tolerance(tolerance: Tolerance, output: ArrayParameter) -> str:
    if not output.dtype.startswith(("float", "bfloat")) and tolerance.rtol is None and tolerance.atol is None:
        return "exactly"
    rtol = "what rounding of its type and its longest sum needs" if tolerance.rtol is None else f"{tolerance.rtol:g}"
    atol = "the same relative to its row" if tolerance.atol is None else f"{tolerance.atol:g}"
    return f"within rtol {rtol}, atol {atol}"
