"""Profiles of evaluated candidates on a GPU: an invented Nsight Compute on the real harness, and every way to go without."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evaluation.test_on_standin import OpenBench, built, initial, on_standin, small
from profiler.nsight_compute.conftest import MakeNcu, asked, make_ncu
from warpwright.device.protocol import TimeSource, Timing
from warpwright.evaluation.bench import Bench
from warpwright.evaluation.outcome import CaseEvaluation, Evaluation, Outcome
from warpwright.evaluation.profiling import ProfileOptions, profile_cases
from warpwright.profiler.profile import CaseProfile, Source
from warpwright.workload.model import CaseKind

__all__ = ["built", "make_ncu", "on_standin", "small"]


def passed(bench: Bench) -> Evaluation:
    """What an evaluation would say; of times only their source is of interest here."""
    cases = bench.evaluator.workload.cases_on(bench.device.kind)
    timing = Timing(TimeSource.MEASURED, "GPU", (50.0,), 50.0, 0.0)
    found = tuple(CaseEvaluation(case.name, case.kind, passed=True, timing=timing) for case in cases)
    return Evaluation(Outcome.PASSED, None, "", found, None)


@pytest.fixture
def profiled(on_standin: OpenBench) -> Callable[..., tuple[CaseProfile, ...]]:
    def run(ncu: Path, tier: int = 1, keep: Path | None = None) -> tuple[CaseProfile, ...]:
        bench = on_standin()
        return profile_cases(bench.evaluator, initial(bench), passed(bench), None, tier, ProfileOptions(ncu, keep))

    return run


Profiled = Callable[..., tuple[CaseProfile, ...]]


def test_every_perf_case_has_counters_of_its_own_launch(profiled: Profiled, make_ncu: MakeNcu, tmp_path: Path) -> None:
    program = make_ncu()
    timed, large = profiled(program, keep=tmp_path / "profile")
    assert (timed.case, large.case) == ("timed", "large")
    assert timed.reason is None
    assert not timed.estimated
    assert timed.time_source is TimeSource.MEASURED
    assert timed.tool.startswith("Nsight Compute 2025.3.1")
    assert timed.main.value("grid_blocks") == 157
    assert large.main.value("grid_blocks") == 24
    assert timed.main.entry == "axpb"
    assert sorted(path.name for path in (tmp_path / "profile").iterdir()) == ["large.ncu-rep", "timed.ncu-rep"]
    assert asked(program)["--kernel-name"] == ["regex:^(axpb)$"]


def test_the_compiler_fills_in_what_only_it_knows(profiled: Profiled, make_ncu: MakeNcu) -> None:
    timed, _ = profiled(make_ncu())
    assert timed.main.counters["spill_bytes"].source is Source.COMPILER
    assert timed.main.counters["registers_per_thread"].source is Source.NCU


def test_without_permission_what_is_known_remains_and_ncu_is_asked_once(profiled: Profiled, make_ncu: MakeNcu) -> None:
    program = make_ncu(before="==ERROR== ERR_NVGPUCTRPERM")
    profiles = profiled(program)
    for profile in profiles:
        assert profile.reason is not None
        assert "ERR_NVGPUCTRPERM" in profile.reason
        assert profile.estimated
        assert profile.time_source is TimeSource.MEASURED  # the harness took it, whatever became of the counters
        assert profile.main.value("grid_blocks")
        assert profile.main.value("registers_per_thread")
        assert profile.main.value("dram_read_bytes") is None
    assert len(profiles) == 2
    assert (program.parent / "runs").read_text(encoding="utf-8").count("\n") == 1


def test_what_concerns_one_case_is_asked_again_for_the_next(profiled: Profiled, make_ncu: MakeNcu) -> None:
    program = make_ncu(no_kernels=True)
    assert all("No launch was profiled" in (profile.reason or "") for profile in profiled(program))
    assert (program.parent / "runs").read_text(encoding="utf-8").count("\n") == 2


def test_without_ncu_the_reason_has_the_remedy(profiled: Profiled, tmp_path: Path) -> None:
    timed, _ = profiled(tmp_path / "ncu")
    assert timed.reason is not None
    assert "WARPWRIGHT_NCU" in timed.reason


def test_times_are_those_of_the_evaluation(on_standin: OpenBench, make_ncu: MakeNcu) -> None:
    bench = on_standin()
    candidate = initial(bench)
    evaluation = bench.evaluator.evaluate(candidate)
    assert evaluation.label == "passed", evaluation.message
    profiles = profile_cases(bench.evaluator, candidate, evaluation, ["timed"], 1, ProfileOptions(make_ncu()))
    found = next(case for case in evaluation.cases if case.name == "timed")
    assert found.kind is CaseKind.PERF
    assert found.timing is not None
    assert [profile.time_us for profile in profiles] == [found.timing.median_us]
    assert profiles[0].main.value("duration_ns") == 1_234_567
    assert profiles[0].subject == candidate.identity
