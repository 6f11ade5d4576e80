"""Replies with kernels of the wide workload, and ways to stop a session as a kill does."""

import gc
import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loop.beam.wide import kernel
from model_server.answer import Answer
from model_server.server import ModelServer, Script
from warpwright.cli.main import run
from warpwright.loop.notebook import SessionNotebook
from warpwright.proposer.conversation import Exchange
from warpwright.record.session import Session

QUIET = ("--tuning-points", "0", "--no-history", "--max-repairs", "0")


class Killed(BaseException):
    """Ends a session where nothing of it catches it: what was written is on disk, what was not is lost."""


def reply(rounds: int) -> Answer:
    """A kernel that is the faster the fewer rounds it goes."""
    header = {"technique": f"{rounds} rounds", "hypothesis": "Less is read.", "expects": {}, "kernel": {}}
    return Answer(f"```json\n{json.dumps(header)}\n```\n```cuda\n{kernel(rounds)}```\n")


@contextmanager
def killed_before_attempt(number: int) -> Iterator[None]:
    """The process ends when that attempt is to begin."""
    begin = Session.begin

    def dies(self: Session, *arguments: object, **named: object) -> int:
        if self.next_number == number:
            raise Killed
        return begin(self, *arguments, **named)  # type: ignore[arg-type]

    with killed_in("begin", dies):
        yield


@contextmanager
def killed_when_answered(request: int) -> Iterator[None]:
    """The process ends when the server has answered that request of the search, before the reply is kept."""
    keep, answered = SessionNotebook.keep, itertools.count(1)

    def dies(self: SessionNotebook, exchange: Exchange) -> None:
        if next(answered) == request:
            raise Killed
        keep(self, exchange)

    with killed_in("keep", dies, SessionNotebook):
        yield


@contextmanager
def killed_in(method: str, dies: Callable[..., object], owner: type = Session) -> Iterator[None]:
    """The process ends in that method (of the session), for which `dies` stands."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, method, dies)
        try:
            yield
        except Killed:
            gc.collect()  # the lock ends with its process
            return
    pytest.fail("nothing was killed")


def resume(root: Path, script: Script) -> int:
    """Exit code of `resume last`, with the model behind another address."""
    with ModelServer(script) as server:
        (path,) = root.glob("*/session.json")
        document = json.loads(path.read_text(encoding="utf-8"))
        document["options"]["base_url"] = server.base_url
        path.write_text(json.dumps(document), encoding="utf-8")
        return run(["resume", "last", "--sessions", str(root), "--quiet"])
