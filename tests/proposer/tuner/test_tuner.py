"""The tuner of the loop: a pure function of the recorded points, valid points only, then launch settings per case."""

from dataclasses import replace
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proposer.corpus import CORPUS
from warpwright.benchmark.score import geomean_us
from warpwright.candidate.candidate import Candidate, CaseOverride
from warpwright.hardware import load_gpu
from warpwright.proposer.strategist.tuner import Tuner, apply_point, tunable_space_size
from warpwright.proposer.strategist.tuner.case_points import bests, combined
from warpwright.proposer.strategist.tuner.point import CaseSettings, key_of
from warpwright.record.attempt import TuningPoint
from warpwright.workload.model import CaseKind, Workload

ENTRY = {entry.name: entry for entry in CORPUS}["layernorm"]


def with_tunables(**tunables: tuple[int, ...]) -> tuple[Workload, Candidate]:
    """layernorm with a block that only the plan reads, in a workload of two perf cases."""
    workload = ENTRY.workload()
    source = workload.initial.source.replace("BLOCK", "blockDim.x")
    candidate = replace(workload.initial, source=source, tunables=MappingProxyType(tunables))
    cases = tuple(replace(case, kind=CaseKind.PERF if i > 1 else case.kind) for i, case in enumerate(workload.cases))
    return replace(workload, initial=candidate, cases=cases), candidate


def case_us(candidate: Candidate, odd: str) -> dict[str, float]:
    """Larger blocks are faster, except in one case."""
    blocks = {case: candidate.values(case)["BLOCK"] for case in ("67x31", "130x257")}
    return {case: 10.0 + (block / 10 if case == odd else 1000 / block) for case, block in blocks.items()}


def searched(workload: Workload, candidate: Candidate, budget: int, odd: str = "") -> list[TuningPoint]:
    """A whole search."""
    points: list[TuningPoint] = []
    tuner = Tuner(candidate, workload, load_gpu("h200"), 3, budget)
    while (chosen := tuner.next(points)) is not None:
        times = case_us(apply_point(candidate, *chosen), odd)
        points.append(TuningPoint(*chosen, "passed", geomean_us(list(times.values())), "", times))
    return points


def test_impossible_points_are_left_out() -> None:
    workload, candidate = with_tunables(BLOCK=(128, 2048, 0, 64))
    assert sorted({p.point["BLOCK"] for p in searched(workload, candidate, 50)}) == [64, 128]


def test_a_search_that_was_cut_off_goes_on_as_it_would_have() -> None:
    workload, candidate = with_tunables(BLOCK=(128, 32, 64, 256, 512))
    whole = searched(workload, candidate, 60, "67x31")
    tuner = Tuner(candidate, workload, load_gpu("h200"), 3, 60)
    for cut in range(len(whole)):
        assert tuner.next(whole[:cut]) == (whole[cut].point, whole[cut].launch)
    assert tuner.next(whole) is None


def test_the_settings_that_are_best_for_each_case_are_put_together() -> None:
    workload, candidate = with_tunables(BLOCK=(128, 32, 64, 256))
    points = searched(workload, candidate, 60, "67x31")
    assert [p.launch for p in points[:4]] == [{}] * 4
    assert len(points) == 5, "every point tells the time of every case: one more puts the best together"
    last = apply_point(candidate, points[-1].point, points[-1].launch)
    assert {case: last.values(case)["BLOCK"] for case in ("67x31", "130x257")} == {"67x31": 32, "130x257": 256}
    assert points[-1].geomean_us == min(p.geomean_us or 0.0 for p in points)


def test_where_all_cases_agree_there_is_nothing_to_put_together() -> None:
    workload, candidate = with_tunables(BLOCK=(128, 32, 64, 256))
    assert len(searched(workload, candidate, 60)) == 4


def test_settings_that_a_case_brought_along_are_searched_too() -> None:
    workload, candidate = with_tunables(BLOCK=(128, 32, 64, 256))
    own = apply_point(candidate, {}, {"67x31": {"BLOCK": "256"}})
    points = searched(workload, own, 60, "67x31")
    best = min(points, key=lambda p: p.geomean_us or 0.0)
    found = apply_point(own, best.point, best.launch)
    assert {case: found.values(case)["BLOCK"] for case in ("67x31", "130x257")} == {"67x31": 32, "130x257": 256}


def test_points_of_older_records_tell_nothing_of_single_cases() -> None:
    workload, candidate = with_tunables(BLOCK=(128, 32))
    old = [TuningPoint({"BLOCK": 128}, {}, "passed", 9.0), TuningPoint({"BLOCK": 32}, {}, "passed", 8.0)]
    assert Tuner(candidate, workload, load_gpu("h200"), 3, 60).next(old) is None


def test_the_search_begins_at_the_candidates_own_point() -> None:
    workload, candidate = with_tunables(BLOCK=(128, 32, 64, 256))
    tuner = Tuner(candidate.at({"BLOCK": 64}), workload, load_gpu("h200"), 3, 60)
    assert tuner.next([]) == ({"BLOCK": 64}, {})


@settings(max_examples=25)
@given(seed=st.integers(0, 3), budget=st.integers(1, 60), times=st.lists(st.floats(1, 2), min_size=120, max_size=120))
def test_noise_alone_ends_the_search_without_repeats(seed: int, budget: int, times: list[float]) -> None:
    workload, candidate = with_tunables(BLOCK=(128, 32, 64, 256, 512), A=(1, 2, 3), B=(1, 2, 3))
    tuner, points = Tuner(candidate, workload, load_gpu("h200"), seed, budget), list[TuningPoint]()
    while (chosen := tuner.next(points)) is not None:
        one, other = times[2 * len(points)], times[2 * len(points) + 1]
        points.append(TuningPoint(*chosen, "passed", (one * other) ** 0.5, "", {"67x31": one, "130x257": other}))
    keys = {key_of(p.point, p.launch) for p in points}
    assert len(keys) == len(points) <= budget


def test_budget_counts_every_evaluation() -> None:
    workload, candidate = with_tunables(BLOCK=(128, 32, 64, 256))
    assert [len(searched(workload, candidate, budget, "67x31")) for budget in (1, 2, 3, 5)] == [1, 2, 3, 5]


def test_nothing_to_tune() -> None:
    workload = {entry.name: entry for entry in CORPUS}["softmax"].workload()
    assert tunable_space_size(workload.initial) == 1
    assert Tuner(workload.initial, workload, load_gpu("h200"), 0, 10).next([]) is None


def test_a_point_with_launch_settings_as_a_candidate() -> None:
    _, candidate = with_tunables(BLOCK=(128, 32, 64), VEC=(4, 2))
    launch: CaseSettings = {"67x31": {"BLOCK": "32"}}
    chosen = apply_point(candidate, {"BLOCK": 64, "VEC": 2}, launch)
    assert chosen.values("67x31") == {"BLOCK": 32, "VEC": 2}
    assert chosen.values("130x257") == {"BLOCK": 64, "VEC": 2}
    assert tunable_space_size(candidate) == 6


def test_the_point_at_which_a_candidate_stands_is_the_candidate_itself() -> None:
    """Else it would become an attempt of its own."""
    _, candidate = with_tunables(BLOCK=(128, 32, 64), VEC=(4, 2))
    assert apply_point(candidate, {"BLOCK": 128, "VEC": 4}, {}) == candidate
    moved = candidate.at({"BLOCK": 64})
    assert apply_point(moved, {"BLOCK": 64, "VEC": 4}, {}) == moved
    assert apply_point(moved, {"BLOCK": 128, "VEC": 4}, {}) != moved


def test_a_case_may_have_every_tunable_for_itself_also_of_a_point_that_is_poor_for_the_others() -> None:
    workload, candidate = with_tunables(BLOCK=(128,), TILE=(128, 32, 64, 16), PART=(8, 2, 4, 1))
    points: list[TuningPoint] = []
    tuner = Tuner(candidate, workload, load_gpu("h200"), 0, 60)
    while (chosen := tuner.next(points)) is not None:
        made = apply_point(candidate, *chosen)
        large, small = (made.values(case) for case in ("130x257", "67x31"))
        times = {
            "130x257": 100.0 * 128 / large["TILE"] * 8 / large["PART"],
            "67x31": 1.0 * small["TILE"] / 16 * small["PART"],
        }
        points.append(TuningPoint(*chosen, "passed", geomean_us(list(times.values())), "", times))
    best = min(points, key=lambda p: p.geomean_us or 0.0)
    found = apply_point(candidate, best.point, best.launch)
    assert found.values("130x257") == {"BLOCK": 128, "TILE": 128, "PART": 8}
    assert found.values("67x31") == {"BLOCK": 128, "TILE": 16, "PART": 1}
    assert len(points) < 40


def test_the_times_of_a_point_that_failed_on_another_case_count() -> None:
    slow = TuningPoint({"TILE": 128}, {}, "passed", 10.0, "", {"large": 50.0, "small": 2.0})
    failed = TuningPoint({"TILE": 16}, {}, "timeout.timing", None, "", {"small": 1.0})
    assert combined([slow, failed]) == ({"TILE": 128}, {"small": {"TILE": "16"}})
    assert combined([failed]) is None
    assert bests([slow, failed]) == pytest.approx([10.0, 50.0**0.5])


def test_values_of_single_cases_take_the_place_of_those_that_the_plan_had() -> None:
    _, candidate = with_tunables(BLOCK=(128, 32, 64))
    own = apply_point(candidate, {}, {"67x31": {"BLOCK": "32"}})
    assert apply_point(own, {"BLOCK": 64}, {}).values("67x31") == {"BLOCK": 64}
    assert apply_point(own, {"BLOCK": 128}, {"67x31": {"BLOCK": "32"}}) == own
    grid = replace(own.plan, overrides={"67x31": CaseOverride(grid=("7",), point=own.plan.overrides["67x31"].point)})
    kept = apply_point(replace(own, plan=grid), {"BLOCK": 64}, {})
    assert kept.plan.overrides == {"67x31": CaseOverride(grid=("7",))}
