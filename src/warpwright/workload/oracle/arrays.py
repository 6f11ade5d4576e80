"""Arrays as messages: their description in the JSON body, their bytes beside it or in memory that both sides share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from warpwright.units import MIB
from warpwright.workload.dtypes import DTYPE_NAMES, numpy_dtype
from warpwright.workload.oracle.arena import aligned
from warpwright.workload.values import Array

SHARED_FROM_BYTES = MIB
"""Smaller arrays pass through the pipe sooner than memory is shared."""

Bytes = bytes | bytearray | memoryview
ReadShared = Callable[[int, int], Bytes]
"""From (offset, bytes) to what lies there in shared memory."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a message carries arrays.

    described: name, dtype and shape of each array, in order, and the `offset` of those in shared memory.
    piped: the others, in order. shared: offset and array. end: of what is shared, in bytes.
    """

    described: list[dict[str, Any]]
    piped: list[Array]
    shared: list[tuple[int, Array]]
    end: int


def lay_out(arrays: Mapping[str, Array], start: int, limit: int | None) -> Layout:
    """Large arrays to shared memory from `start` on, as far as they end before `limit` (None: all), others to the pipe."""
    described, piped, shared = list[dict[str, Any]](), list[Array](), list[tuple[int, Array]]()
    end = start
    for name, array in arrays.items():
        entry: dict[str, Any] = {"name": name, "dtype": array.dtype.name, "shape": list(array.shape)}
        offset = aligned(end)
        if array.nbytes >= SHARED_FROM_BYTES and (limit is None or offset + array.nbytes <= limit):
            entry["offset"] = offset
            shared.append((offset, array))
            end = offset + array.nbytes
        else:
            piped.append(array)
        described.append(entry)
    return Layout(described, piped, shared, end)


def room_for(sizes: Sequence[int]) -> int:
    """Shared bytes that `lay_out` takes at most for arrays of these sizes."""
    return sum(aligned(size) for size in sizes if size >= SHARED_FROM_BYTES)


def as_bytes(array: Array) -> memoryview:
    """The bytes of an array; a C-contiguous one is not copied."""
    return memoryview(np.ascontiguousarray(array).reshape(-1).view(np.uint8))


def rebuild(described: Sequence[Mapping[str, Any]], piped: Sequence[Bytes], shared: ReadShared) -> dict[str, Array]:
    """The arrays again, over the received bytes. Raises: ValueError for a description that does not fit them."""
    arrays: dict[str, Array] = {}
    arrived = iter(piped)
    for entry in described:
        if entry["dtype"] not in DTYPE_NAMES:
            raise ValueError(f"dtype {entry['dtype']!r}")
        shape = tuple(int(size) for size in entry["shape"])
        dtype = numpy_dtype(entry["dtype"])
        size = prod(shape) * dtype.itemsize
        data = shared(int(entry["offset"]), size) if "offset" in entry else next(arrived, b"")
        if min(shape, default=0) < 0 or len(data) != size:
            raise ValueError(f"{len(data)} bytes for shape {shape} of {dtype}")
        arrays[str(entry["name"])] = np.frombuffer(data, dtype).reshape(shape)
    return arrays


def nothing_shared(offset: int, size: int) -> Bytes:
    """Of a side without shared memory. Raises: ValueError."""
    raise ValueError(f"{size} bytes at {offset} of shared memory, of which there is none")
