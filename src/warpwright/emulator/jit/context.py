"""What generated code and Python share: one record for a run and one for each memory instruction. Offsets come from here."""

import ctypes
from collections.abc import Iterator
from enum import IntEnum

_I32, _I64, _PTR = ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p


ROW_SHAPES = ((1, 2), (1, 4), (2, 2), (2, 4), (4, 2), (4, 4), (8, 2))
"""(bytes, parts) of vector accesses that have a contiguous path."""


class State(IntEnum):
    """What a warp is doing; also what running it gives."""

    RUNNABLE = 0
    PARKED = 1
    DONE = 2
    FAULT = 3


class FaultCode(IntEnum):
    """Kinds of fault as generated code writes them."""

    NONE = 0
    BOUNDS = 1
    MISALIGNED = 2
    TRAP = 3
    BARRIER = 4
    DEADLOCK = 5
    BUDGET = 6


class SpaceCode(IntEnum):
    """Where a bounds or alignment fault happened."""

    GLOBAL = 0
    SHARED = 1
    LOCAL = 2


class Context(ctypes.Structure):
    """One run. Pointers are host addresses; names ending in `_x` begin three i32 (x, y, z)."""

    _fields_ = (
        ("bias", _I64),  # host address - device address
        ("shared", _PTR),
        ("shared_bytes", _I64),
        ("dynamic_shared_bytes", _I64),
        ("local", _PTR),
        ("local_bytes", _I64),  # of one thread
        ("parameters", _PTR),
        ("symbols", _PTR),  # i64 device address of each module variable
        ("step", _PTR),  # the kernel: runs one warp until it parks, ends or faults
        ("pending_offset", _I64),  # of the pending masks within a warp's record
        ("warps", _PTR),
        ("warp_bytes", _I64),
        ("warp_count", _I64),
        ("thread_ids", _PTR),  # per warp: 32 x, 32 y, 32 z
        ("live", _PTR),  # i32 mask of existing lanes per warp
        ("zeroed", _PTR),  # (i64 offset, i64 bytes) within a warp's record that each block begins with as zero
        ("zeroed_count", _I64),
        ("blocks", _PTR),  # i64 linear ids
        ("block_count", _I64),
        ("blocks_done", _I64),
        ("allocations", _PTR),  # (i64 first address, i64 bytes, i64 writable), ascending
        ("allocation_count", _I64),
        ("sites", _PTR),
        ("executions", _PTR),  # (i64 warps, i64 lanes) per basic block
        ("barriers", _I64),
        ("budget", _I64),
        ("trace", _PTR),
        ("trace_left", _I64),
        ("block_id", _I64),
        ("ctaid_x", _I32),
        ("ctaid_y", _I32),
        ("ctaid_z", _I32),
        ("ntid_x", _I32),
        ("ntid_y", _I32),
        ("ntid_z", _I32),
        ("nctaid_x", _I32),
        ("nctaid_y", _I32),
        ("nctaid_z", _I32),
        ("fault_kind", _I32),
        ("fault_node", _I32),
        ("fault_warp", _I32),
        ("fault_lane", _I32),
        ("fault_bytes", _I32),
        ("fault_space", _I32),
        ("clock", _I64),
        ("fault_address", _I64),
        ("arrived", _I32 * 16),  # threads that bar.arrive has brought to each barrier
    )


class Site(ctypes.Structure):
    """One memory instruction: last allocation hit, counts by path, and the last shared access pattern.

    fast: contiguous full requests by place in the 128-byte line (sector 0..3, plus 4 if inside a sector).
    sums: columns of RawCounts.memory of every other request.
    """

    _fields_ = (
        ("first", _I64),
        ("bytes", _I64),
        ("uniform", _I64),
        ("uniform_lanes", _I64),
        ("contiguous", _I64),
        ("lane_bytes", _I32),
        ("writes", _I32),
        ("node", _I32),
        ("memory_index", _I32),
        ("traced", _I64),  # whether a trace wants its requests: global ones, not constants
        ("fast", _I64 * 8),
        ("sums", _I64 * 8),
        ("pattern", _I32 * 32),
        ("pattern_mask", _I32),
        ("pattern_phase", _I32),
        ("pattern_wavefronts", _I32),
        ("pattern_least", _I32),
        ("padding", _I64 * 6),
    )


class WarpHeader(ctypes.Structure):
    """Start of a warp's record; ready bits, pending masks and registers follow at offsets of the kernel's layout."""

    _fields_ = (
        ("ready_count", _I32),  # basic blocks with pending lanes
        ("index", _I32),
        ("state", _I32),
        ("parked", _I32),  # lanes at a barrier
        ("resume", _I32),  # basic block after the barrier
        ("barrier_id", _I32),
        ("barrier_threads", _I32),  # 0: all threads of the block
        ("barrier_node", _I32),
        ("barrier_votes", _I32),  # predicate of bar.red
        ("result_kind", _I32),  # of bar.red: 0 none, 1 popc, 2 and, 3 or
        ("result_offset", _I32),  # where the result goes
        ("spins", _I32),
        ("last_block", _I32),
        ("spare", _I32 * 3),
    )


class Allocated(ctypes.Structure):
    """One row of the allocation table."""

    _fields_ = (("first", _I64), ("bytes", _I64), ("writable", _I64))


RECORDS: dict[str, type[ctypes.Structure]] = {
    "context": Context,
    "site": Site,
    "warp": WarpHeader,
    "allocated": Allocated,
}


def offset(record: type[ctypes.Structure], field: str) -> int:
    """Byte offset of a field."""
    return int(getattr(record, field).offset)


def offsets() -> Iterator[tuple[str, int]]:
    """Every offset and size under the name that the runtime's text uses: `context_bias`, `site_size`."""
    for name, record in RECORDS.items():
        yield f"{name}_size", ctypes.sizeof(record)
        for field in record._fields_:
            yield f"{name}_{field[0]}", offset(record, field[0])
