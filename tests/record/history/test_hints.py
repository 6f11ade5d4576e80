from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from record.history.lessons import ROWS, lesson, trial
from warpwright.record.history.hints import MOST_HINTS, Given, tally
from warpwright.record.history.lesson import Lesson


def given_of(*lessons: Lesson) -> Given:
    return Given(ROWS, "sm_90", measured=False, lessons=len(lessons), tallies=tally(lessons, ROWS))


def test_a_success_is_told_with_its_failures_and_where_its_times_come_from() -> None:
    kept = [lesson(name, [trial(gain=gain, card="FG-12")]) for name, gain in (("a", 6.0), ("b", 6.2), ("c", 9.0))]
    failed = lesson("d", [trial(gain=None, worked=False, card="FG-12")], workload="other")
    (hint,) = given_of(*kept, failed).hints("dram_bound")
    assert hint == (
        "FG-12 vectorise on row-wise operations, sm_90, against dram_bound: kept in 3 of 4 sessions, "
        "median 6.20x over the best before it (estimated)"
    )


def test_a_win_that_was_not_kept_is_no_result() -> None:
    given = given_of(lesson("a", [trial(gain=9.0, worked=False, card="FG-04")]), lesson("b", [trial(card="FG-12")]))
    assert given.card_gains == {"FG-04": [], "FG-12": [1.5]}


def test_what_never_worked_is_no_hint() -> None:
    assert given_of(lesson("a", [trial(gain=0.9, worked=False)])).hints("dram_bound") == ()
    assert given_of().hints(None) == ()


def test_the_same_bottleneck_comes_first_then_the_more_similar_workload() -> None:
    half = replace(ROWS, inputs=("float16:2",), outputs=("float16:2",))
    lessons = [
        lesson("far", [trial("far", 50.0)], half),
        lesson("near", [trial("near", 1.1)]),
        lesson("elsewhere", [replace(trial("elsewhere", 80.0), bottleneck="issue_bound")]),
    ]
    assert [hint.split()[0] for hint in given_of(*lessons).hints("dram_bound")] == ["near", "far", "elsewhere"]
    assert [hint.split()[0] for hint in given_of(*lessons).hints("issue_bound")] == ["elsewhere", "near", "far"]


def test_a_workload_counts_once_for_the_field_guide_however_often_it_was_run() -> None:
    often = [lesson(f"s{n}", [trial(gain=4.0, card="FG-04")]) for n in range(9)]
    loss = lesson("loss", [trial(gain=0.9, worked=False, card="FG-04")], workload="rmsnorm")
    assert sorted(given_of(*often, loss).card_gains["FG-04"]) == [0.9, 4.0]
    assert given_of(lesson("x")).card_gains == {}


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.floats(0.5, 9.0), st.booleans()), max_size=12))
def test_hints_are_few_and_only_of_gains(found: list[tuple[str, float, bool]]) -> None:
    lessons = [lesson(str(n), [trial(t, g, worked=w)]) for n, (t, g, w) in enumerate(found)]
    hints = given_of(*lessons).hints("dram_bound")
    assert len(hints) == len(set(hints)) <= MOST_HINTS
    better = {t for t, _, w in found if w}
    assert {hint.split()[0] for hint in hints} <= better
    assert all(float(hint.split("median ")[1].split("x")[0]) >= 1 for hint in hints)
