"""The beam on two examples with the built-in strategist: at least what linear search finds, the same for the same seed."""

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loop.model_session import command, essence, only_session, small_workload
from warpwright.record.session import Session

UNCERTAINTY = 1.15
"""Of estimates."""
OPTIONS = ("--tuning-points", "0", "--no-history", "--iterations", "6")


Searched = Callable[[str, str], Session]


@pytest.fixture(autouse=True)
def _own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, on_shared: None) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Searched:
    """Runs a session of an example by a strategy."""

    def search(name: str, strategy: str) -> Session:
        root = tmp_path_factory.mktemp(name)
        workload = small_workload(root / name, name)
        assert command(workload, root / "s", *OPTIONS, "--strategy", strategy) == 0
        return only_session(root / "s")

    return search


@pytest.fixture(scope="module")
def searched(search: Searched) -> Searched:
    """The same session for whoever asks."""
    return functools.cache(search)


def best_us(session: Session) -> float:
    time_us = session.attempt(session.best()).evaluation.geomean_us
    assert time_us is not None
    return time_us


@pytest.mark.parametrize("name", ["softmax", "matmul"])
def test_the_beam_finds_what_linear_search_finds(name: str, searched: Searched) -> None:
    assert best_us(searched(name, "beam")) <= best_us(searched(name, "linear")) * UNCERTAINTY


def test_the_same_seed_gives_the_same_beam(search: Searched, searched: Searched) -> None:
    assert essence(search("matmul", "beam")) == essence(searched("matmul", "beam"))


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
