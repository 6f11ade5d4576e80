"""Faults of a launch, in words: the same for both executors."""

from dataclasses import dataclass

from warpwright.emulator.flow.graph import Node
from warpwright.emulator.interp.memory import Refused
from warpwright.emulator.memory.arena import Arena
from warpwright.emulator.memory.fault import Fault, FaultKind
from warpwright.emulator.memory.wording import access_message, control_message

Dim3 = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fault happened."""

    node: Node
    block: Dim3
    thread: Dim3


class Halted(Exception):
    """Ends a run from inside; never leaves the interpreter."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def access_fault(refused: Refused, size: int, arena: Arena, place: Place) -> Fault:
    """A load, store or atomic that is not allowed."""
    message, allocation = access_message(refused.kind, refused.address, size, refused.space, arena)
    return _fault(refused.kind, message, place, refused.address, allocation)


def control_fault(kind: FaultKind, place: Place) -> Fault:
    """Trap, divergent barrier, deadlock, budget."""
    return _fault(kind, control_message(kind), place, None, None)


def _fault(kind: FaultKind, message: str, place: Place, address: int | None, allocation: str | None) -> Fault:
    instruction = place.node.instruction
    return Fault(
        kind, message, instruction.source, instruction.ptx_line, place.block, place.thread, address, allocation
    )
