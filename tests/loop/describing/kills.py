"""A process that is killed at any one write, and goes on in another."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from loop.describing.writers import Attempt
from warpwright.loop.describing import draft as draft_module
from warpwright.loop.describing.draft import Draft
from warpwright.proposer import exchange_files
from warpwright.record import files


class Killed(BaseException):
    """Nothing is done any more, as after SIGKILL."""


class Reached(BaseException):
    """The step after those of the test begins."""


class Killer:
    """Counts the moments at which a file or a checkpoint is begun, half written or finished, and kills at one of them."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.moment = 0

    def __call__(self) -> None:
        self.moment += 1
        if self.moment >= self.at > 0:
            raise Killed

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any, **named: Any) -> Any:
            self()
            done = function(*arguments, **named)
            self()
            return done

        return watched

    def write_atomic(self, path: Path, content: bytes) -> None:
        self()
        partial = path.with_name(f".{path.name}.part")
        partial.write_bytes(content[: len(content) // 2])
        self()
        files.write_atomic(path, content)
        self()


def killed_at(at: int, act: Callable[[], object]) -> bool:
    """Do it in a process that is killed at one moment; True if it came to that."""
    killer = Killer(at)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(draft_module, "write_atomic", killer.write_atomic)
        patched.setattr(exchange_files, "write_atomic", killer.write_atomic)
        for name in ("put", "put_writes"):
            patched.setattr(SqliteSaver, name, killer.around(getattr(SqliteSaver, name)))
        try:
            act()
        except Killed:
            return True
        except Reached:
            return False
    return False


def goes_on(attempt: Attempt, until: str) -> None:
    """Run it up to the step that begins with those words."""

    def say(text: str) -> None:
        if text.startswith(until):
            raise Reached

    attempt.draft = Draft.open(attempt.draft.target)
    attempt.say = say
    attempt.run(answer=False)


def every_kill(
    start: Attempt, folder: Path, until: str, prepare: Callable[[Draft], object] = lambda _: None
) -> Iterator[Attempt]:
    """The draft of `start`, run up to a step in a process that is killed at one moment, then in another; for every moment.

    A reply that was on disk is not paid for again.
    """
    for at in range(1, 200):
        attempt = start.copied(folder / f"{at}" / "w")
        prepare(attempt.draft)
        came_to_it = killed_at(at, lambda a=attempt: goes_on(a, until))  # type: ignore[misc]
        if not came_to_it:
            assert at > 5
            return
        kept, asked = len(attempt.draft.exchanges()), len(attempt.author.asked) + len(attempt.second.asked)
        with pytest.raises(Reached):
            goes_on(attempt, until)
        again = len(attempt.author.asked) + len(attempt.second.asked) - asked
        assert again == len(attempt.draft.exchanges()) - kept  # what was on disk is not asked for again
        yield attempt
        shutil.rmtree(folder / f"{at}")
    raise AssertionError("it never ends")
