"""Profiles of evaluated candidates: the emulator's at no cost, and what is known where nothing can count."""

import pytest

from warpwright.errors import UsageError
from warpwright.evaluation.bench import Bench
from warpwright.evaluation.profiling import profile_cases
from warpwright.profiler.profile import Cache, Source


def test_the_emulator_counted_while_it_timed(bench: Bench) -> None:
    candidate = bench.evaluator.workload.initial
    evaluation = bench.evaluator.evaluate(candidate)
    (profile,) = profile_cases(bench.evaluator, candidate, evaluation)
    assert profile.case == "timed"
    assert profile.subject == candidate.identity
    assert profile.cache is Cache.COLD
    assert profile.main.value("grid_blocks") == 157
    assert profile.main.counters["global_load_sectors"].source is Source.EMULATOR
    assert profile.time_us == next(case.timing for case in evaluation.cases if case.timing).median_us


def test_a_case_that_is_not_timed_is_refused(bench: Bench) -> None:
    candidate = bench.evaluator.workload.initial
    evaluation = bench.evaluator.evaluate(candidate)
    assert [p.case for p in profile_cases(bench.evaluator, candidate, evaluation, ["timed"])] == ["timed"]
    with pytest.raises(UsageError, match="no perf case one on this device; there are timed"):
        profile_cases(bench.evaluator, candidate, evaluation, ["one"])
