"""`.npy` streams behind a line: written from and read into array memory, without a copy in between (`docs/harness.md`)."""

import io
from collections.abc import Sequence
from typing import IO, Any

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


def read_arrays(stream: IO[bytes], sizes_bytes: Sequence[int]) -> tuple[Array, ...]:
    """The attachments of a reply. Raises: Misfit for anything but plain C-ordered arrays of those sizes."""
    return tuple(_read_array(stream, size) for size in sizes_bytes)


def _read_array(stream: IO[bytes], size_bytes: int) -> Array:
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
    count = int(np.prod(shape, dtype=object))
    if fortran or dtype.hasobject or counted.count + count * dtype.itemsize != size_bytes:
        raise Misfit(f"attachment of {size_bytes} bytes holds {dtype} {shape}{' in Fortran order' if fortran else ''}")
    array: np.ndarray[Any, Any] = np.empty(count, dtype)
    if array.nbytes:
        read_into(stream, memoryview(array.view(np.uint8)))
    return array.reshape(shape)


class _Counted:
    """A stream that counts what is read from it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.count += len(data)
        return data
