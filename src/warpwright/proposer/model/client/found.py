"""What was found out about a model's server before a session began: `model.json`, so that a resumed one says the same to it."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from warpwright.record.kept import Kept, read_kept, write_kept


@dataclass(frozen=True, slots=True)
class Found:
    """takes_tools: it may be offered look-ups. streams: it sends replies piece by piece."""

    takes_tools: bool
    streams: bool


FOUND: Kept[Found] = Kept("model.json", TypeAdapter(Found))


def write_found(session_directory: Path, found: Found) -> None:
    """Keep it, once."""
    write_kept(session_directory, FOUND, found)


def read_found(session_directory: Path) -> Found | None:
    """What was found out; None if no model was asked, or by a version that did not keep it. Raises: RecordError if damaged."""
    return read_kept(session_directory, FOUND)
