"""Whole commands on a real GPU, each in a process of its own: sessions that end, are killed and go on; `try`; a pipe."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from benchmarks.measurement.machine import harness_options
from benchmarks.measurement.processes import HARNESS, descendants

from loop.row_sums import FAST, write_fast, write_row_sums
from warpwright.candidate.directory import load_candidate
from warpwright.device.gpu.process.locate import find_harness
from warpwright.record.attempt import Attempt
from warpwright.record.session import Session

pytestmark = pytest.mark.gpu

LIMIT_S = 60.0
NO_TUNING = ("--tuning-points", "0")


@dataclass(frozen=True, slots=True)
class Told:
    """The JSON document and the messages of a command."""

    document: dict[str, Any]
    messages: str


@dataclass(frozen=True, slots=True)
class User:
    """Somebody with a workload and a home of their own. environment: without tools of NVIDIA, which take most of a session."""

    home: Path
    device: str
    environment: Mapping[str, str]

    @property
    def workload(self) -> str:
        """Sums of rows, one thread a row."""
        return str(self.home / "row_sums")

    def start(self, *arguments: str, environment: Mapping[str, str] | None = None) -> "subprocess.Popen[str]":
        """`warpwright`, with `--json`."""
        return subprocess.Popen(
            [sys.executable, "-m", "warpwright.cli.main", *arguments, "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=dict(environment or self.environment),
        )

    def does(self, *arguments: str, code: int = 0, environment: Mapping[str, str] | None = None) -> Told:
        """A command that must end in time, with that exit code."""
        with self.start(*arguments, environment=environment) as process:
            try:
                out, messages = process.communicate(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                pytest.fail(f"{arguments[0]}: not done in {LIMIT_S:g} s: {process.communicate()[1]}")
        assert process.returncode == code, messages
        return Told(json.loads(out), messages)

    def optimizes(self, sessions: Path, *options: str) -> Told:
        """A session in a folder of its own."""
        return self.does("optimize", *self.begun(sessions, *options))

    def begun(self, sessions: Path, *options: str) -> tuple[str, ...]:
        """What follows `optimize`."""
        return (self.workload, "--sessions", str(sessions), "--device", self.device, "--seed", "7", "--quiet", *options)


@pytest.fixture(scope="module")
def user(device: str, tmp_path_factory: pytest.TempPathFactory) -> User:
    home = tmp_path_factory.mktemp("user")
    write_row_sums(home / "row_sums")
    own = {
        "XDG_STATE_HOME": str(home / "state"),
        "WARPWRIGHT_CACHE": str(home / "cache"),
        "WARPWRIGHT_DOCS": str(home / "documents"),
        "WARPWRIGHT_HISTORY": "off",
        "WARPWRIGHT_NCU": str(home / "none"),
        "WARPWRIGHT_COMPUTE_SANITIZER": str(home / "none"),
    }
    return User(home, device, {**os.environ, **own})


@pytest.fixture(scope="module")
def ended(user: User, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A session that tried the initial kernel alone."""
    return user.optimizes(tmp_path_factory.mktemp("ended"), "--iterations", "1", *NO_TUNING).document


def recorded(directory: str | Path) -> Session:
    return Session.open(Path(directory), lock=False)


def times_of(attempt: Attempt) -> list[tuple[float, ...]]:
    return [case.timing.samples_us for case in attempt.evaluation.cases if case.timing is not None]


def identity_of(document: Mapping[str, Any]) -> Mapping[str, str]:
    """Of the GPU and the harness that took the first time."""
    found = next(case["measured"]["identity"] for case in document["cases"] if case["measured"] is not None)
    assert isinstance(found, dict)
    return found


def test_a_session_ends_when_its_time_is_up_and_resume_adds_nothing(user: User, tmp_path: Path) -> None:
    first = user.optimizes(tmp_path, "--time-limit", "5s").document
    assert first["stopped"].startswith("budget: time limit of 5.00 s reached"), first["stopped"]
    assert (first["ended"], first["source"]) == (True, "measured")
    assert len(first["attempts"]) > 1
    assert (first["final_checks"][-1]["attempt"], first["final_checks"][-1]["passed"]) == (
        first["best"]["attempt"],
        True,
    )
    assert first["best"]["attempt"] > 1, "a kernel that leaves all SMs but one idle was not beaten"
    assert first["published"]["low"] > 1
    assert first["speedup"] == first["published"]["speedup"]
    for attempt in recorded(first["directory"]).attempts():
        if attempt.evaluation.outcome.correct and attempt.evaluation.reason is None:
            assert [len(samples) for samples in times_of(attempt)] == [100]

    again = user.does("resume", "last", "--sessions", str(tmp_path))
    assert "this session has ended; nothing is left to do" in again.messages
    assert again.document == first


def test_a_kernel_of_ones_own_enters_a_session_that_has_ended(
    user: User, ended: dict[str, Any], tmp_path: Path
) -> None:
    fast = write_fast(tmp_path / "fast")
    found = user.does("try", ended["directory"], str(fast), "--by", "Ada", "--quiet").document
    assert (found["attempt"], found["outcome"], found["best"]) == (2, "improved", 2), found["message"]
    assert found["paired"]["low"] > 1.5
    assert found["final_check"]["passed"], found["final_check"]["message"]
    session = recorded(ended["directory"])
    assert session.attempt(2).proposer == "person:Ada"
    summary = session.summary()
    assert summary is not None
    assert summary.published is not None
    assert summary.published.low > 1.5
    assert summary.published != session.attempt(2).evaluation.paired, "the figure of the search is not published"
    assert load_candidate(session.directory / "best").source == FAST

    wrong = write_fast(tmp_path / "wrong", FAST.replace("in[c] + sum", "in[c] - sum"))
    found = user.does("try", ended["directory"], str(wrong), "--quiet", code=3).document
    assert (found["attempt"], found["outcome"], found["best"]) == (3, "wrong_result", 2)
    assert load_candidate(session.directory / "best").source == FAST


def test_a_beam_has_several_in_hand_and_judges_each_on_the_gpu(user: User, tmp_path: Path) -> None:
    beam = ("--strategy", "beam", "--beam", "2", "--bottlenecks", "2")
    found = user.optimizes(tmp_path, *beam, "--iterations", "5", *NO_TUNING).document
    assert found["stopped"] == "budget: 5 of 5 attempts used"
    session = recorded(found["directory"])
    assert (session.options.strategy, session.pending()) == ("beam", ())
    assert [attempt.number for attempt in session.attempts()] == [1, 2, 3, 4, 5]
    assert most_in_hand(session) > 1
    for attempt in session.attempts():
        assert times_of(attempt) or not attempt.evaluation.outcome.correct, attempt.evaluation.message
    assert session.best() > 1
    assert found["final_checks"][-1]["passed"]


def most_in_hand(session: Session) -> int:
    """How many attempts had begun and were not judged, at most."""
    most, now = 0, 0
    for event in session.events():
        now += {"proposed": 1, "finished": -1}.get(event.kind, 0) if event.attempt != 1 else 0
        most = max(most, now)
    return most


@pytest.fixture
def killed(user: User, tmp_path: Path) -> tuple[Path, frozenset[int]]:
    """A session whose process was killed while its second attempt was on the GPU, and the harnesses that it had then."""
    until = time.monotonic() + LIMIT_S
    with user.start("optimize", *user.begun(tmp_path, "--iterations", "3", *NO_TUNING)) as process:
        try:
            while (directory := on_the_gpu(tmp_path, attempt=2)) is None and process.poll() is None:
                assert time.monotonic() < until, "no second attempt in time"
                time.sleep(0.005)
            harnesses = frozenset(pid for pid, name in descendants(process.pid).items() if name == HARNESS)
        finally:
            process.send_signal(signal.SIGKILL)
            _, messages = process.communicate()
    assert directory is not None, messages
    return directory, harnesses


def on_the_gpu(sessions: Path, attempt: int) -> Path | None:
    """The session's directory once an attempt is being verified."""
    for log in sessions.glob("*/events.jsonl"):
        whole = [line for line in log.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")]
        for event in map(json.loads, whole):
            if (event["kind"], event["attempt"]) == ("stage", attempt) and event["text"].startswith("verify"):
                return log.parent
    return None


def alive(pid: int) -> bool:
    """False for a process that has ended, whoever has yet to hear of it."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return text.rpartition(")")[2].split()[0] != "Z"


def still_alive(pids: frozenset[int], within_s: float) -> set[int]:
    """Those that have not ended by then."""
    until = time.monotonic() + within_s
    while (left := set(filter(alive, pids))) and time.monotonic() < until:
        time.sleep(0.05)
    return left


def test_a_killed_session_loses_nothing_and_leaves_nothing_on_the_gpu(
    user: User, killed: tuple[Path, frozenset[int]]
) -> None:
    directory, harnesses = killed
    assert harnesses, "nothing was on the GPU"
    assert still_alive(harnesses, within_s=15) == set(), "harnesses outlive the session that was killed"
    before = recorded(directory)
    assert not before.ended
    done = {attempt.number: (attempt.evaluation, attempt.candidate.identity) for attempt in before.attempts()}
    begun = {number: identity for number, (_, identity) in done.items()}
    begun |= {attempt.number: attempt.candidate.identity for attempt in before.pending()}
    assert {1, 2} <= set(begun)

    found = user.does("resume", str(directory), "--quiet").document
    assert found["ended"]
    after = recorded(directory)
    assert [attempt.number for attempt in after.attempts()] == [1, 2, 3]
    assert {n: after.attempt(n).candidate.identity for n in begun} == begun
    assert {n: after.attempt(n).evaluation for n in done} == {n: evaluation for n, (evaluation, _) in done.items()}
    finished = [event.attempt for event in after.events() if event.kind == "finished"]
    assert finished == [1, 2, 3]
    assert found["final_checks"][-1]["passed"]


def test_a_harness_behind_a_command_measures_what_one_beside_us_does(user: User, ended: dict[str, Any]) -> None:
    options = harness_options()
    driver = ("--driver", str(options.driver)) if options.driver is not None else ()
    command = shlex.join((str(find_harness(options.harness)), *driver))
    found = user.does("evaluate", user.workload, "--device", f"command:{command}").document
    assert (found["outcome"], found["source"]) == ("passed", "measured"), found["message"]
    there, here = identity_of(found), identity_of(ended["initial"])
    assert there["sandbox"] == "none: the command decides"
    same = ("gpu", "uuid", "driver", "harness_build")
    assert {name: there[name] for name in same} == {name: here[name] for name in same}
    assert 0.67 < found["geomean_us"] / ended["initial"]["geomean_us"] < 1.5


def test_profile_says_what_limits_the_kernel(user: User) -> None:
    tools = {**user.environment, "WARPWRIGHT_NCU": os.environ.get("WARPWRIGHT_NCU", "")}
    arguments = ("profile", user.workload, "--device", user.device)
    document = user.does(*arguments, environment=tools).document
    assert document["outcome"] == "passed"
    (case,) = document["cases"]
    assert (case["name"], case["time_estimated"]) == ("rows64", False)
    assert case["time_us"] > case["floor_us"]
    counters = case["launches"][0]["counters"]
    assert (counters["grid_blocks"]["value"], counters["block_threads"]["value"]) == (1, 64)
    found = {finding["bottleneck"]: finding for finding in case["diagnosis"]["findings"]}
    assert found["grid_too_small"]["evidence"]
    assert case["advice"][0]["citations"]
    if case["no_counters_because"] is not None:
        assert case["counters_estimated"]
        pytest.skip(case["no_counters_because"])
    assert not case["counters_estimated"]
    assert counters["grid_blocks"]["source"] == "ncu"
    assert counters["global_load_sectors"]["value"] > 0
