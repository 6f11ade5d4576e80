"""Arrays as messages: their description in the JSON body, their bytes beside it."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from warpwright.workload.dtypes import DTYPE_NAMES, numpy_dtype
from warpwright.workload.values import Array


def describe(arrays: Mapping[str, Array]) -> list[dict[str, Any]]:
    """Name, dtype and shape of each array, in order."""
    return [{"name": name, "dtype": array.dtype.name, "shape": list(array.shape)} for name, array in arrays.items()]


def as_buffers(arrays: Mapping[str, Array]) -> list[memoryview]:
    """The bytes of each array, in the order of `describe`; C-contiguous arrays are not copied."""
    return [memoryview(np.ascontiguousarray(array).reshape(-1).view(np.uint8)) for array in arrays.values()]


def rebuild(described: Sequence[Mapping[str, Any]], buffers: Sequence[bytes | bytearray]) -> dict[str, Array]:
    """The arrays again, over the received bytes. Raises: ValueError for a description that does not fit them."""
    arrays: dict[str, Array] = {}
    for entry, buffer in zip(described, buffers, strict=True):
        if entry["dtype"] not in DTYPE_NAMES:
            raise ValueError(f"dtype {entry['dtype']!r}")
        shape = tuple(int(size) for size in entry["shape"])
        dtype = numpy_dtype(entry["dtype"])
        if len(buffer) != prod(shape) * dtype.itemsize:
            raise ValueError(f"{len(buffer)} bytes for shape {shape} of {dtype}")
        arrays[str(entry["name"])] = np.frombuffer(buffer, dtype).reshape(shape)
    return arrays
