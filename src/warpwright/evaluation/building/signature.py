"""The compiled kernel's parameters against what the workload will pass: count and width of each (verification.md 11)."""

import re
from dataclasses import dataclass

from warpwright.candidate.resolved import ResolvedLaunch, ResolvedPlan
from warpwright.device.protocol import Program
from warpwright.evaluation.failure import Failure
from warpwright.workload.dtypes import element_type
from warpwright.workload.model import ArrayParameter, Workload

POINTER_BYTES = 8
_PARAMETER = re.compile(r"\.param\s+(?P<spec>[^,()]*?)(?P<name>[\w$]+)\s*(?:\[(?P<count>\d+)\])?\s*(?=,|\)|$)")
_WIDTH = re.compile(r"\.[a-z]+(?P<bits>\d+)\b")


@dataclass(frozen=True, slots=True)
class _Passed:
    name: str
    kind: str
    size_bytes: int


def check_signature(workload: Workload, plan: ResolvedPlan, program: Program) -> Failure | None:
    """The first launch whose kernel takes other parameters than it will be given, or None."""
    for launch in plan.launches:
        taken = entry_parameters(program.ptx, program.lowered[launch.entry])
        passed = [_passed(workload, name) for name in launch.args]
        message = None if taken is None else _difference(launch, taken, passed)
        if message is not None:
            return Failure("invalid_plan.signature", message)
    return None


def entry_parameters(ptx: str, symbol: str) -> list[int] | None:
    """Bytes of each parameter of a kernel, in order; None if the PTX has no such kernel."""
    match = re.search(rf"\.entry\s+{re.escape(symbol)}\s*(?:\((?P<list>[^()]*)\))?", ptx)
    if match is None:
        return None
    return [_size_bytes(m["spec"], m["count"]) for m in _PARAMETER.finditer(match["list"] or "")]


def _size_bytes(spec: str, count: str | None) -> int:
    """The last type in the spec is the parameter's own: `.u64 .ptr .global .align 4` has one, `.align 8 .b8` too."""
    widths = [int(m["bits"]) for m in _WIDTH.finditer(spec)]
    return widths[-1] // 8 * int(count or 1)


def _passed(workload: Workload, name: str) -> _Passed:
    parameter = next((p for p in workload.parameters if p.name == name), None)
    if parameter is None:
        return _Passed(name, "scratch pointer", POINTER_BYTES)
    if isinstance(parameter, ArrayParameter):
        return _Passed(name, f"{parameter.dtype} pointer", POINTER_BYTES)
    return _Passed(name, parameter.dtype, element_type(parameter.dtype).size_bytes)


def _difference(launch: ResolvedLaunch, taken: list[int], passed: list[_Passed]) -> str | None:
    if len(taken) != len(passed):
        names = ", ".join(f"{p.name} ({p.kind})" for p in passed)
        return f"kernel {launch.entry} takes {len(taken)} parameters; the launch passes {len(passed)}: {names}"
    for position, (size, given) in enumerate(zip(taken, passed, strict=True), start=1):
        if size != given.size_bytes:
            return (
                f"kernel {launch.entry}: parameter {position} is {size} bytes wide; the workload passes {given.name} as "
                f"{given.kind}, {given.size_bytes} bytes. Give the parameter that type."
            )
    return None
