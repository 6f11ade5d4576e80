"""Faults of the harness and guards that changed, as outcomes of a candidate."""

from collections.abc import Sequence

from warpwright.candidate.resolved import ResolvedPlan
from warpwright.device.gpu.wire.replies import GuardViolation, WireFault
from warpwright.device.protocol import Fault, FaultKind, Program
from warpwright.errors import InfrastructureError

_KINDS = {
    "illegal_address": FaultKind.ILLEGAL_ADDRESS,
    "misaligned": FaultKind.MISALIGNED,
    "trap": FaultKind.TRAP,
    "assert": FaultKind.ASSERT,
    "stack": FaultKind.STACK,
    "illegal_instruction": FaultKind.ILLEGAL_INSTRUCTION,
    "launch_resources": FaultKind.RESOURCES,
    "launch_config": FaultKind.CONFIG,
    "cooperative": FaultKind.COOPERATIVE,
    "timeout": FaultKind.TIMEOUT,
    "display_watchdog": FaultKind.DISPLAY_WATCHDOG,
    "oob_write": FaultKind.OOB_WRITE,
}


def fault_of_wire(wire: WireFault, program: Program, plan: ResolvedPlan, *, timing: bool) -> Fault:
    """The same fault in the device's words. timing: it happened under the clock.

    Raises: InfrastructureError for a kind that is not in docs/harness.md.
    """
    kind = _KINDS.get(wire.kind)
    if kind is None:
        raise InfrastructureError(
            f"the harness reported a fault of the unknown kind {wire.kind!r}; known: {', '.join(_KINDS)}. "
            "Its version does not fit: run `warpwright doctor`."
        )
    if timing and kind is FaultKind.TIMEOUT:
        kind = FaultKind.TIMING
    call = f" ({wire.call} gave {wire.name or wire.code})" if wire.call else ""
    return Fault(kind, f"{wire.message}{call}", _entry(wire, program, plan))


def fault_of_guards(guards: Sequence[GuardViolation]) -> Fault | None:
    """A write outside an array; None if every guard is as it was."""
    if not guards:
        return None
    first = guards[0]
    edge = "behind its end" if first.side == "after" else "before its start"
    more = f"; {len(guards) - 1} more places" if len(guards) > 1 else ""
    text = (
        f"array {first.name}: {first.bytes} bytes {edge} were overwritten, the nearest {first.offset_bytes} bytes from its "
        f"edge{more}. Check the bounds of every store."
    )
    return Fault(FaultKind.OOB_WRITE, text)


def _entry(wire: WireFault, program: Program, plan: ResolvedPlan) -> str | None:
    if wire.launch is not None and wire.launch < len(plan.launches):
        return plan.launches[wire.launch].entry
    by_symbol = {symbol: entry for entry, symbol in program.lowered.items()}
    return by_symbol.get(wire.entry or "")
