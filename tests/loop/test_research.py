"""What a card brought in this session and in others, before the field guide takes it for its own."""

from pathlib import Path

import pytest

from proposer.model.prompt.records import Record, evaluation, softmax
from record.history.lessons import ROWS, lesson, trial
from warpwright.device.protocol import TimeSource
from warpwright.knowledge.field_guide.history import Results
from warpwright.loop.history import SessionHistory
from warpwright.loop.research import results_of
from warpwright.record.attempt import Hypothesis
from warpwright.record.history.given import write_given
from warpwright.record.history.hints import Given, tally
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session

IDEA = Hypothesis("vectorise", "wider loads", bottleneck="dram_bound", card="FG-12")


def record(*times: tuple[float, TimeSource]) -> Record:
    """The initial kernel at an estimated 100 us, and an attempt made from it for each time."""
    found = Record()
    for time_us, source in times:
        found.add(evaluation(time_us=time_us, source=source), IDEA)
    return found


@pytest.mark.parametrize(("measured", "own"), [(False, [2.0, 0.5]), (True, [])])
def test_a_gain_is_of_two_times_of_one_source(measured: bool, own: list[float]) -> None:
    attempts = record((50.0, TimeSource.ESTIMATED), (25.0, TimeSource.MEASURED), (200.0, TimeSource.ESTIMATED)).attempts
    found = results_of(attempts, {"FG-12": [3.0], "FG-19": [1.1]}, measured=measured)
    assert found == Results({"FG-12": [3.0, *own], "FG-19": [1.1]}, measured)


@pytest.mark.parametrize(("measured", "known"), [(False, {"FG-12": [1.5]}), (True, {})])
def test_a_session_takes_only_results_of_its_own_kind_of_times(
    tmp_path: Path, measured: bool, known: dict[str, list[float]]
) -> None:
    estimated = [lesson("earlier", [trial(card="FG-12")])]
    options = SessionOptions(workload_path="softmax", iterations=7, time_limit_s=60.0, seed=3)
    with Session.create(tmp_path, softmax(), options, {"warpwright": "0.1.0"}, "PTX emulator", 1) as session:
        write_given(session.directory, Given(ROWS, "sm_90", measured=False, lessons=1, tallies=tally(estimated, ROWS)))
        history = SessionHistory(session, tmp_path / "history.sqlite", "sm_90", measured=measured)
        assert history.card_gains == known
