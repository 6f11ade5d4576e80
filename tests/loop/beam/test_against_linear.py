"""The beam on two examples with the built-in strategist: at least what linear search finds, the same for the same seed."""

import json
from pathlib import Path
from typing import Any

import pytest

from loop.model_session import command, essence, only_session, small_workload

UNCERTAINTY = 1.15
"""Of estimates."""
OPTIONS = ("--tuning-points", "0", "--no-history", "--iterations", "6")


@pytest.fixture(autouse=True)
def _own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("WARPWRIGHT_CACHE", str(tmp_path / "cache"))


def best_us(root: Path) -> float:
    session = only_session(root)
    time_us = session.attempt(session.best()).evaluation.geomean_us
    assert time_us is not None
    return time_us


@pytest.mark.parametrize("name", ["softmax", "matmul"])
def test_the_beam_finds_what_linear_search_finds(name: str, tmp_path: Path) -> None:
    workload = small_workload(tmp_path / name, name)
    assert command(workload, tmp_path / "linear", *OPTIONS) == 0
    assert command(workload, tmp_path / "beam", *OPTIONS, "--strategy", "beam") == 0
    assert best_us(tmp_path / "beam") <= best_us(tmp_path / "linear") * UNCERTAINTY


def test_the_same_seed_gives_the_same_beam(tmp_path: Path) -> None:
    workload = small_workload(tmp_path / "matmul", "matmul")
    for run in ("first", "second"):
        assert command(workload, tmp_path / run, *OPTIONS, "--strategy", "beam") == 0
    assert essence(only_session(tmp_path / "first")) == essence(only_session(tmp_path / "second"))


def test_the_beam_is_an_option_of_the_command_and_kept_in_the_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workload = small_workload(tmp_path / "softmax", "softmax")
    options = ("--tuning-points", "0", "--no-history", "--strategy", "beam", "--beam", "3", "--bottlenecks", "1")
    assert command(workload, tmp_path / "s", *options, "--iterations", "3", "--json") == 0
    assert json.loads(capsys.readouterr().out)["best"]["attempt"] > 1
    chosen: dict[str, Any] = json.loads((only_session(tmp_path / "s").directory / "session.json").read_text())[
        "options"
    ]
    assert (chosen["strategy"], chosen["beam"], chosen["bottlenecks"]) == ("beam", 3, 1)
