"""Before a session with a model begins: what is refused at once, and the request that asks whether the model answers."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loop.model.replies import QUIET, reply
from loop.model_session import PREFLIGHT, Script, command, events, only_session, optimize
from loop.tiny import write_tiny
from model_server.answer import Answer
from model_server.server import ModelServer, Request
from warpwright.loop.model.access import ANSWER_WITHIN_S, model_settings
from warpwright.proposer.model.costs import EXPECTED_REPLY_TOKENS
from warpwright.proposer.registry import ModelSettings
from warpwright.record.options import SessionOptions


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("address", ["localhost:8111", "", "ftp://x/v1", "http://"])
@pytest.mark.parametrize("more", [(), ("--dry-run",)], ids=["session", "dry run"])
def test_what_is_no_address_is_refused_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], address: str, more: tuple[str, ...]
) -> None:
    model = ("--model", "openai:x", "--base-url", address, *more)
    assert command(write_tiny(tmp_path / "tiny"), tmp_path / "s", *model) == 2
    assert f"--base-url {address!r} is no address of a server: write http://HOST:PORT/v1" in said(capsys)
    assert not (tmp_path / "s").exists()


def test_who_is_asked_and_what_went_wrong_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    silent = [Answer("late", delay_s=5)]
    with ModelServer(silent) as server:
        model = ("--model", "openai:x", "--base-url", server.base_url, "--model-timeout", "1s")
        assert command(write_tiny(tmp_path / "tiny"), tmp_path / "s", *model) == 4
    text = said(capsys)
    assert f"asking openai:x at {server.base_url} whether it answers (2 times, 1 s at most)" in text
    assert "; trying again in 1 s" in text
    assert "or use a faster model (timeout). Nothing was begun; --model builtin needs no model." in text
    assert len(server.requests) == 2


def test_the_limit_is_short_unless_another_is_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workload = write_tiny(tmp_path / "tiny")
    for limit, options in (
        (f"{ANSWER_WITHIN_S:g}", ()),
        ("20", ("--time-limit", "20s")),
        ("600", ("--model-timeout", "10m")),
    ):
        with ModelServer(lambda request: Answer(status=401)) as server:
            model = ("--model", "openai:x", "--base-url", server.base_url, *options)
            assert command(workload, tmp_path / "s", *model) == 4
        assert f"(2 times, {limit} s at most)" in said(capsys)


def test_ctrl_c_while_a_model_is_silent_says_that_nothing_was_begun(tmp_path: Path) -> None:
    workload = write_tiny(tmp_path / "tiny")
    with ModelServer([Answer("late", delay_s=60)]) as server:
        options = ["--model", "openai:x", "--base-url", server.base_url, "--sessions", str(tmp_path / "s")]
        process = subprocess.Popen(
            [sys.executable, "-m", "warpwright.cli.main", "optimize", str(workload), "--device", "emulator", *options],
            stderr=subprocess.PIPE,
            text=True,
            env=dict(os.environ),
        )
        end = time.monotonic() + 60
        while not server.requests and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "interrupted: nothing was begun"
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        (SessionOptions("w", "openai:x"), None),
        (SessionOptions("w", "openai:x", max_tokens=10**6), EXPECTED_REPLY_TOKENS),
        (SessionOptions("w", "openai:x", budget_usd=1.0), EXPECTED_REPLY_TOKENS),
        (SessionOptions("w", "openai:x", budget_usd=1.0, max_output_tokens=300), 300),
    ],
    ids=["no cap", "tokens", "money", "own limit"],
)
def test_under_a_cap_a_reply_is_no_longer_than_it_is_reckoned_at(options: SessionOptions, limit: int | None) -> None:
    settings = model_settings(options, ModelSettings())
    assert settings.options.max_output_tokens == limit
    assert settings.costs.next_request("openai:x", 0).tokens == (limit or EXPECTED_REPLY_TOKENS)


def test_the_server_is_told_that_limit(tmp_path: Path) -> None:
    seen: list[Request] = []

    def answer(request: Request) -> Answer:
        seen.append(request)
        return Answer("ready") if PREFLIGHT in request.prompt else reply(64)

    options = ("--max-tokens", "100000", "--iterations", "2", *QUIET)
    assert optimize(write_tiny(tmp_path / "tiny"), tmp_path / "s", answer, *options) == 0  # type: ignore[arg-type]
    assert len(seen) >= 2
    assert {request.body["max_completion_tokens"] for request in seen} == {EXPECTED_REPLY_TOKENS}


def test_requests_on_the_way_to_a_reply_count_against_the_cap(tmp_path: Path) -> None:
    script = Script([Answer(status=500), Answer(status=429), reply(64)])
    options = ("--max-model-calls", "3", *QUIET)
    assert optimize(write_tiny(tmp_path / "tiny"), tmp_path / "s", script, *options) == 0
    session = only_session(tmp_path / "s")
    spent = session.spending()
    assert (spent.calls, spent.faults, spent.without_tokens) == (3, 2, 1)
    summary = session.summary()
    assert summary is not None
    assert summary.stop == "budget: model calls: 3 of 3 used"
    assert len(script.asked) == 3


def test_a_turn_that_another_takes_is_told_in_whole_sentences(tmp_path: Path) -> None:
    script = Script([Answer(status=401, error="no such key.")])
    workload = write_tiny(tmp_path / "tiny")
    assert optimize(workload, tmp_path / "s", script, "--iterations", "2", *QUIET) == 0
    session = only_session(tmp_path / "s")
    (told,) = [text for text in events(session, "note") if "takes this turn" in text]
    assert told == (
        "openai:prepared: HTTP 401: no such key. Check the key and what it may be used for (authentication); "
        "builtin takes this turn"
    )
    spent = session.spending()
    assert (spent.calls, spent.tokens, spent.without_tokens, spent.money_usd, spent.without_price) == (1, 0, 0, 0.0, 0)
