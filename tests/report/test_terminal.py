import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from warpwright.evaluation.outcome import Outcome
from warpwright.record.catalog import list_sessions
from warpwright.record.event import Event
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.record.summary import Summary
from warpwright.report.tables import evaluation_table, lint_table, session_tables, sessions_table, short_device
from warpwright.report.terminal import LiveView, watch
from warpwright.workload.model import Workload

SAMPLED = "not verified here: estimated from sampled blocks, never counted as passed"


def console(width: int = 150, *, terminal: bool = False) -> Console:
    return Console(file=io.StringIO(), width=width, force_terminal=terminal, color_system=None, highlight=False)


def shown(*parts: RenderableType, width: int = 150) -> str:
    target = console(width)
    for part in parts:
        target.print(part)
    assert isinstance(target.file, io.StringIO)
    return target.file.getvalue()


def squeezed(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def test_an_evaluation_case_by_case(session: Session) -> None:
    lines = squeezed(shown(evaluation_table(session.attempt(11).evaluation)))
    assert lines[0] == "improved geometric mean est. 21.7 us"
    assert "rows512 perf yes est. 28.4 us 4.20 us 15 % - dram" in lines
    assert "gpu_long perf not run - - - - -" in lines
    assert "gpu_rows8192, gpu_long: only on a GPU" in lines
    assert "Times: estimates of an NVIDIA H200 (uncertain by 15 %), not measurements." in lines


def test_eighty_columns_hold_an_evaluation_with_its_notes(session: Session) -> None:
    evaluation = session.attempt(11).evaluation
    *cases, last = evaluation.cases
    noted = (*cases, replace(last, name="gpu_rows8192", message=SAMPLED), replace(last, message=SAMPLED))
    lines = squeezed(shown(evaluation_table(replace(evaluation, cases=noted)), width=80))
    assert "rows2048 perf yes est. 16.5 us 3.60 us 22 % - dram" in lines
    assert "gpu_rows8192 perf not run - - - - -" in lines
    assert f"gpu_rows8192, {last.name}: {SAMPLED}" in " ".join(lines)


def test_a_failed_evaluation_says_where(session: Session) -> None:
    text = shown(evaluation_table(session.attempt(5).evaluation))
    assert "wrong_result.mismatch" in text
    assert "case ragged: 24 of 10087 elements of y are wrong" in text
    assert "Times: no times." in text


def test_a_case_does_not_repeat_what_the_title_says(session: Session) -> None:
    evaluation = session.attempt(5).evaluation
    cases = tuple(replace(c, message=evaluation.message if c.passed is False else "") for c in evaluation.cases)
    text = shown(evaluation_table(replace(evaluation, cases=cases)))
    assert text.count("24 of 10087 elements of y are wrong") == 1


def test_a_session_in_two_tables(session: Session) -> None:
    lines = squeezed(shown(*session_tables(session)))
    assert lines[0] == "softmax: attempt 11, 19.86x as fast as the initial kernel (estimated)"
    assert "rows2048 est. 328 us est. 16.5 us 19.86x 3.60 us 22 % dram" in lines
    assert "geo. mean est. 431 us est. 21.7 us 19.86x 18 %" in lines
    assert "0011* tuned improved est. 21.7 us 19.86x" in lines
    assert '0003 vectorise compile_error.syntax - - kernel.cu(9): error: identifier "float5" is undefined' in lines
    assert lines[-1] == "* became the incumbent. Beside these, 3 tuning points were screened."


def test_a_running_session_shows_the_unfinished_attempt(begin: Callable[[], Session]) -> None:
    session = begin()
    session.begin(session.workload.initial, None, "builtin", 0)
    text = shown(*session_tables(session))
    assert "softmax: no candidate has passed every check" in text
    assert any(line.startswith("0001 initial kernel unfinished") for line in squeezed(text))


def test_the_list_of_sessions(session: Session) -> None:
    session.close()
    listings = list_sessions(session.directory.parent)
    lines = squeezed(shown(sessions_table(listings), width=80))
    assert f"{session.identifier} ended emulator, H200 12 0011 19.86x" in lines
    assert "No sessions" in shown(sessions_table([]))


@pytest.mark.parametrize(
    ("description", "short"),
    [
        ("PTX emulator (just-in-time compiled; latencies are estimates of an NVIDIA H200)", "emulator, H200"),
        ("NVIDIA H200 (gpu:0, driver for CUDA 12.8, harness 1)", "NVIDIA H200, gpu:0"),
        ("NVIDIA H200 (gpu:0, driver for CUDA 12.8, harness 1); more to verify on: gpu:1", "NVIDIA H200, gpu:0"),
        ("a simulated GPU", "a simulated GPU"),
    ],
)
def test_a_device_in_few_words(description: str, short: str) -> None:
    assert short_device(description) == short


def test_why_a_session_stopped_stands_with_its_result(session: Session, begin: Callable[[], Session]) -> None:
    assert "stopped: budget: 12 of 12 attempts used" in squeezed(shown(*session_tables(session)))
    assert "stopped" not in shown(*session_tables(begin()))


@pytest.mark.parametrize("proposer", ["builtin", "openai:gpt-5"])
def test_a_model_that_was_never_asked_is_told(tmp_path: Path, softmax: Workload, proposer: str) -> None:
    options = SessionOptions("softmax", proposer=proposer, iterations=1, budget_usd=0.05)
    with Session.create(tmp_path, softmax, options, {}, "PTX emulator", 1) as session:
        stop = "budget: money: 0.0000 of 0.05 USD used, and the next request may cost 0.1000"
        session.write_summary(Summary(stop, 0, (), 1.0))
        lines = squeezed(shown(*session_tables(session)))
    assert f"stopped: {stop}" in lines
    told = [
        line for line in lines if line.startswith("openai:gpt-5 was never asked: the search stopped before its first")
    ]
    assert len(told) == (proposer != "builtin")
    assert ("Requests to the model 0" in lines) is (proposer != "builtin")


def test_lint_findings() -> None:
    assert "Lint: nothing found" in shown(lint_table([]))


PLAIN = """\
0001 passed         est. 431 us  1.00x  initial kernel
0002 compile_error.syntax vectorise  kernel.cu(9): error: identifier "float5" is undefined
0003 improved       est. 61.2 us  7.04x  share_row_by_warp
note: the tuner found nothing
"""


@pytest.mark.parametrize(("live", "terminal"), [(False, True), (True, False)], ids=["quiet", "piped"])
def test_without_a_terminal_each_outcome_is_a_line(
    begin: Callable[[], Session], fill: Callable[..., None], *, live: bool, terminal: bool
) -> None:
    session, target = begin(), console(terminal=terminal)
    with watch(session, target, live=live):
        fill(
            session,
            (
                ("", Outcome.PASSED, None, 431.0, "passed"),
                (
                    "vectorise",
                    Outcome.COMPILE_ERROR,
                    "syntax",
                    None,
                    'kernel.cu(9): error: identifier "float5" is undefined',
                ),
                ("share_row_by_warp", Outcome.IMPROVED, None, 61.2, "better"),
            ),
        )
        for _ in range(3):  # the same words once
            session.emit(Event("note", text="the tuner found nothing"))
    session.emit(Event("note", text="after the end"))
    assert isinstance(target.file, io.StringIO)
    first, *lines = target.file.getvalue().splitlines()
    assert first == f"{session.identifier}: {session.device}"
    assert [line.partition("] ")[2] for line in lines] == PLAIN.splitlines()


def test_the_live_view_shows_incumbent_outcomes_and_budget(session: Session) -> None:
    view = LiveView(session)
    view.on_event(Event("stage", 12, "verify ragged"))
    view.on_event(Event("note", text="stopping"))
    text = shown(view.render())
    assert "attempts 12 of 12" in text
    assert "time 0:00 of 10:00" in text
    assert "incumbent 0011  est. 21.7 us  19.86x of the initial speed  18 % of floor" in text
    assert "times: estimates of an NVIDIA H200" in text
    assert "0010 timeout.deadlock swap_axes  block (3, 0, 0): 32 threads wait" in text
    assert "stopping" in text
    assert "attempt 12: verify ragged" in text


def test_the_live_view_survives_a_narrow_terminal_and_an_empty_session(begin: Callable[[], Session]) -> None:
    text = shown(LiveView(begin()).render(), width=40)
    assert "no candidate has passed every check" in text
    assert max(map(len, text.splitlines())) <= 40


def test_the_live_view_leaves_the_terminal_clean(begin: Callable[[], Session]) -> None:
    session, target = begin(), console(terminal=True)
    with watch(session, target, live=True):
        session.emit(Event("stage", 1, "compile"))
    assert isinstance(target.file, io.StringIO)
    assert target.file.getvalue().count("\x1b[?25h") == 1  # the cursor is shown again
