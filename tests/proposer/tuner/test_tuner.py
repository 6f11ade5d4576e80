"""The tuner of the loop: a pure function of the recorded points, valid points only, then launch settings per case."""

from dataclasses import replace
from types import MappingProxyType

from proposer.corpus import CORPUS
from warpwright.candidate.candidate import Candidate
from warpwright.hardware import load_gpu
from warpwright.proposer.strategist.tuner import Tuner, apply_point, tunable_space_size
from warpwright.proposer.strategist.tuner.point import LaunchSettings
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


def searched(workload: Workload, candidate: Candidate, budget: int, slow_case: str = "") -> list[TuningPoint]:
    """A whole search in which larger blocks are faster, except in one case."""
    points: list[TuningPoint] = []
    tuner = Tuner(candidate, workload, load_gpu("h200"), 3, budget)
    while (chosen := tuner.next(points)) is not None:
        time_us = 1000.0 / chosen[0]["BLOCK"] - sum(
            100 / int(s["BLOCK"]) for c, s in chosen[1].items() if c == slow_case
        )
        points.append(TuningPoint(*chosen, "passed", time_us + 10.0))
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


def test_the_best_points_are_tried_with_other_settings_for_each_perf_case() -> None:
    workload, candidate = with_tunables(BLOCK=(128, 32, 64))
    points = searched(workload, candidate, 60, "67x31")
    swept = [p for p in points if p.launch]
    assert {case for p in swept for case in p.launch} == {"67x31", "130x257"}
    assert len(points) == 3 + 3 * 2 * 2
    best = min(points, key=lambda p: p.geomean_us or 0.0)
    assert best.launch == {"67x31": {"BLOCK": "32"}}


def test_budget_counts_every_evaluation() -> None:
    workload, candidate = with_tunables(BLOCK=(128, 32, 64, 256))
    assert [len(searched(workload, candidate, budget)) for budget in (1, 2, 3, 5)] == [1, 2, 3, 5]


def test_nothing_to_tune() -> None:
    workload = {entry.name: entry for entry in CORPUS}["softmax"].workload()
    assert tunable_space_size(workload.initial) == 1
    assert Tuner(workload.initial, workload, load_gpu("h200"), 0, 10).next([]) is None


def test_a_point_with_launch_settings_as_a_candidate() -> None:
    _, candidate = with_tunables(BLOCK=(128, 32, 64), VEC=(4, 2))
    settings: LaunchSettings = {"67x31": {"BLOCK": "32"}}
    chosen = apply_point(candidate, {"BLOCK": 64, "VEC": 2}, settings)
    assert chosen.values("67x31") == {"BLOCK": 32, "VEC": 2}
    assert chosen.values("130x257") == {"BLOCK": 64, "VEC": 2}
    assert tunable_space_size(candidate) == 6
