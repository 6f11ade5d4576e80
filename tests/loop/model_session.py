"""Sessions with a model that a real server on localhost plays: workloads cut to size, and the command run in this process."""

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from model_server.answer import Answer
from model_server.folder import read_folder
from model_server.server import ModelServer, Request
from warpwright.cli.main import run
from warpwright.proposer.conversation import Exchange
from warpwright.proposer.exchange_files import read_exchanges
from warpwright.record.session import Session

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
REPLIES = Path(__file__).parent / "model_replies"
PREFLIGHT = "Answer with the word ready."
_PERF = {
    "softmax": '[[cases]]\nname = "rows"\nkind = "perf"\ndims = { rows = 256, cols = 1024 }\n',
    "matmul": '[[cases]]\nname = "square"\nkind = "perf"\ndims = { m = 256, n = 256, k = 256 }\n',
}


def small_workload(directory: Path, name: str) -> Path:
    """An example with one small perf case; of matmul the initial launch is a bad one that nothing tunes."""
    shutil.copytree(EXAMPLES / name, directory)
    path = directory / "workload.toml"
    head, _, cases = path.read_text(encoding="utf-8").partition("[[cases]]")
    checks = [case for case in cases.split("[[cases]]") if '"check"' in case]
    head = head.replace("BLOCK_X = [16, 8, 32, 64]", "BLOCK_X = [4]").replace(
        "BLOCK_Y = [16, 4, 8, 32]", "BLOCK_Y = [32]"
    )
    path.write_text("[[cases]]".join([head, *checks]) + _PERF[name], encoding="utf-8")
    return directory


@dataclass
class Script:
    """Answers in order, the preflight aside; `asked` holds the requests that they answered."""

    answers: Sequence[Answer]
    asked: list[Request] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def __call__(self, request: Request) -> Answer:
        if PREFLIGHT in request.prompt:
            return Answer("ready")
        with self._lock:
            self.asked.append(request)
            return self.answers[min(len(self.asked), len(self.answers)) - 1]


def prepared(name: str) -> Script:
    """The replies of a folder."""
    return Script(read_folder(REPLIES / name))


def optimize(workload: Path, root: Path, script: Script, *options: str) -> int:
    """Exit code of `optimize` with a model behind an address."""
    with ModelServer(script) as server:
        model = ["--model", "openai:prepared", "--base-url", server.base_url]
        return command(workload, root, *model, *options)


def command(workload: Path, root: Path, *options: str) -> int:
    """Exit code of `optimize` on the emulator."""
    return run(["optimize", str(workload), "--device", "emulator", "--quiet", "--sessions", str(root), *options])


def only_session(root: Path) -> Session:
    """The one session below a directory."""
    (directory,) = [path for path in root.iterdir() if (path / "session.json").exists()]
    return Session.open(directory, lock=False)


def exchanges(session: Session) -> Iterator[Exchange]:
    """Every exchange of a session, in order."""
    for number in range(1, session.attempt_count + 2):
        yield from read_exchanges(session.attempt_directory(number))


def essence(session: Session) -> list[tuple[Any, ...]]:
    """What must not depend on where the replies came from: every attempt's candidate, idea, outcome, time."""
    return [
        (a.number, a.parent, a.candidate.identity, a.hypothesis, a.evaluation.label, a.evaluation.geomean_us)
        for a in session.attempts()
    ]


def outcomes(session: Session, model: str = "openai:prepared") -> list[tuple[str, str, str]]:
    """Proposer (`model` for the model), technique and outcome of every attempt."""
    return [
        (
            a.proposer.replace(model, "model"),
            "" if a.hypothesis is None else a.hypothesis.technique,
            a.evaluation.outcome.value,
        )
        for a in session.attempts()
    ]


def holds(directory: Path, secret: str) -> list[Path]:
    """Files below a directory that hold a secret."""
    return [path for path in directory.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


def events(session: Session, kind: str) -> list[str]:
    """Texts of the events of one kind."""
    return [event.text for event in session.events() if event.kind == kind]


def as_json(text: str) -> dict[str, Any]:
    """What a command printed under `--json`."""
    document: dict[str, Any] = json.loads(text)
    return document
