"""Whether the iterations of a loop can be shared out among threads that otherwise do the same."""

from collections.abc import Iterable

from warpwright.candidate.analysis.access import Access, Deed, Space
from warpwright.candidate.analysis.accumulate import Accumulation
from warpwright.candidate.analysis.kernel import KernelModel, declared_names
from warpwright.candidate.analysis.loops import Loop, carried, departure
from warpwright.candidate.source import SourceParameter
from warpwright.candidate.source_nodes import called_name, of_type


def shareable(kernel: KernelModel, loop: Loop) -> dict[str, Accumulation] | str:
    """Accumulations of a loop whose iterations may run in any order and on any thread; or why they may not."""
    reason = departure(loop) or _hidden_change(kernel, loop)
    if reason is not None:
        return reason
    accesses = list(kernel.arrays.accesses(loop.body))
    reason = _disordered(kernel, loop, accesses)
    return carried(loop) if reason is None else reason


def _hidden_change(kernel: KernelModel, loop: Loop) -> str | None:
    """A way in which a variable could change without an assignment that names it."""
    if any(True for _ in of_type(loop.body, "reference_declarator", "lambda_expression")):
        return "the loop uses references or lambdas"
    changing = {f.name for f in kernel.source.device_functions if any(_by_reference(p) for p in f.parameters)}
    for call in of_type(loop.body, "call_expression"):
        if called_name(call) in changing:
            return f"{called_name(call)} may change its arguments"
    return None


def _by_reference(parameter: SourceParameter) -> bool:
    return not parameter.const and any(True for _ in of_type(parameter.node, "reference_declarator"))


def unit_stride(kernel: KernelModel, loop: Loop) -> bool:
    """True if some access to global memory is contiguous in the loop's variable."""
    for access in kernel.arrays.accesses(loop.body):
        stride = None if access.index is None else access.index.stride(loop.variable)
        if access.space is Space.GLOBAL and stride is not None and stride.value == 1:
            return True
    return False


def _disordered(kernel: KernelModel, loop: Loop, accesses: Iterable[Access]) -> str | None:
    """Why the order of iterations matters to memory."""
    written: dict[str, Access] = {}
    inner = declared_names(loop.body) - kernel.known.keys()
    for access in (a for a in accesses if a.writes):
        reason = _write_problem(access, loop, inner)
        if reason is not None:
            return reason
        if access.deed is Deed.ATOMIC:
            continue
        before = written.setdefault(access.base, access)
        if before.index != access.index:
            return f"{access.base!r} is written at two places in the loop"
    for access in accesses:
        if access.base in written and access.deed is Deed.LOAD and access.index != written[access.base].index:
            return f"{access.base!r} is read and written at different places in the loop"
    return None


def _write_problem(access: Access, loop: Loop, inner: set[str]) -> str | None:
    if access.deed is Deed.ESCAPE:
        return f"the address of {access.base!r} is passed on"
    if access.deed is Deed.ATOMIC:
        used = access.node.parent is None or access.node.parent.type != "expression_statement"
        return "the result of an atomic is used" if used else None
    if access.space is not Space.GLOBAL:
        return f"the loop writes to {access.space.value} array {access.base!r}"
    if access.index is None:
        return f"the place in {access.base!r} that the loop writes is not understood"
    stride = access.index.stride(loop.variable)
    if stride is None or stride.value == 0 or access.index.names & inner:
        return f"iterations of the loop may write the same element of {access.base!r}"
    return None
