"""One line of diagnosis per attempt: in the log, in the tables, in the JSON; silent where nothing is known."""

from dataclasses import replace
from io import StringIO

from rich.console import Console

from record.test_kept import CASE, DIAGNOSIS
from warpwright.device.protocol import TimeSource
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis, ExpectationCheck, Verdict
from warpwright.record.event import Event
from warpwright.record.session import Session
from warpwright.report.diagnosis import diagnosis_line, diagnosis_to_json
from warpwright.report.summary import session_to_json
from warpwright.report.tables import session_tables
from warpwright.report.terminal import LiveView


def shown(session: Session) -> str:
    console = Console(file=StringIO(), width=100)
    for table in session_tables(session):
        console.print(table)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_the_line_names_case_class_evidence_and_verdict() -> None:
    assert diagnosis_line(DIAGNOSIS) == (
        "large: pipe_bound:fma: The fp32 pipe is full. Hypothesis borne out by instructions."
    )


def test_nothing_known_is_nothing_said() -> None:
    assert diagnosis_line(None) == ""
    assert diagnosis_line(AttemptDiagnosis((), None)) == ""
    assert diagnosis_to_json(None) is None


def test_no_class_is_said_as_such() -> None:
    assert (
        diagnosis_line(AttemptDiagnosis((replace(CASE, findings=()),), "large"))
        == "large: no bottleneck class applies."
    )


def test_a_session_shows_its_diagnoses(session: Session) -> None:
    assert "What limits each attempt" not in shown(session)
    session.write_diagnosis(1, DIAGNOSIS)
    text = shown(session)
    assert "What limits each attempt" in text
    assert "pipe_bound:fma" in text
    assert "borne out" in text
    attempt = session_to_json(session)["attempts"][0]
    assert attempt["diagnosis"]["bottleneck"] == "pipe_bound:fma"
    assert attempt["diagnosis"]["evidence"] == [
        {
            "counter": "pipe_fma_ratio",
            "value": 0.9,
            "relation": ">=",
            "threshold": 0.75,
            "estimated": False,
            "against": None,
        }
    ]
    assert attempt["diagnosis"]["verdict"] == "borne out"


def test_what_the_counters_did_is_what_the_diagnosis_saw(session: Session) -> None:
    session.write_diagnosis(2, DIAGNOSIS)
    (seen,) = session_to_json(session)["attempts"][1]["expectations"]
    assert seen == {"counter": "instructions", "expected": 0.5, "observed": 0.5, "movement": "as expected"}


def test_one_hypothesis_has_one_verdict(session: Session) -> None:
    gone = ExpectationCheck("shared_bank_conflicts", 0.1, 0.0, Verdict.BORNE_OUT)  # cured altogether
    session.write_diagnosis(2, replace(DIAGNOSIS, checks=(gone,)))
    attempt = session_to_json(session)["attempts"][1]
    assert attempt["diagnosis"]["verdict"] == "borne out"
    assert attempt["expectations"][0]["movement"] == "as expected"


def test_the_log_has_a_line_for_it(session: Session) -> None:
    session.write_diagnosis(1, DIAGNOSIS)
    line = LiveView(session).plain_line(Event("diagnosed", attempt=1))
    assert line is not None
    assert "0001 large: pipe_bound:fma: The fp32 pipe is full." in line.plain


def test_a_hint_is_marked_in_the_line_the_table_and_the_json(session: Session) -> None:
    hint = replace(CASE.findings[0], text="The fp32 pipe comes closest.", bound=3.0, hint=True)
    session.write_diagnosis(1, replace(DIAGNOSIS, cases=(replace(CASE, findings=(hint,)),)))
    line = diagnosis_line(session.diagnosis(1))
    assert line.startswith(
        "large: no class is known to limit it; worth a look: pipe_bound:fma: The fp32 pipe comes closest."
    )
    assert "hint:" in shown(session)
    told = session_to_json(session)["attempts"][0]["diagnosis"]
    assert (told["hint"], told["limited"], told["bottleneck"]) == (True, False, "pipe_bound:fma")
    assert (told["bound"], told["bound_estimated"]) == (None, None)
    session.write_diagnosis(2, replace(DIAGNOSIS, cases=(replace(CASE, findings=(replace(hint, hint=False),)),)))
    claimed = session_to_json(session)["attempts"][1]["diagnosis"]
    assert (claimed["bound"], claimed["bound_estimated"]) == (3.0, False)


def test_times_and_counters_are_told_apart_in_the_json() -> None:
    derived = replace(CASE, tool="compiler report and launch plan", time_source=TimeSource.MEASURED)
    told = diagnosis_to_json(replace(DIAGNOSIS, cases=(derived,)))
    assert told is not None
    assert (told["time_estimated"], told["counters_estimated"]) == (False, True)
