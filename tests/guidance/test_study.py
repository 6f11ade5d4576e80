"""The study of guidance: how it counts, and that what it remembers is what the evaluator says."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from benchmarks.guidance.remembered import RememberingEvaluator
from benchmarks.guidance.verdict import judge, reached

from loop.tiny import write_tiny
from warpwright.evaluation.bench import open_bench
from warpwright.evaluation.outcome import Evaluation
from warpwright.record.attempt import Attempt
from warpwright.workload.loader import load_workload


def run(arm: str, seed: int, *times: float | None, points: int = 10) -> dict[str, Any]:
    """A session whose attempts took these times, each followed by a search of some points."""
    rows, best = [], None
    for number, us in enumerate(times):
        best = us if best is None or (us is not None and us < best) else best
        rows.append({"best_us": best, "evaluations": 1 + number * (1 + points)})
    return {"example": "no such example", "arm": arm, "seed": seed, "attempts": rows}


def test_within_five_per_cent_is_near_enough() -> None:
    assert reached(run("guided", 0, 100.0, 10.53, 10.52, 10.0), 10.0) == (3, 23)
    assert reached(run("guided", 0, 100.0, None, 50.0), 10.0) is None


def test_pairs_are_compared_seed_by_seed() -> None:
    runs = [
        run("guided", 0, 100.0, 10.0),
        run("undirected", 0, 100.0, 90.0, 80.0, 10.0),
        run("guided", 1, 100.0, 50.0, 10.0),
        run("undirected", 1, 100.0, 10.0),
        run("guided", 2, 100.0, 10.0),
    ]
    result = judge(runs, "emulator:nothing")
    pairs = result["examples"]["no such example"]["pairs"]
    assert [(pair["seed"], pair["ratio"]) for pair in pairs] == [(0, 0.5), (1, 1.5)]
    assert result["median_ratio"] == 1.0


def test_an_undirected_search_that_never_came_near_counts_with_what_it_made_and_a_guided_one_as_never() -> None:
    runs = [run("guided", 0, 100.0, 10.0), run("undirected", 0, 100.0, 90.0, 80.0, 70.0)]
    assert judge(runs, "emulator:nothing")["median_ratio"] == 0.5
    lost = [run("guided", 0, 100.0, 90.0), run("undirected", 0, 100.0, 10.0)]
    result = judge(lost, "emulator:nothing")
    assert result["median_ratio"] is None
    assert result["examples"]["no such example"]["guided_never"] == 1


def essence(evaluation: Evaluation) -> tuple[object, ...]:
    return evaluation.label, evaluation.geomean_us, evaluation.speedup, [case.timing for case in evaluation.cases]


@pytest.mark.parametrize("screen", [False, True])
def test_what_is_remembered_is_what_the_evaluator_says(tmp_path: Path, screen: bool) -> None:
    workload = load_workload(write_tiny(tmp_path / "tiny"))
    other = replace(workload.initial, point={"BLOCK": 128})
    with open_bench(workload, "emulator", "5" * 64) as bench:
        remembering = RememberingEvaluator(bench.evaluator, tmp_path / "remembered")
        first = bench.evaluator.evaluate(workload.initial)
        against = Attempt(1, 0, "workload", workload.initial, None, first)
        expected = essence(bench.evaluator.evaluate(other, against=against, screen=screen))
        for _ in range(2):
            assert essence(remembering.evaluate(other, against=against, screen=screen)) == expected
        assert remembering.evaluated == 1
