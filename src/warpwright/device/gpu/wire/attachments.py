"""`.npy` streams behind a line or in a file: written from and read into array memory, without a copy in between.

Source: `docs/harness.md`, *Messages*.
"""

import io
import mmap
from dataclasses import dataclass
from typing import IO, Any, Protocol

import numpy as np
from numpy.lib import format as npy

from warpwright.device.protocol import Array
from warpwright.isolation.framing import FramingError, Misfit, read_into

_CHUNK_BYTES = 1024 * 1024


class Attachment:
    """One array on its way out: header and payload."""

    def __init__(self, array: Array) -> None:
        """array: any; a non-contiguous one is copied."""
        contiguous = np.ascontiguousarray(array)
        header = io.BytesIO()
        fields = {"descr": contiguous.dtype.str, "fortran_order": False, "shape": array.shape}
        npy.write_array_header_1_0(header, fields)
        self._header = header.getvalue()
        self._payload = contiguous.reshape(-1).view(np.uint8)

    @property
    def size_bytes(self) -> int:
        """Of the whole stream."""
        return len(self._header) + self._payload.nbytes

    def write(self, stream: IO[bytes]) -> None:
        """Header, then payload in parts."""
        stream.write(self._header)
        view = memoryview(self._payload)
        for start in range(0, view.nbytes, _CHUNK_BYTES):
            stream.write(view[start : start + _CHUNK_BYTES])


class Readable(Protocol):
    """What a header can be read from."""

    def read(self, size: int = ..., /) -> bytes:
        """Up to that many bytes."""
        ...


def read_array(stream: IO[bytes], size_bytes: int) -> Array:
    """One attachment that follows its line. Raises: Misfit for anything but a plain C-ordered array of that size."""
    header = _read_header(stream, size_bytes)
    array: np.ndarray[Any, Any] = np.empty(header.count, header.dtype)
    if array.nbytes:
        read_into(stream, memoryview(array.view(np.uint8)))
    return array.reshape(header.shape)


def map_array(mapped: mmap.mmap) -> Array:
    """One attachment that lies in a mapped file; the array keeps the mapping. Raises: Misfit as above."""
    header = _read_header(mapped, len(mapped))
    return np.frombuffer(mapped, header.dtype, header.count, header.size_bytes).reshape(header.shape)


@dataclass(frozen=True, slots=True)
class _Header:
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    size_bytes: int

    @property
    def count(self) -> int:
        return int(np.prod(self.shape, dtype=object))


def _read_header(stream: Readable, size_bytes: int) -> _Header:
    counted = _Counted(stream)
    try:
        version = npy.read_magic(counted)
        if version not in ((1, 0), (2, 0)):
            raise Misfit(f"attachment in .npy format {version[0]}.{version[1]}; allowed: 1.0, 2.0")
        read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, fortran, dtype = read_header(counted)
    except ValueError as error:
        ended = str(error).startswith("EOF")
        raise (FramingError if ended else Misfit)(f"attachment is no .npy stream: {error}") from error
    header = _Header(shape, dtype, counted.count)
    if fortran or dtype.hasobject or header.size_bytes + header.count * dtype.itemsize != size_bytes:
        raise Misfit(f"attachment of {size_bytes} bytes holds {dtype} {shape}{' in Fortran order' if fortran else ''}")
    return header


class _Counted:
    """A stream that counts what is read from it."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.count += len(data)
        return data
