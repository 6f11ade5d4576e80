"""Faults of the emulator as outcomes of a candidate."""

from warpwright.device.protocol import Fault, FaultKind
from warpwright.emulator.memory.fault import Fault as EmulatorFault
from warpwright.emulator.memory.fault import FaultKind as EmulatorFaultKind

_KINDS = {
    EmulatorFaultKind.OOB_READ: FaultKind.OOB_READ,
    EmulatorFaultKind.OOB_WRITE: FaultKind.OOB_WRITE,
    EmulatorFaultKind.MISALIGNED: FaultKind.MISALIGNED,
    EmulatorFaultKind.TRAP: FaultKind.TRAP,
    EmulatorFaultKind.BARRIER_DIVERGENCE: FaultKind.BARRIER_DIVERGENCE,
    EmulatorFaultKind.DEADLOCK: FaultKind.DEADLOCK,
    EmulatorFaultKind.BUDGET: FaultKind.DEADLOCK,
}


def device_fault(fault: EmulatorFault, entry: str, source_name: str) -> Fault:
    """The same fault in the device's words; the line only if it lies in the candidate's own source."""
    own = fault.source is not None and fault.source.file == source_name
    return Fault(
        kind=_KINDS[fault.kind],
        message=fault.message,
        entry=entry,
        line=fault.source.line if own and fault.source is not None else None,
        block=fault.block,
        thread=fault.thread,
    )
