"""`DIR.draft`: everything of a workload that nobody has approved yet; no command takes it for a workload by accident."""

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, Self

from warpwright.candidate.validation import read_text
from warpwright.errors import RecordError, WorkloadError
from warpwright.loop.describing.state import DESCRIBE_GRAPH_VERSION
from warpwright.proposer.conversation import Exchange
from warpwright.proposer.exchange_files import read_exchanges, write_exchange
from warpwright.record.files import write_atomic

WORKLOAD_TOML, ORACLE, KERNEL, SECOND = "workload.toml", "reference.py", "kernel.cu", "reference.cu"
AUTHOR_FILES = (WORKLOAD_TOML, ORACLE, KERNEL)
_HEAD = "draft.json"


@dataclass(frozen=True, slots=True)
class Assignment:
    """What was asked for. model: writes; reviewer: writes the second implementation; empty = no model is needed.

    supplied: files of the person's own, which no model changes. base_url, device: as given.
    """

    description: str
    model: str
    reviewer: str
    device: str
    base_url: str | None = None
    supplied: tuple[str, ...] = ()


class Draft:
    """One draft directory. Every write is whole or absent after a kill."""

    def __init__(self, target: Path, assignment: Assignment, thread: int) -> None:
        self.target = target
        self._move(draft_directory(target))
        self.assignment = assignment
        self.thread = thread

    def _move(self, directory: Path) -> None:
        self.directory = directory
        self.files = directory / "workload"

    @classmethod
    def create(cls, target: Path, assignment: Assignment, supplied: Mapping[str, str]) -> Self:
        """A new draft with the person's own files in it, whole or not at all.

        Raises: RecordError if something else lies in its place.
        """
        draft = cls(target, replace(assignment, supplied=tuple(sorted(supplied))), 1)
        directory = draft.directory
        if directory.exists() and any(directory.iterdir()):
            raise RecordError(f"{directory}: is not empty; move it away, or delete it")
        draft._move(directory.with_name(f".{directory.name}.part"))
        shutil.rmtree(draft.directory, ignore_errors=True)
        draft.files.mkdir(parents=True)
        for name, text in supplied.items():
            draft.write(name, text)
        draft._write_head()
        if directory.exists():
            directory.rmdir()
        draft.directory.rename(directory)
        draft._move(directory)
        return draft

    @classmethod
    def open(cls, target: Path) -> Self:
        """The draft of a target directory. Raises: RecordError if there is none, or of another version."""
        path = draft_directory(target) / _HEAD
        try:
            head = json.loads(path.read_text(encoding="utf-8"))
            version, thread = head.pop("version"), head.pop("thread")
            assignment = Assignment(**{**head, "supplied": tuple(head["supplied"])})
        except FileNotFoundError:
            other = " (something else is; move it away)" if path.parent.exists() else ""
            raise RecordError(
                f"{path.parent}: no draft there{other}; begin with: warpwright new {target} --describe ..."
            ) from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RecordError(f"{path}: cannot be read: {error}") from error
        if version != DESCRIBE_GRAPH_VERSION:
            raise RecordError(
                f"{path.parent}: made by version {version} of describing; this Warpwright has version "
                f"{DESCRIBE_GRAPH_VERSION}. Begin anew, with --workload-toml and the other files of the draft."
            )
        return cls(target, assignment, thread)

    @property
    def begins_with(self) -> Literal["specify", "inspect"]:
        """The first step of this thread: a thread after the first examines the draft as it is."""
        return "specify" if self.thread == 1 else "inspect"

    def begin_again(self, edited: Sequence[str]) -> None:
        """The next run examines the draft as it is, in a thread of its own. edited: the person's own from now on."""
        self.thread += 1
        self.take_over(edited)

    def take_over(self, edited: Sequence[str]) -> None:
        """Files are the person's own from now on, as they are: no model changes them."""
        own = tuple(sorted({*self.assignment.supplied, *edited}))
        self.assignment = replace(self.assignment, supplied=own)
        self._write_head()
        self.keep("written", self.digests())

    def write(self, name: str, text: str) -> None:
        """One file of the workload. What it will be is on disk first, so that a kill never makes it look like an edit."""
        content = text.encode("utf-8", "replace")
        self.keep("writing", {name: _digest(content)})
        write_atomic(self.files / name, content)
        self.keep("written", {**(self.kept("written") or {}), name: _digest(content)})

    def text(self, name: str) -> str | None:
        """One file of the workload as it is now; None if it is not there. Raises: WorkloadError if it is no text."""
        path = self.files / name
        return read_text(path, WorkloadError) if path.exists() else None

    def edited(self) -> list[str]:
        """Files that somebody changed, added or took away since they were written here."""
        written, writing, now = self.kept("written") or {}, self.kept("writing") or {}, self.digests()
        same = {name for name, digest in writing.items() if now.get(name) == digest}
        return sorted(name for name in {*written, *now} - same if written.get(name) != now.get(name))

    def digests(self) -> dict[str, str]:
        """SHA-256 of every file of the workload as it is now, by its name; hidden files are no part of it."""
        paths = {path.relative_to(self.files): path for path in sorted(self.files.rglob("*")) if path.is_file()}
        seen = {name: path for name, path in paths.items() if not any(part.startswith(".") for part in name.parts)}
        return {name.as_posix(): _digest(path.read_bytes()) for name, path in seen.items()}

    def open_files(self, names: Sequence[str]) -> list[str]:
        """Those of the names that a model may write."""
        return [name for name in names if name not in self.assignment.supplied]

    def exchanges(self) -> tuple[Exchange, ...]:
        """Everything said, in order."""
        return read_exchanges(self.directory)

    def keep_exchange(self, exchange: Exchange) -> None:
        """On disk when this returns."""
        write_exchange(self.directory, len(self.exchanges()) + 1, exchange)

    def judge(self, verdict: str) -> None:
        """What was wrong with the reply kept last."""
        said = self.exchanges()
        write_exchange(self.directory, len(said), replace(said[-1], verdict=verdict))

    def keep(self, name: str, content: dict[str, Any]) -> None:
        """A result as `NAME.json`."""
        write_atomic(self.directory / f"{name}.json", json.dumps(content, indent=1, allow_nan=False).encode())

    def kept(self, name: str) -> dict[str, Any] | None:
        """A result kept before. Raises: RecordError if it is not readable."""
        path = self.directory / f"{name}.json"
        try:
            content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise RecordError(f"{path}: cannot be read: {error}") from error
        return content

    def _write_head(self) -> None:
        head = {"version": DESCRIBE_GRAPH_VERSION, "thread": self.thread, **asdict(self.assignment)}
        self.keep(_HEAD.removesuffix(".json"), head)


def draft_directory(target: Path) -> Path:
    """`DIR.draft` beside `DIR`."""
    return target.with_name(f"{target.name}.draft")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
