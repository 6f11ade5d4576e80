"""Emulated device memory: one block of host memory with named allocations and gaps between them that fault."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from warpwright.emulator.ops import windows

Bytes = np.ndarray[Any, np.dtype[np.uint8]]

BASE_ADDRESS = 0x7F00_0000_0000
"""Device address of the arena's first byte: fixed, so that sector counts and pointer arithmetic repeat exactly."""

SHARED_WINDOW = windows.SHARED_WINDOW
"""Generic address of shared byte 0 (`cvta.shared`)."""

LOCAL_WINDOW = windows.LOCAL_WINDOW
"""Generic address of local byte 0 (`cvta.local`)."""

GAP_BYTES = 4096
"""Least distance between allocations; an access inside a gap is out of bounds."""


@dataclass(frozen=True, slots=True)
class Allocation:
    """One named buffer; addresses are device addresses, `address` of its first byte."""

    name: str
    address: int
    size_bytes: int
    writable: bool = True

    @property
    def end(self) -> int:
        """First address behind it."""
        return self.address + self.size_bytes


class Arena:
    """Buffers at fixed device addresses, 256-byte aligned unless asked otherwise. Device address = BASE_ADDRESS + offset."""

    def __init__(self, capacity_bytes: int) -> None:
        self._raw = np.zeros(capacity_bytes + 4096, np.uint8)
        start = -self._raw.ctypes.data % 4096
        self.bytes: Bytes = self._raw[start : start + capacity_bytes]
        self._allocations: list[Allocation] = []
        self._used = GAP_BYTES
        self.symbols: dict[str, Allocation] = {}
        """Module variables (`.global`, `.const`) by PTX name, placed by `emulator.launch`; executors read addresses here."""

    @staticmethod
    def capacity_for(sizes_bytes: list[int]) -> int:
        """Bytes an arena needs for buffers of these sizes, gaps included."""
        return GAP_BYTES + sum(-(-size // 256) * 256 + GAP_BYTES + 256 for size in sizes_bytes)

    def allocate(self, name: str, size_bytes: int, *, offset_bytes: int = 0, writable: bool = True) -> Allocation:
        """A buffer at the next 256-byte boundary plus `offset_bytes` (to give it only element alignment).

        Raises: MemoryError if the arena is full (its capacity comes from `capacity_for`).
        """
        offset = -(-self._used // 256) * 256 + offset_bytes
        if offset + size_bytes + GAP_BYTES > self.bytes.size:
            raise MemoryError(f"arena of {self.bytes.size} bytes is full: {name} needs {size_bytes} more")
        allocation = Allocation(name, BASE_ADDRESS + offset, size_bytes, writable)
        self._allocations.append(allocation)
        self._used = offset + size_bytes + GAP_BYTES
        return allocation

    @property
    def allocations(self) -> tuple[Allocation, ...]:
        """In ascending address order."""
        return tuple(self._allocations)

    def view(self, allocation: Allocation) -> Bytes:
        """The buffer's bytes, shared with the arena."""
        start = allocation.address - BASE_ADDRESS
        return self.bytes[start : start + allocation.size_bytes]

    def find(self, address: int) -> Allocation | None:
        """The allocation that holds an address."""
        return next((a for a in self._allocations if a.address <= address < a.end), None)

    @property
    def host_base(self) -> int:
        """Host address of the arena's first byte; device address d lies at d - BASE_ADDRESS + host_base."""
        return int(self.bytes.ctypes.data)
