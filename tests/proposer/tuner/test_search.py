"""The search over spaces: complete where it can be, within its budget, resumable, deterministic, better than chance."""

import itertools
import math
from collections.abc import Mapping
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from warpwright.proposer.strategist.tuner import best, search
from warpwright.proposer.strategist.tuner.search import PATIENCE, START_COUNT
from warpwright.proposer.strategist.tuner.space import Space
from warpwright.record.attempt import TuningPoint

small_spaces = st.dictionaries(
    st.sampled_from(["A", "B", "C", "D"]), st.lists(st.integers(1, 9), min_size=1, max_size=4, unique=True), max_size=4
).filter(lambda values: math.prod(len(v) for v in values.values()) <= 20)


def fastest(tried: list[TuningPoint]) -> float:
    time_us = best(tried, 1)[0].geomean_us
    assert time_us is not None
    return time_us


def bowl(point: Mapping[str, int]) -> float:
    return 1.0 + sum((value - 3) ** 2 for value in point.values())


def bowl_at(bottom: Mapping[str, int], point: Mapping[str, int]) -> float:
    return 10.0 + sum((point[name] - bottom[name]) ** 2 for name in point)


@settings(max_examples=60)
@given(values=small_spaces, budget=st.integers(1, 25), seed=st.integers(0, 5))
def test_tiny_spaces_are_searched_without_repeats_within_the_budget(
    values: dict[str, list[int]], budget: int, seed: int
) -> None:
    space = Space({name: tuple(v) for name, v in values.items()})
    tried = list(search(space, bowl, budget=budget, seed=seed))
    keys = [tuple(sorted(p.point.items())) for p in tried]
    assert len(set(keys)) == len(keys) == min(budget, space.size)


@settings(max_examples=40)
@given(count=st.integers(1, 9), budget=st.integers(1, 5), seed=st.integers(0, 5), failing=st.integers(0, 3))
def test_two_valued_tunables_and_failures(count: int, budget: int, seed: int, failing: int) -> None:
    space = Space({f"T{i}": (0, 1) for i in range(count)})
    tried = list(
        search(space, lambda p: None if sum(p.values()) < failing else 1.0 + sum(p.values()), budget=budget, seed=seed)
    )
    assert len(tried) == min(budget, space.size)
    assert all((p.geomean_us is None) == (sum(p.point.values()) < failing) for p in tried)


@settings(max_examples=8)
@given(cut=st.integers(0, 60), seed=st.integers(0, 3))
def test_a_search_cut_off_and_resumed_is_the_same_search(cut: int, seed: int) -> None:
    space = Space({name: tuple(range(1, 8)) for name in "ABCD"})
    whole = list(search(space, bowl, budget=60, seed=seed))
    rest = list(search(space, bowl, known=whole[:cut], budget=60, seed=seed))
    assert whole[:cut] + rest == whole


def test_impossible_points_are_never_tried() -> None:
    space = Space({"A": tuple(range(5)), "B": tuple(range(6))}, lambda p: (p["A"] + p["B"]) % 2 == 0)
    tried = list(search(space, bowl, budget=1000))
    assert len(tried) == 15
    assert all((p.point["A"] + p.point["B"]) % 2 == 0 for p in tried)


def test_a_space_without_possible_points_ends_at_once() -> None:
    assert list(search(Space({"A": (1, 2)}, lambda _: False), bowl, budget=5)) == []


def test_a_space_too_large_to_list_is_searched() -> None:
    space = Space({f"T{i}": tuple(range(8)) for i in range(9)})
    tried = list(search(space, lambda p: 1.0 + sum(p.values()), budget=80))
    assert len(tried) <= 80
    assert fastest(tried) < 25.0


def test_the_default_is_tried_first() -> None:
    assert next(search(Space({"A": (7, 1, 2), "B": (5, 6)}), bowl, budget=9)).point == {"A": 7, "B": 5}


def test_the_search_begins_where_the_candidate_stands_and_goes_on_with_the_default() -> None:
    space = Space({"A": (7, 1, 2), "B": (5, 6)}, first={"A": 2})
    assert [p.point for p in search(space, bowl, budget=2)] == [{"A": 2, "B": 5}, {"A": 7, "B": 5}]


def test_a_first_point_that_the_space_lacks_is_left_out() -> None:
    space = Space({"A": (7, 1, 2)}, first={"A": 9, "GONE": 1})
    assert sorted(p.point["A"] for p in search(space, bowl, budget=9)) == [1, 2, 7]


LARGE = st.dictionaries(
    st.sampled_from(["A", "B", "C", "D", "E"]),
    st.lists(st.integers(1, 9), min_size=2, max_size=8, unique=True),
    min_size=2,
)


@settings(max_examples=40)
@given(
    values=LARGE, budget=st.integers(1, 120), seed=st.integers(0, 5), shape=st.sampled_from(["flat", "bowl", "fails"])
)
def test_no_point_comes_twice_and_the_search_ends_where_nothing_is_gained(
    values: dict[str, list[int]], budget: int, seed: int, shape: str
) -> None:
    space = Space({name: tuple(v) for name, v in values.items()})
    times = {"flat": lambda _: 5.0, "bowl": bowl, "fails": lambda p: None if sum(p.values()) % 3 else bowl(p)}
    tried = list(search(space, times[shape], budget=budget, seed=seed))
    keys = [tuple(sorted(p.point.items())) for p in tried]
    assert len(set(keys)) == len(keys) <= min(budget, space.size)
    patience = max(PATIENCE, sum(len(v) - 1 for v in values.values()))
    if shape == "flat":
        assert len(tried) == min(budget, space.size, START_COUNT + patience)
    elif len(tried) < min(budget, space.size):
        best_before = min(p.geomean_us or math.inf for p in tried[:-patience])
        assert min(p.geomean_us or math.inf for p in tried[-patience:]) >= 0.99 * best_before


def test_the_bottom_of_a_bowl_is_nearly_always_found() -> None:
    """216 points, of which a third are tried at most."""
    space = Space({name: tuple(range(6)) for name in "ABC"})
    found = []
    for seed, optimum in enumerate(itertools.product((0, 2, 5), repeat=3)):
        tried = list(search(space, partial(bowl_at, dict(zip("ABC", optimum, strict=True))), budget=99, seed=seed))
        assert len(tried) <= 72
        found.append(fastest(tried))
    assert sum(time_us <= 11.0 for time_us in found) >= 22, found


def test_small_steps_that_add_up_are_a_gain() -> None:
    """Each point is half a per cent faster than the one before: sixteen of them are 8 %."""
    times = (0.995**number for number in itertools.count())
    tried = list(search(Space({name: tuple(range(6)) for name in "ABC"}), lambda _: next(times), budget=90))
    assert len(tried) == 90


def test_combo_beats_random_search_on_a_space_with_interactions() -> None:
    names = ("BLOCK", "ITEMS", "UNROLL", "VEC", "STAGES")
    space = Space(dict.fromkeys(names, (1, 2, 4, 8, 16, 32)))

    def landscape(point: Mapping[str, int]) -> float | None:
        logs = [math.log2(point[name]) for name in names]
        if point["BLOCK"] * point["VEC"] > 512:
            return None
        return (
            10.0 + (logs[0] + logs[1] - 5) ** 2 + 2 * (logs[2] - 2) ** 2 + (logs[3] - 3) ** 2 + abs(logs[4] - logs[1])
        )

    found = [fastest(list(search(space, landscape, budget=100, seed=s))) for s in range(3)]
    optimum = min(t for p in space.points or () if (t := landscape(space.named(p))) is not None)
    assert sorted(found)[1] <= 1.05 * optimum


def test_best_leaves_failures_out_and_keeps_order_of_equals() -> None:
    points = [TuningPoint({"A": i}, {}, "passed", t) for i, t in enumerate([3.0, None, 1.0, 1.0, 2.0])]
    assert [p.point["A"] for p in best(points, 3)] == [2, 3, 4]
