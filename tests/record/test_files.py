"""Damage, other versions, strangers: what a record refuses, and in which words."""

import json
import logging
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpwright.candidate.candidate import Candidate
from warpwright.compiler.result import Compiled, CompileFailed
from warpwright.device.protocol import Timing
from warpwright.errors import RecordError
from warpwright.evaluation.outcome import CaseEvaluation, Evaluation
from warpwright.record.attempt import TuningPoint
from warpwright.record.attempt_files.evaluation_files import decode_evaluation, encode_evaluation
from warpwright.record.event import Event
from warpwright.record.session import Session
from warpwright.workload.values import Comparison, Mismatch

Script = list[tuple[Candidate, Evaluation]]


@pytest.fixture
def recorded(session: Session, script: Script) -> Path:
    """A closed session with seven attempts, one tuning point and one event."""
    for number, (candidate, evaluation) in enumerate(script, start=1):
        session.begin(candidate, None, "builtin", 0)
        session.finish(number, evaluation)
    session.add_tuning_point(1, TuningPoint({"BLOCK": 128}, {}, "passed", 12.5))
    session.emit(Event("note", text="here"))
    session.charge("tune", 1, 1.0)
    session.close()
    return session.directory


def refusal(directory: Path) -> str:
    with pytest.raises(RecordError) as caught:
        Session.open(directory)
    return str(caught.value)


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    missing = tmp_path / "nothing"
    assert refusal(missing) == f"{missing}: no such session directory. `warpwright sessions` lists those there are."


def test_a_directory_that_is_no_session(tmp_path: Path) -> None:
    assert refusal(tmp_path) == f"{tmp_path}: not a session: session.json is missing (or its creation was interrupted)."


def test_another_schema_version(recorded: Path) -> None:
    path = recorded / "session.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"schema_version": 1}))
    assert refusal(recorded) == f"{path}: schema 1; this Warpwright reads 2. Use the version that wrote it."


CONTENT = ("session.json", "attempts/0003/outcome.json", "attempts/0003/kernel.ptx", "attempts/0003/kernel.cubin")
MORE = (
    "compile.json",
    "verify.json",
    "timing.json",
    "candidate.toml",
    "kernel.cu",
    "proposal/proposal.json",
)


@pytest.mark.parametrize("name", [*CONTENT, *(f"attempts/0003/{name}" for name in MORE), "workload/kernel.cu"])
def test_a_truncated_file_is_named(recorded: Path, name: str) -> None:
    path = recorded / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    message = refusal(recorded)
    assert str(path.parent) in message
    assert message.endswith("Restore it from a copy.") or "kernel.cu" in name


def test_an_evaluation_file_that_was_edited_is_named(recorded: Path) -> None:
    path = recorded / "attempts" / "0003" / "timing.json"
    content = path.read_text().replace("12.0", "11.0")
    path.write_text(content)
    assert refusal(recorded) == (
        f"{path}: damaged: its content is not what outcome.json recorded ({len(content)} bytes found). Restore it from a copy."
    )


def test_a_field_of_the_wrong_type_is_named(recorded: Path) -> None:
    path = recorded / "attempts" / "0003" / "outcome.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"geomean_us": "fast"}))
    assert refusal(recorded) == (
        f"{path}: damaged at geomean_us: Input should be a valid number, unable to parse string as a number. "
        "Restore it from a copy."
    )


def test_a_lost_attempt_is_seen(recorded: Path) -> None:
    (recorded / "attempts" / "0004").rename(recorded / "moved")
    assert refusal(recorded) == f"{recorded / 'attempts' / '0004'}: missing, while attempt 5 is there."


def test_a_lost_outcome_is_not_an_unfinished_attempt(recorded: Path) -> None:
    (recorded / "attempts" / "0004" / "outcome.json").unlink()
    assert refusal(recorded) == f"{recorded / 'attempts' / '0004'}: outcome.json is missing, while attempt 5 is there."


def test_an_edited_workload_is_refused(recorded: Path) -> None:
    kernel = recorded / "workload" / "kernel.cu"
    kernel.write_text(kernel.read_text() + "// faster\n")
    assert refusal(recorded) == f"{recorded / 'workload'}: changed since the session began. Restore it from a copy."


LOGS: dict[str, Callable[[Session], int]] = {
    "attempts/0001/tuning.jsonl": lambda session: len(session.tuning(1)),
    "events.jsonl": lambda session: len(session.events()),
    "ledger.jsonl": lambda session: len(session.ledger()),
}


@pytest.mark.parametrize("name", LOGS)
def test_a_torn_last_line_is_dropped_and_said(recorded: Path, name: str, caplog: pytest.LogCaptureFixture) -> None:
    path = recorded / name
    path.write_bytes(path.read_bytes() + b'{"point": {"BLO')
    with caplog.at_level(logging.WARNING), Session.open(recorded) as session:
        assert LOGS[name](session) == 1
    assert caplog.messages == [f"{path}: dropped 15 bytes of a line torn by a kill"]


def test_a_reader_leaves_a_torn_line_where_it_is(recorded: Path) -> None:
    path = recorded / "events.jsonl"
    path.write_bytes(path.read_bytes() + b'{"kind"')
    assert len(Session.open(recorded, lock=False).events()) == 1
    assert path.read_bytes().endswith(b'{"kind"')


@pytest.mark.parametrize("name", LOGS)
def test_a_damaged_line_in_the_middle_is_named(recorded: Path, name: str) -> None:
    path = recorded / name
    path.write_bytes(b"{broken\n" + path.read_bytes())
    with Session.open(recorded) as session, pytest.raises(RecordError) as caught:
        LOGS[name](session)
    assert str(caught.value).startswith(f"{path}:1: damaged: ")


def test_left_overs_of_a_kill_are_removed(recorded: Path) -> None:
    parts = [recorded / ".summary.json.part", recorded / "attempts" / "0007" / ".tuning.json.part"]
    for part in parts:
        part.write_bytes(b"half")
    Session.open(recorded).close()
    assert [part.exists() for part in parts] == [False, False]


finite = st.floats(allow_nan=False, allow_infinity=False)
evidence = st.floats(allow_nan=False)
names = st.text("abcdefghij_", min_size=1, max_size=8)
measures = st.dictionaries(names, finite, max_size=3)
mismatches = st.builds(Mismatch, got=evidence, want=evidence)
comparisons = st.builds(
    Comparison, margin=evidence, rms_margin=evidence, first=st.lists(mismatches, max_size=2).map(tuple)
)
timings = st.builds(
    Timing,
    samples_us=st.lists(evidence, max_size=5).map(tuple),
    median_us=finite,
    uncertainty_ratio=finite,
    terms=measures,
    counters=measures,
    notes=st.lists(st.text(), max_size=2).map(tuple),
)
cases = st.builds(
    CaseEvaluation,
    comparisons=st.lists(comparisons, max_size=2).map(tuple),
    timing=st.none() | timings,
    floor_us=st.none() | finite,
    floor_binding=st.none() | names,
)
compiled = st.none() | st.builds(Compiled, seconds=finite) | st.builds(CompileFailed, seconds=finite)
evaluations = st.builds(
    Evaluation,
    cases=st.lists(cases, max_size=3, unique_by=lambda case: case.name).map(tuple),
    compiled=compiled,
    geomean_us=st.none() | finite,
    speedup=st.none() | finite,
    seconds=measures,
)


@settings(max_examples=60)
@given(evaluations)
def test_any_evaluation_comes_back_whole(tmp_path_factory: pytest.TempPathFactory, evaluation: Evaluation) -> None:
    directory = tmp_path_factory.mktemp("attempt")
    for name, content in encode_evaluation(1, evaluation).items():
        (directory / name).write_bytes(content)
    assert decode_evaluation(directory) == evaluation
