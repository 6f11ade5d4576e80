"""SIGKILL while a model is being asked: what it said before is not paid for again, and the session ends as if undisturbed."""

import json
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from loop.forked import Forked
from loop.model_session import PREFLIGHT, REPLIES, essence, only_session, optimize, prepared, small_workload
from model_server.answer import Answer
from model_server.folder import read_folder
from model_server.server import ModelServer, Request

KILLED_AT = (1, 2, 5)
"""Requests at whose arrival the process is killed: after a bad reply, before a re-ask; after two; in a later turn."""
COMMON = ("--tuning-points", "2", "--max-model-calls")


@dataclass
class Killer:
    """Gives prepared answers in order; at the first arrival of some requests it kills whoever asks."""

    answers: Sequence[Answer]
    processes: Queue[Forked] = field(default_factory=Queue)
    prompts: list[str] = field(default_factory=list)
    given: int = 0
    killed: set[int] = field(default_factory=set)

    def __call__(self, request: Request) -> Answer:
        if PREFLIGHT in request.prompt:
            return Answer("ready")
        self.prompts.append(request.prompt)
        if self.given in KILLED_AT and self.given not in self.killed:
            self.killed.add(self.given)
            self.processes.get(timeout=60.0).kill()
            return Answer(hang_up=True)
        self.given += 1
        return self.answers[self.given - 1]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("WARPWRIGHT_CACHE", str(cache))
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("strategy", ["linear", "beam"])
def test_replies_that_were_paid_for_are_used_after_a_kill(tmp_path: Path, strategy: str) -> None:
    workload = small_workload(tmp_path / "matmul", "matmul")
    common = ("--strategy", strategy, *COMMON)
    assert optimize(workload, tmp_path / "calm", prepared("matmul"), *common, "6") == 0
    killer = Killer(read_folder(REPLIES / "matmul"))
    root = str(tmp_path / "killed")
    with ModelServer(killer) as server:
        model = ("--model", "openai:prepared", "--base-url", server.base_url, "--device", "emulator")
        calls = str(6 + len(KILLED_AT))  # a request that was cut off counts: the server may have worked on it
        arguments: tuple[str, ...] = ("optimize", str(workload), "--sessions", root, *model, *common, calls)
        for _ in KILLED_AT:
            process = Forked((*arguments, "--quiet"), tmp_path)
            killer.processes.put(process)
            assert process.wait() == -signal.SIGKILL, process.err
            arguments = ("resume", "last", "--sessions", root)
        ended = Forked((*arguments, "--quiet", "--json"), tmp_path)
        assert ended.wait() == 0, ended.err
    calm, disturbed = only_session(tmp_path / "calm"), only_session(tmp_path / "killed")
    assert essence(disturbed) == essence(calm)
    assert killer.killed == set(KILLED_AT)
    assert len(killer.prompts) == 6 + len(KILLED_AT)
    again = [n for n, prompt in enumerate(killer.prompts[1:]) if prompt == killer.prompts[n]]
    assert len(again) == len(KILLED_AT)  # only the request that a kill cut off was sent twice, word for word
    document: dict[str, Any] = json.loads(ended.out)
    assert document["spending"]["model_calls"] == 6 + len(KILLED_AT)
    model_lines = [line.outcome for line in disturbed.ledger() if line.kind == "model"]
    assert model_lines.count("fault: cut off by a kill") == len(KILLED_AT)
    assert len(model_lines) == 6 + len(KILLED_AT)
