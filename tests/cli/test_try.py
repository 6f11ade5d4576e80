"""`warpwright try`: candidates of a person enter stopped and ended sessions through the same gates."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from loop.row_sums import FAST, FAST_LAUNCH, KERNEL, write_fast, write_row_sums
from warpwright.candidate.directory import load_candidate
from warpwright.cli.main import run
from warpwright.loop import entering
from warpwright.loop.secret import attempt_secret, session_secret
from warpwright.loop.state import GRAPH_VERSION
from warpwright.record.history.store import History
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.record.session_file import SESSION
from warpwright.workload.loader import load_workload

OVERFIT = FAST.replace("float sum = 0.0f;", "float sum = cols == 1 || cols == 77 || cols == 256 ? 0.0f : 1.0f;", 1)
"""Right for the widths of the visible cases alone."""
SLOW = KERNEL.replace(
    "out[c] = in[c] + sum;", "{ float s = 0; for (int k = 0; k < cols; ++k) s += in[k]; out[c] = in[c] + s; }"
)
Try = Callable[..., tuple[int, dict[str, Any], str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Environment of all tests here; holds a session that ended with its initial kernel."""
    root = tmp_path_factory.mktemp("try")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARPWRIGHT_CACHE", str(root / "cache"))
        patch.setenv("XDG_STATE_HOME", str(root / "state"))
        write_row_sums(root / "workload")
        begin = ["--device", "emulator", "--iterations", "1", "--tuning-points", "0", "--quiet"]
        assert run(["optimize", str(root / "workload"), "--sessions", str(root / "ended"), *begin]) == 0
        yield root


@pytest.fixture
def ended(folder: Path, tmp_path: Path) -> Path:
    (original,) = (folder / "ended").iterdir()
    return Path(shutil.copytree(original, tmp_path / "session"))


@pytest.fixture
def stopped(folder: Path, tmp_path: Path) -> Path:
    """A session that was stopped before its first attempt."""
    options = SessionOptions(workload_path="workload", device="emulator:h200", iterations=3, tuning_budget=0)
    device = "PTX emulator (just-in-time compiled; latencies are estimates of an NVIDIA H200)"
    workload = load_workload(folder / "workload")
    with Session.create(tmp_path / "sessions", workload, options, {}, device, GRAPH_VERSION) as session:
        return session.directory


@pytest.fixture
def attempt(capsys: pytest.CaptureFixture[str]) -> Try:
    """Exit code, JSON document and messages of `warpwright try`."""

    def attempt(session: Path, kernel: Path, *more: str) -> tuple[int, dict[str, Any], str]:
        capsys.readouterr()
        code = run(["try", str(session), str(kernel), "--json", "--quiet", *more])
        told = capsys.readouterr()
        return code, json.loads(told.out or "{}"), told.err

    return attempt


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_faster_candidate_becomes_the_best_of_an_ended_session(
    ended: Path, tmp_path: Path, attempt: Try, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPWRIGHT_HISTORY", str(tmp_path / "history.sqlite"))
    kernel = write_fast(tmp_path / "fast")
    code, document, _ = attempt(ended, kernel, "--why", "one block a row", "--by", "Ada")
    assert code == 0
    assert (document["outcome"], document["attempt"], document["best"]) == ("improved", 2, 2)
    assert document["final_check"]["passed"]
    session = Session.open(ended, lock=False)
    entered = session.attempt(2)
    assert (entered.proposer, entered.parent) == ("person:Ada", 1)
    assert entered.hypothesis is not None
    assert entered.hypothesis.text == "one block a row"
    assert session.diagnosis(2) is not None
    assert session.best() == session.incumbent() == 2
    assert load_candidate(ended / "best") == load_candidate(kernel)
    assert "person:Ada" in (ended / "report.html").read_text(encoding="utf-8")
    (learnt,) = History(tmp_path / "history.sqlite").everything()
    assert [(t.technique, t.worked) for t in learnt.lesson.trials] == [("by hand", True)]


def test_an_ended_session_judges_by_a_secret_that_nobody_knew(ended: Path, tmp_path: Path, attempt: Try) -> None:
    before = session_secret(Session.open(ended, lock=False))
    attempt(ended, write_fast(tmp_path / "fast"))
    session = Session.open(ended, lock=False)
    assert session_secret(session) == before
    assert attempt_secret(session, 1) == before
    assert attempt_secret(session, 2) not in ("", before)
    attempt(ended, write(tmp_path / "slow.cu", SLOW))
    assert attempt_secret(session, 3) not in ("", before, attempt_secret(session, 2))


def test_what_fails_on_hidden_cases_is_refused_and_the_best_stays(ended: Path, tmp_path: Path, attempt: Try) -> None:
    code, document, _ = attempt(ended, write_fast(tmp_path / "overfit", OVERFIT))
    assert code == 3
    assert document["outcome"] == "improved"
    assert not document["passed"]
    assert "wrong_result" in document["final_check"]["message"]
    session = Session.open(ended)
    assert session.best() == session.incumbent() == 1
    session.close()
    assert load_candidate(ended / "best") == session.workload.initial

    code, document, _ = attempt(ended, write_fast(tmp_path / "fast"))  # held against what stands, not against what fell
    assert (code, document["outcome"], document["best"]) == (0, "improved", 3)


@pytest.mark.parametrize(
    ("source", "code", "outcome"),
    [
        (KERNEL.replace("in[c] + sum", "in[c] - sum"), 3, "wrong_result"),
        (KERNEL.replace("int row", "integer row"), 3, "compile_error"),
        (SLOW, 0, "slower"),
        (KERNEL + "// another comment\n", 0, "tie"),
    ],
    ids=["wrong", "no compile", "slower", "tie"],
)
def test_other_candidates_are_recorded_and_change_nothing(
    ended: Path, tmp_path: Path, attempt: Try, source: str, code: int, outcome: str
) -> None:
    found, document, _ = attempt(ended, write(tmp_path / "mine.cu", source))
    assert (found, document["outcome"]) == (code, outcome)
    assert document["final_check"] is None
    session = Session.open(ended, lock=False)
    assert session.attempt(2).evaluation.outcome.value == outcome
    assert session.attempt(2).proposer == "person"
    assert session.best() == 1
    assert load_candidate(ended / "best").source == KERNEL


def test_the_same_candidate_again_is_answered_from_the_record(ended: Path, tmp_path: Path, attempt: Try) -> None:
    code, document, _ = attempt(ended, write(tmp_path / "kernel.cu", KERNEL))
    assert (code, document["known"], document["attempt"]) == (0, True, 1)
    assert Session.open(ended, lock=False).attempt_count == 1


def test_a_lone_file_takes_the_launch_plan_that_is_named(ended: Path, tmp_path: Path, attempt: Try) -> None:
    kernel = write(tmp_path / "mine.cu", FAST)
    launch = write(tmp_path / "plan.toml", FAST_LAUNCH)
    assert attempt(ended, kernel)[1]["outcome"] == "wrong_result"  # the workload's plan has a thread a row
    assert attempt(ended, kernel, "--launch", str(launch))[1]["outcome"] == "improved"
    code, _, told = attempt(ended, write_fast(tmp_path / "fast"), "--launch", str(launch))
    assert code == 2
    assert "launch plan of its own" in told


def test_a_stopped_session_goes_on_from_what_was_tried(stopped: Path, tmp_path: Path, attempt: Try) -> None:
    code, document, _ = attempt(stopped, write_fast(tmp_path / "fast"))
    assert (code, document["attempt"], document["outcome"]) == (0, 2, "improved")  # the initial kernel came first
    assert document["final_check"] is None
    assert load_candidate(stopped / "best").source == FAST
    assert run(["resume", str(stopped), "--quiet"]) == 0
    session = Session.open(stopped, lock=False)
    assert session.ended
    assert session.best() >= 2
    assert session.attempt(3).parent == 2


def test_an_attempt_in_hand_is_finished_first(stopped: Path, tmp_path: Path, attempt: Try) -> None:
    with Session.open(stopped) as session:
        session.begin(session.workload.initial, None, "workload", 0)
    code, document, told = attempt(stopped, write_fast(tmp_path / "fast"))
    assert (code, document["attempt"]) == (0, 2)
    assert "attempt 1, begun before, is finished first" in told


def test_killed_before_its_last_checks_a_candidate_is_not_the_best_and_they_come_next_time(
    ended: Path, tmp_path: Path, attempt: Try, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(context: object, number: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(entering, "check_finally", killed)
        assert attempt(ended, write_fast(tmp_path / "fast"))[0] == 130
    assert load_candidate(ended / "best").source == KERNEL
    with Session.open(ended) as session:
        assert (session.best(), session.incumbent()) == (1, 2)
    code, document, _ = attempt(ended, write(tmp_path / "slow.cu", SLOW))
    assert (code, document["outcome"], document["attempt"], document["best"]) == (0, "slower", 3, 2)
    session = Session.open(ended, lock=False)
    assert load_candidate(ended / "best").source == FAST
    assert attempt_secret(session, 1) not in (attempt_secret(session, 2), attempt_secret(session, 3))


@pytest.mark.parametrize(
    ("content", "words"), [(None, "no such file"), (b"\xff\xfe", "is not UTF-8 text")], ids=["missing", "binary"]
)
def test_an_unreadable_file_begins_nothing(
    ended: Path, tmp_path: Path, attempt: Try, content: bytes | None, words: str
) -> None:
    path = tmp_path / "mine.cu"
    if content is not None:
        path.write_bytes(content)
    code, _, told = attempt(ended, path)
    assert code == 2
    assert words in told
    assert not (ended / "attempts" / "0002").exists()


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("README.md", "# About\n", "README.md: the name must end in .cu."),
        ("empty.cu", "\n \n", "empty.cu: the source is empty."),
    ],
    ids=["suffix", "empty"],
)
def test_what_can_be_no_kernel_begins_nothing(
    ended: Path, tmp_path: Path, attempt: Try, name: str, text: str, words: str
) -> None:
    code, _, told = attempt(ended, write(tmp_path / name, text))
    assert code == 2
    assert words in told
    assert not (ended / "attempts" / "0002").exists()


def test_a_session_in_use_is_left_alone(ended: Path, tmp_path: Path, attempt: Try) -> None:
    with Session.open(ended):
        code, _, told = attempt(ended, write_fast(tmp_path / "fast"))
    assert code == 2
    assert "in use by process" in told


def test_a_session_of_a_gpu_that_is_not_here(
    ended: Path, tmp_path: Path, attempt: Try, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPWRIGHT_DRIVER", str(tmp_path / "libcuda.so.1"))
    _pretend(ended, "gpu:0", "NVIDIA H200 (gpu:0, driver for CUDA 12.8, harness 1)")
    code, _, told = attempt(ended, write_fast(tmp_path / "fast"))
    assert code == 4
    assert "its times are of NVIDIA H200 (gpu:0" in told
    assert not (ended / "attempts" / "0002").exists()


def test_times_of_different_gpus_are_never_compared(ended: Path, tmp_path: Path, attempt: Try) -> None:
    _pretend(ended, "emulator:h200", "NVIDIA A100 (gpu:0, driver for CUDA 12.8, harness 1)")
    code, _, told = attempt(ended, write_fast(tmp_path / "fast"))
    assert code == 2
    assert "Times of different GPUs cannot be compared" in told


@pytest.mark.parametrize("name", ["", "two\nlines", "x" * 61])
def test_a_name_is_one_short_line(ended: Path, tmp_path: Path, attempt: Try, name: str) -> None:
    code, _, told = attempt(ended, write_fast(tmp_path / "fast"), "--by", name)
    assert code == 2
    assert "--by" in told


def _pretend(session: Path, device: str, description: str) -> None:
    document = json.loads((session / SESSION).read_text(encoding="utf-8"))
    document["device"] = description
    document["options"]["device"] = device
    write(session / SESSION, json.dumps(document))
