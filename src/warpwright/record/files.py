"""Files of a record: whole or absent after a kill at any moment, and never read as something they are not."""

import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ValidationError

from warpwright.errors import InfrastructureError, RecordError

LOG = logging.getLogger(__name__)
_TEMPORARY = ".part"


def write_atomic(path: Path, content: bytes) -> None:
    """Write a file so that a kill leaves the old content or the new, never a part.

    Raises: InfrastructureError when the disk refuses.
    """
    partial = path.with_name(f".{path.name}{_TEMPORARY}")
    try:
        with partial.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path)
    except OSError as error:
        raise _write_failed(path, error) from error


def sync_directory(directory: Path) -> None:
    """Make renames inside a directory survive a power cut; Windows has no such call and needs none."""
    if os.name == "nt":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_partial(directory: Path) -> None:
    """Delete what a kill left of unfinished writes in one directory."""
    for partial in directory.glob(f".*{_TEMPORARY}"):
        partial.unlink(missing_ok=True)


def to_bytes(model: BaseModel) -> bytes:
    """A file's content: JSON, one value a line, non-finite numbers as null."""
    return model.model_dump_json(indent=1).encode() + b"\n"


def to_line(model: BaseModel) -> bytes:
    """One line of a `.jsonl` file."""
    return model.model_dump_json().encode() + b"\n"


def read_bytes(path: Path) -> bytes:
    """Content of a file. Raises: RecordError when it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror or error}). Restore it from a copy.") from error


def read_model[M: BaseModel](path: Path, model: type[M]) -> M:
    """A file as its schema. Raises: RecordError naming the file, the field and what was found."""
    return parse_model(read_bytes(path), model, str(path))


def parse_model[M: BaseModel](content: bytes, model: type[M], where: str) -> M:
    """Bytes as a schema; `where` opens the message of the RecordError."""
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        at = f" at {field}" if field else ""
        raise RecordError(f"{where}: damaged{at}: {first['msg']}. Restore it from a copy.") from error


def read_document(path: Path) -> dict[str, object]:
    """A JSON object without a schema of its own. Raises: RecordError."""
    try:
        document = json.loads(read_bytes(path))
    except ValueError as error:
        raise RecordError(f"{path}: damaged: {error}. Restore it from a copy.") from error
    if not isinstance(document, dict):
        raise RecordError(f"{path}: holds {type(document).__name__}, not an object. Restore it from a copy.")
    return document


def append_line(path: Path, line: bytes, *, durable: bool) -> None:
    """Add one line to a log. durable: on the disk before returning, so that even a power cut keeps it.

    Raises: InfrastructureError when the disk refuses.
    """
    try:
        with path.open("ab") as stream:
            stream.write(line)
            stream.flush()
            if durable:
                os.fsync(stream.fileno())
    except OSError as error:
        raise _write_failed(path, error) from error


def read_lines[M: BaseModel](path: Path, model: type[M]) -> Iterator[M]:
    """Every complete line of a log as its schema; a torn last line was never acknowledged and is left out.

    Raises: RecordError naming the damaged line.
    """
    if not path.exists():
        return
    lines = read_bytes(path).split(b"\n")
    if lines[-1]:
        LOG.warning("%s: the last line was torn by a kill and is left out", path)
    for number, line in enumerate(lines[:-1], start=1):
        yield parse_model(line, model, f"{path}:{number}")


def repair_tail(path: Path) -> None:
    """Cut a torn last line off, so that the next line does not grow onto it."""
    if not path.exists():
        return
    content = read_bytes(path)
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        LOG.warning("%s: dropped %d bytes of a line torn by a kill", path, len(content) - whole)
        with path.open("r+b") as stream:
            stream.truncate(whole)


def _write_failed(path: Path, error: OSError) -> InfrastructureError:
    reason = error.strerror or str(error)
    return InfrastructureError(
        f"{path}: cannot be written ({reason}). Make room or rights there, then resume the session."
    )
