"""`history.json` of a session: what it was given of the history, so that a reader knows and a resumed session sees the same."""

from pathlib import Path

from pydantic import TypeAdapter

from warpwright.record.history.hints import Given
from warpwright.record.kept import Kept, read_kept, write_kept

GIVEN: Kept[Given] = Kept("history.json", TypeAdapter(Given))


def write_given(session_directory: Path, given: Given) -> None:
    """Keep it, once."""
    write_kept(session_directory, GIVEN, given)


def read_given(session_directory: Path) -> Given | None:
    """What a session was given; None if it asked for nothing (`--no-history`). Raises: RecordError if damaged."""
    return read_kept(session_directory, GIVEN)
