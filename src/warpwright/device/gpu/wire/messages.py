"""A JSON line and its attachments, which follow it or lie in the exchange folder (`docs/harness.md`, *Messages*)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from warpwright.device.gpu.wire.attachments import Attachment, read_array
from warpwright.device.gpu.wire.exchange import Exchange
from warpwright.device.protocol import Array
from warpwright.isolation.framing import FramingError, Misfit

Json = Mapping[str, Any]

_MAX_LINE_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Message:
    """A request. fields: its JSON without what announces the attachments."""

    fields: Json
    attachments: Sequence[Attachment]

    @property
    def size_bytes(self) -> int:
        """Of all attachments."""
        return sum(each.size_bytes for each in self.attachments)

    def send(self, stream: IO[bytes], exchange: Exchange | None) -> None:
        """Write it; large attachments go into files if there is a folder for them. Raises: OSError."""
        files = [None if exchange is None else exchange.put(each) for each in self.attachments]
        announced: dict[str, Any] = {}
        if self.attachments:
            announced["npy_bytes"] = [each.size_bytes for each in self.attachments]
        if any(files):
            announced["npy_files"] = files
        stream.write(json.dumps({**self.fields, **announced}, allow_nan=False).encode() + b"\n")
        for name, attachment in zip(files, self.attachments, strict=True):
            if name is None:
                attachment.write(stream)


@dataclass(frozen=True, slots=True)
class Answer:
    """A result: its JSON and its arrays, which belong to the receiver."""

    body: Json
    arrays: tuple[Array, ...]


def receive(stream: IO[bytes], exchange: Exchange | None) -> Answer:
    """The next reply. Raises: FramingError if the stream ends; Misfit for what is no reply; OSError."""
    line = stream.readline(_MAX_LINE_BYTES)
    if not line.endswith(b"\n"):
        raise FramingError("the harness closed its output")
    try:
        body = json.loads(line)
    except ValueError as error:
        raise Misfit(f"no JSON: {line[:200]!r}") from error
    sizes = body.get("npy_bytes", []) if isinstance(body, dict) else None
    if not isinstance(sizes, list) or not all(isinstance(size, int) and size >= 0 for size in sizes):
        raise Misfit(f"{line[:200]!r}")
    files = body.get("npy_files") or [None] * len(sizes)
    if not isinstance(files, list) or len(files) != len(sizes):
        raise Misfit(f"npy_files is {files!r:.200}; allowed: a list as long as npy_bytes")
    return Answer(body, tuple(_array(stream, size, name, exchange) for size, name in zip(sizes, files, strict=True)))


def _array(stream: IO[bytes], size_bytes: int, name: object, exchange: Exchange | None) -> Array:
    if name is None:
        return read_array(stream, size_bytes)
    if exchange is None or not isinstance(name, str):
        raise Misfit(f"npy_files names {name!r}; allowed: files of the exchange folder, and null")
    return exchange.take(name, size_bytes)
