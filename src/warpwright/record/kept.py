"""What was learnt of a finished attempt: files written once, whole, and sealed with a digest of their content."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from warpwright.errors import RecordError
from warpwright.knowledge.field_guide.card import Guidance
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis
from warpwright.profiler.profile import CaseProfile
from warpwright.record.files import read_document, sync_directory, write_atomic

_DIGEST, _CONTENT = "sha256", "content"


@dataclass(frozen=True, slots=True)
class Kept[T]:
    """One kind of file: its name, and what it holds."""

    name: str
    adapter: TypeAdapter[T]


PROFILES: Kept[tuple[CaseProfile, ...]] = Kept("counters.json", TypeAdapter(tuple[CaseProfile, ...]))
DIAGNOSIS: Kept[AttemptDiagnosis] = Kept("diagnosis.json", TypeAdapter(AttemptDiagnosis))
GUIDANCE: Kept[Guidance] = Kept("guidance.json", TypeAdapter(Guidance))


def write_kept[T](directory: Path, kept: Kept[T], value: T) -> None:
    """Write a file of an attempt; the same content again changes nothing.

    Raises: RecordError for other content than is there; InfrastructureError when the disk refuses.
    """
    content = _plain(value)
    path = directory / kept.name
    if path.exists():
        if _content_of(path) != content:
            raise RecordError(f"{path}: already written with other content; what was learnt of an attempt is kept.")
        return
    document = {_DIGEST: _digest(content), _CONTENT: content}
    write_atomic(path, json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n")
    sync_directory(directory)


def read_kept[T](directory: Path, kept: Kept[T]) -> T | None:
    """What a file of an attempt holds; None if there is none. Raises: RecordError naming a damaged file."""
    path = directory / kept.name
    if not path.exists():
        return None
    content = _content_of(path)
    try:
        return kept.adapter.validate_json(json.dumps(content))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(str(part) for part in first["loc"])
        raise RecordError(f"{path}: damaged at {at}: {first['msg']}. Restore it from a copy.") from error


def _content_of(path: Path) -> Any:
    document = read_document(path)
    content = document.get(_CONTENT)
    if content is None or document.get(_DIGEST) != _digest(content):
        raise RecordError(f"{path}: damaged: its content is not what its digest says. Restore it from a copy.")
    return content


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Plain JSON values; numbers that JSON has no word for are spelled, and read back as what they were."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value
