"""The message between a process and its worker: one JSON header, then raw buffers.

Layout: `WWF1`, header length (u32, little endian), header (UTF-8 JSON: body and buffer sizes), the buffers in order.
JSON and bytes only, never pickle: a worker runs code that nobody trusts, and its reply must not be able to run any here.
"""

import json
import struct
from collections.abc import Buffer, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

Json = Mapping[str, Any]

_MAGIC = b"WWF1"
_PREFIX = struct.Struct("<4sI")
_MAX_HEADER_BYTES = 64 * 1024 * 1024
_CHUNK_BYTES = 1024 * 1024


class FramingError(Exception):
    """The bytes are not a message: something else wrote to the pipe, or it ended within one."""


class Misfit(FramingError):
    """The bytes are all there and say something else than was agreed: a fault of whoever wrote them."""


@dataclass(frozen=True, slots=True)
class Header:
    """body: the message. sizes_bytes: of the buffers that follow it."""

    body: Json
    sizes_bytes: tuple[int, ...]


def write_message(stream: IO[bytes], body: Json, buffers: Sequence[Buffer] = ()) -> None:
    """Write one message and flush. Buffers must be contiguous; they are not copied."""
    views = [_as_bytes(buffer) for buffer in buffers]
    header = json.dumps({"body": body, "sizes": [view.nbytes for view in views]}).encode()
    stream.write(_PREFIX.pack(_MAGIC, len(header)) + header)
    for view in views:
        for start in range(0, view.nbytes, _CHUNK_BYTES):
            stream.write(view[start : start + _CHUNK_BYTES])
    stream.flush()


def _as_bytes(buffer: Buffer) -> memoryview:
    view = memoryview(buffer)
    return view.cast("B") if view.nbytes else memoryview(b"")


def read_header(stream: IO[bytes]) -> Header | None:
    """The next message without its buffers; None at the orderly end of the stream."""
    prefix = stream.read(_PREFIX.size)
    if not prefix:
        return None
    if len(prefix) < _PREFIX.size:
        raise FramingError("the stream ended within a message")
    magic, length = _PREFIX.unpack(prefix)
    if magic != _MAGIC or length > _MAX_HEADER_BYTES:
        raise FramingError(f"not a message: it begins with {prefix!r}")
    encoded = bytearray(length)
    read_into(stream, memoryview(encoded))
    try:
        header = json.loads(encoded)
        return Header(header["body"], tuple(int(size) for size in header["sizes"]))
    except (ValueError, KeyError, TypeError) as error:
        raise FramingError(f"not a message: {error}") from error


def read_into(stream: IO[bytes], view: memoryview) -> None:
    """Fill `view` (bytes) from the stream."""
    done = 0
    while done < view.nbytes:
        count = stream.readinto(view[done:])  # type: ignore[attr-defined]
        if not count:
            raise FramingError(f"the stream ended {view.nbytes - done} bytes early")
        done += count
