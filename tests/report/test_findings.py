import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.evaluation.outcome import Outcome
from warpwright.profiler.diagnosis.expectation import judge
from warpwright.record.catalog import list_sessions
from warpwright.record.session import Session
from warpwright.record.summary import Summary
from warpwright.report.curve import HEIGHT, WIDTH, best_so_far
from warpwright.report.diff import diff_lines
from warpwright.report.expectation import Expectation, Movement
from warpwright.report.findings import findings
from warpwright.report.heatmap import heatmap, level
from warpwright.report.summary import listing_to_json, session_to_json
from warpwright.report.words import duration_text, percent_text, time_text


@pytest.mark.parametrize(
    ("expected", "observed", "movement"),
    [
        (0.25, 0.2, Movement.AS_EXPECTED),
        (0.25, 0.5, Movement.AS_EXPECTED),
        (0.25, 0.8, Movement.LESS),
        (0.25, 1.01, Movement.NONE),
        (0.25, 1.5, Movement.CONTRARY),
        (4.0, 3.0, Movement.AS_EXPECTED),
        (4.0, 0.5, Movement.CONTRARY),
        (1.0, 1.0, Movement.AS_EXPECTED),
        (1.0, 1.5, Movement.CONTRARY),
        (0.25, None, Movement.UNKNOWN),
        (0.25, 0.0, Movement.AS_EXPECTED),
        (0.25, -1.0, Movement.UNKNOWN),
    ],
)
def test_movement(expected: float, observed: float | None, movement: Movement) -> None:
    verdict = judge(expected, observed)
    assert Expectation("global_load_sectors", expected, observed, verdict).movement is movement


def test_what_a_session_found(session: Session) -> None:
    found = findings(session)
    assert found.best is not None
    assert (found.best.number, found.incumbents) == (11, (1, 4, 7, 11))
    assert found.speedup == pytest.approx(431.0 / 21.7)
    assert found.floor_ratio == pytest.approx(((4.2 / (21.7 * 1.31)) * (3.6 / (21.7 * 0.76))) ** 0.5)
    assert found.outcomes["improved"] == 3
    assert [gain.name for gain in found.gains if gain.speedup is not None] == ["rows512", "rows2048"]


def test_the_final_check_decides_what_is_best(session: Session) -> None:
    session.write_summary(Summary("budget", 7, (), 1.0))
    assert findings(session).speedup == pytest.approx(431.0 / 38.4)


def test_an_initial_kernel_that_fails_gives_no_speedup(begin: Callable[[], Session], fill: Callable[..., None]) -> None:
    session = begin()
    wrong = ("", Outcome.WRONG_RESULT, "mismatch", None, "wrong")
    fill(session, (wrong, ("repair", Outcome.PASSED, None, 60.0, "passed")))
    found = findings(session)
    assert (found.speedup, found.best_us, found.initial_us) == (None, 60.0, None)


def test_the_json_document(session: Session) -> None:
    document = json.loads(json.dumps(session_to_json(session), allow_nan=False))
    assert document["outcome"] == "improved"
    assert document["best"]["attempt"] == 11
    assert document["best"]["geomean_us"] == 21.7
    assert document["initial"]["geomean_us"] == 431.0
    assert document["speedup"] == pytest.approx(19.86, abs=0.01)
    assert (document["source"], document["gpu"]) == ("estimated", "NVIDIA H200")
    assert document["stopped"] == "budget: 12 of 12 attempts used"
    assert [row["outcome"] for row in document["attempts"]][:4] == ["passed", "tie", "compile_error", "improved"]
    assert document["attempts"][3]["expectations"][0]["movement"] == "as expected"
    assert document["tuning_points"] == 3
    assert document["report"] is None


def test_the_json_document_of_an_empty_session(begin: Callable[[], Session]) -> None:
    document = session_to_json(begin())
    assert (document["best"], document["initial"], document["speedup"], document["attempts"]) == (None, None, None, [])
    assert document["ended"] is False


def test_a_listing_as_json(session: Session) -> None:
    session.close()
    (row,) = (listing_to_json(listing) for listing in list_sessions(session.directory.parent))
    assert (row["session"], row["state"], row["best"], row["attempts"]) == (session.identifier, "ended", 11, 12)


def test_the_curve_descends_over_the_incumbents(session: Session) -> None:
    curve = best_so_far(findings(session))
    assert curve is not None
    assert [dot.number for dot in curve.dots if dot.mark == "incumbent"] == [1, 4, 7, 11]
    assert len([dot for dot in curve.dots if dot.mark == "failed"]) == 5
    heights = [dot.y for dot in curve.dots if dot.mark == "incumbent"]
    assert heights == sorted(heights)
    assert curve.path.startswith("M")
    assert all(0 <= dot.x <= WIDTH and 0 <= dot.y <= HEIGHT for dot in curve.dots)
    assert [tick.label for tick in curve.y_ticks] == [
        "5.00 us", "10.0 us", "20.0 us", "50.0 us", "100 us", "200 us",
    ]  # fmt: skip


def test_the_heatmap_shades_by_speed(session: Session) -> None:
    heat = heatmap(findings(session))
    assert heat is not None
    assert list(heat.cases) == ["rows512", "rows2048"]
    assert [cell.level for cell in heat.rows[0].cells] == [0, 0]
    assert [cell.level for cell in heat.rows[10].cells] == [4, 4]
    assert heat.rows[2].cells == ()


@given(st.floats(1e-9, 1e9))
def test_shades_are_bounded_and_antisymmetric(speedup: float) -> None:
    assert -4 <= level(speedup) <= 4
    assert level(1 / speedup) == -level(speedup)


lines = st.lists(st.text("ab{};", max_size=3), max_size=30)


@given(lines, lines)
def test_a_diff_gives_both_texts_back(before: list[str], after: list[str]) -> None:
    diff = diff_lines("\n".join(before), "\n".join(after))
    old, new = "\n".join(before).splitlines(), "\n".join(after).splitlines()
    assert all(line.old is None or old[line.old - 1] == line.text for line in diff)
    assert all(line.new is None or new[line.new - 1] == line.text for line in diff)
    removed = {line.old for line in diff if line.kind == "removed"}
    added = {line.new for line in diff if line.kind == "added"}
    kept_old = [text for number, text in enumerate(old, start=1) if number not in removed]
    kept_new = [text for number, text in enumerate(new, start=1) if number not in added]
    assert kept_old == kept_new


def test_words() -> None:
    assert [time_text(12.3456, estimated=True), time_text(None, estimated=True)] == ["est. 12.3 us", "-"]
    assert [percent_text(0.0712), percent_text(0.5), percent_text(None)] == ["7.1 %", "50 %", "-"]
    assert [duration_text(s) for s in (45, 185, 7800)] == ["45 s", "3 min 05 s", "2 h 10 min"]
