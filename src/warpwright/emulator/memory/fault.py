"""What can go wrong inside an emulated launch. A fault is data: a report of the launch, not an exception."""

from dataclasses import dataclass
from enum import StrEnum

from warpwright.emulator.ptx.ir import SourceLine


class FaultKind(StrEnum):
    """Kind of fault; `device.emulated` maps it to an outcome."""

    OOB_READ = "oob_read"
    OOB_WRITE = "oob_write"
    MISALIGNED = "misaligned"
    TRAP = "trap"
    BARRIER_DIVERGENCE = "barrier_divergence"
    DEADLOCK = "deadlock"
    """Nothing can run any more, or the instruction budget is spent in a loop."""
    BUDGET = "budget"


@dataclass(frozen=True, slots=True)
class Fault:
    """First fault of a launch, and where. address and allocation are None where they do not apply."""

    kind: FaultKind
    message: str
    source: SourceLine | None
    ptx_line: int | None
    block: tuple[int, int, int] | None
    thread: tuple[int, int, int] | None
    address: int | None = None
    allocation: str | None = None
