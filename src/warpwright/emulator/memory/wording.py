"""Faults in words, the same for every executor: what was accessed, what is there, where to look."""

from warpwright.emulator.memory.arena import Allocation, Arena
from warpwright.emulator.memory.fault import FaultKind
from warpwright.emulator.ptx.ir import Space

_CONTROL = {
    FaultKind.TRAP: "the kernel executed a trap (a failed assert, or __trap())",
    FaultKind.BARRIER_DIVERGENCE: "threads of one block wait at different barriers: __syncthreads() stands in code that not "
    "all threads of the block reach",
    FaultKind.DEADLOCK: "no thread can go on: threads wait for each other, for a flag that nobody sets, or for another "
    "block (blocks run one after another here)",
    FaultKind.BUDGET: "the instruction budget is spent: the kernel loops for ever, or does far more work than the case needs",
}


def control_message(kind: FaultKind) -> str:
    """What is wrong with the flow of control."""
    return _CONTROL[kind]


def access_message(kind: FaultKind, address: int, size: int, space: Space, arena: Arena) -> tuple[str, str | None]:
    """What is wrong with an access of `size` bytes, and the name of the buffer concerned where there is one."""
    verb = "write" if kind is FaultKind.OOB_WRITE else "read"
    if space in (Space.SHARED, Space.LOCAL):
        if kind is FaultKind.MISALIGNED:
            return f"{size}-byte access to {space.value} memory at byte {address}, which is no multiple of {size}", None
        return f"{size}-byte {verb} at byte {address} of {space.value} memory, beyond its end", None
    near = nearest(arena, address)
    if kind is FaultKind.MISALIGNED:
        where = f"byte {address - near.address} of {near.name}" if near else f"address {address:#x}"
        text = f"{size}-byte access at {where}, whose address is no multiple of {size}"
        return text, near.name if near else None
    if near is None:
        return f"{size}-byte {verb} at address {address:#x}, where no buffer is", None
    if near.address <= address and address + size <= near.end:
        return f"{size}-byte write to {near.name}, which is constant", near.name
    distance = address - near.address
    place = (
        f"{-distance} bytes before it"
        if distance < 0
        else f"byte {distance}, {distance + size - near.size_bytes} past its end"
    )
    return f"out-of-bounds {size}-byte {verb} near {near.name} of {near.size_bytes} bytes: {place}", near.name


_NEAR_BYTES = 1 << 20


def nearest(arena: Arena, address: int) -> Allocation | None:
    """The buffer that an address most likely was meant for: the closest within 1 MiB."""

    def distance(allocation: Allocation) -> int:
        if address < allocation.address:
            return allocation.address - address
        return max(0, address - allocation.end + 1)

    found = min(arena.allocations, key=distance, default=None)
    return found if found is not None and distance(found) <= _NEAR_BYTES else None
