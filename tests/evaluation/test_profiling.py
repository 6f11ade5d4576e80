"""Profiles of evaluated candidates: the emulator's at no cost, and what is known where nothing can count."""

from dataclasses import replace

import pytest

from evaluation.conftest import KERNEL, Evaluating, Points
from evaluation.simulated_gpu import Behaviour, SimulatedGpu
from warpwright.candidate.candidate import Candidate, CaseOverride
from warpwright.errors import InfrastructureError, UsageError
from warpwright.evaluation.bench import Bench
from warpwright.evaluation.judgement import judge, known_values
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


SPILLING = """\
extern "C" __global__ void __launch_bounds__(256, 8) axpb(float* y, const float* x, const float* b, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if DEPTH > 1
    float kept[DEPTH], total = 0.0f;
#pragma unroll
    for (int j = 0; j < DEPTH; ++j) kept[j] = x[(i * 7 + j * 13) % n];
#pragma unroll
    for (int j = 0; j < DEPTH; ++j) kept[j] = kept[j] * kept[(j * 5 + 3) % DEPTH] + kept[(j + 17) % DEPTH];
#pragma unroll
    for (int j = 0; j < DEPTH; ++j) total += kept[j] * (float)j;
    if (n < 0) y[0] = total;
#endif
    if (i < n) y[i] = a * x[i] + b[i];
}
"""


def test_each_case_has_the_registers_of_the_binary_that_it_ran(bench: Bench) -> None:
    """`timed` is compiled with a value of its own, and the evaluation keeps the binary of the first case."""
    initial = bench.evaluator.workload.initial
    tunables = {**initial.tunables, "DEPTH": (1, 96)}
    plan = replace(initial.plan, overrides={"timed": CaseOverride(point={"DEPTH": 96})})
    alike = replace(initial, source=SPILLING, tunables=tunables)
    for candidate, spills in ((alike, False), (replace(alike, plan=plan), True)):
        evaluation = bench.evaluator.evaluate(candidate)
        assert evaluation.outcome.correct, evaluation.message
        (profile,) = profile_cases(bench.evaluator, candidate, evaluation)
        spilled = profile.main.value("spill_bytes")
        assert spilled is not None
        assert (spilled > 0) == spills


def test_a_case_that_is_not_timed_is_refused(bench: Bench) -> None:
    candidate = bench.evaluator.workload.initial
    evaluation = bench.evaluator.evaluate(candidate)
    assert [p.case for p in profile_cases(bench.evaluator, candidate, evaluation, ["timed"])] == ["timed"]
    with pytest.raises(UsageError, match="no perf case one on this device; there are timed"):
        profile_cases(bench.evaluator, candidate, evaluation, ["one"])


def in_two_steps(candidate: Candidate) -> Candidate:
    """A launch that clears one element before the one that does the work."""
    launch = candidate.plan.launches[0]
    first = replace(launch, entry="clear", grid=("1",), args=("y", "n"))
    source = KERNEL + 'extern "C" __global__ void clear(float* y, int n) { if (threadIdx.x == 0) y[0] = 0.0f; }\n'
    args = launch.args or ("y", "x", "b", "a", "n")
    plan = replace(candidate.plan, launches=(first, replace(launch, args=args)))
    return replace(candidate, source=source, plan=plan)


def test_the_counters_of_a_plan_have_the_name_of_the_launch_that_they_are_of(bench: Bench) -> None:
    candidate = in_two_steps(bench.evaluator.workload.initial)
    evaluation = bench.evaluator.evaluate(candidate)
    (profile,) = profile_cases(bench.evaluator, candidate, evaluation)
    assert (profile.main.entry, profile.main.position, profile.main.value("grid_blocks")) == ("axpb", 1, 157)
    assert profile.launch_count == 2
    assert known_values(profile)["launches"] == 2
    assert judge(bench.evaluator.workload, bench.device.spec, profile).entry == "axpb"


def test_a_record_that_does_not_name_the_launch_gets_no_name_invented(bench: Bench) -> None:
    candidate = in_two_steps(bench.evaluator.workload.initial)
    evaluation = bench.evaluator.evaluate(candidate)
    cases = tuple(
        replace(case, timing=None if case.timing is None else replace(case.timing, counted=None))
        for case in evaluation.cases
    )
    (profile,) = profile_cases(bench.evaluator, candidate, replace(evaluation, cases=cases))
    assert profile.main.entry == "a launch that the record does not name"


def test_a_gpu_rests_again_when_a_profile_breaks(
    evaluating: Evaluating, point: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> None:
        raise InfrastructureError("the harness did not come up")

    monkeypatch.setattr("warpwright.evaluation.profiling.collect", broken)
    # Not a method on the class: what a protocol has found a class to be it remembers for all later tests.
    monkeypatch.setattr("warpwright.evaluation.profiling.RunOnceDevice", SimulatedGpu)
    evaluator, gpu = evaluating(Behaviour())
    evaluation = evaluator.evaluate(point(32))
    rests = gpu.rests
    with pytest.raises(InfrastructureError, match="did not come up"):
        profile_cases(evaluator, point(32), evaluation)
    assert gpu.rests == rests + 1
