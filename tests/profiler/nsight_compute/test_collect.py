"""Counters of a real run of the harness on the stand-in driver, taken by an invented Nsight Compute."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from device.gpu.kernels import SCALE, arguments, plan, program, scale_request
from profiler.nsight_compute.conftest import MakeNcu, asked
from warpwright.compiler.compiler import Compiler
from warpwright.device.gpu.device import GpuDevice
from warpwright.device.protocol import RunRequest
from warpwright.profiler.nsight_compute.collect import collect
from warpwright.profiler.nsight_compute.result import Collected, NsightOptions, Unavailable
from warpwright.profiler.profile import Cache, Counter, LaunchCounters, Source

OpenGpu = Callable[..., GpuDevice]
ONES = np.ones(1000, np.float32)
GONE = "sm__inst_executed_pipe_tensor_op_gmma"


@pytest.fixture
def device(gpu: OpenGpu) -> GpuDevice:
    return gpu()


def collected(found: Collected | Unavailable) -> Collected:
    assert isinstance(found, Collected), found
    return found


def unavailable(found: Collected | Unavailable) -> Unavailable:
    assert isinstance(found, Unavailable), found
    return found


@pytest.fixture
def counted(
    device: GpuDevice, compiler: Compiler, make_ncu: MakeNcu
) -> Callable[..., tuple[Collected | Unavailable, Path]]:
    """What comes of a profile with those settings of ncu, and the program."""

    def run(options: NsightOptions | None = None, request: RunRequest | None = None, **settings: Any) -> Any:
        program = make_ncu(**settings)
        wanted = replace(options or NsightOptions(), program=program)
        return collect(device, request or scale_request(compiler), wanted), program

    return run


Counted = Callable[..., tuple[Collected | Unavailable, Path]]


def only(found: Collected | Unavailable) -> LaunchCounters:
    (launch,) = collected(found).launches
    return launch


def test_counters_come_in_the_common_vocabulary(counted: Counted) -> None:
    found, _ = counted()
    launch = only(found)
    assert collected(found).tool == "Nsight Compute 2025.3.1.0"
    assert launch.entry == "scale"
    assert launch.counters["duration_ns"] == Counter(1_234_567.0, Source.NCU, launch.counters["duration_ns"].quality)
    assert launch.value("grid_blocks") == 8
    assert launch.value("block_threads") == 128
    assert launch.value("occupancy_theoretical_ratio") == 0.75
    assert launch.value("stall_long_scoreboard_ratio") == pytest.approx(0.625)
    assert launch.value("pipe_tensor_ratio") == 0.125
    assert launch.value("dram_read_bytes") == 8_388_608
    assert launch.value("sm_active_cycles_avg") == pytest.approx(1_876_543.21)
    assert launch.raw["launch__func_cache_config"].value == "CachePreferNone"
    assert not any(name.startswith("flop") for name in launch.counters)


def test_what_means_no_such_access_is_unknown_with_the_reason(counted: Counted) -> None:
    found, _ = counted()
    launch, missing = only(found), collected(found).missing
    assert launch.value("global_load_bytes_per_sector") == 4.0
    assert launch.value("global_store_bytes_per_sector") is None
    assert "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum is 0" in missing["global_store_bytes_per_sector"]
    assert launch.value("shared_bank_conflicts") == 0
    assert launch.value("shared_conflict_ratio") is None
    assert launch.value("active_warps") is None
    assert "no number" in missing["active_warps"]


def test_the_second_tier_adds_memory_tables_operations_rules_and_lines(counted: Counted) -> None:
    found, program = counted(NsightOptions(tier=2, source="line one\n"))
    launch = only(found)
    assert launch.value("global_excess_ratio") == 0.75
    assert launch.value("flop_fp32") == 2110
    assert launch.value("l2_hit_ratio") == pytest.approx(1.169)
    assert launch.value("spill_requests") == 0
    hottest = next(line for line in launch.hot_lines if line.counter == "global_excess_ratio")
    assert (hottest.line, hottest.value, hottest.share) == (3, 1_500_000, 1.0)
    rule = launch.rules[0]
    assert (rule.rule, rule.kind, rule.scope, rule.speedup_percent) == ("Uncoalesced", "optimization", "global", 84.21)
    assert rule.message == "Of the sectors most are waste, see a guide."
    assert [each.kind for each in launch.rules] == ["optimization", "info", "warning"]
    assert launch.rules[2].speedup_percent is None
    assert asked(program)["--import-source"] == ["yes"]


def test_only_the_launches_of_the_plan_are_profiled_each_on_its_own(counted: Counted, compiler: Compiler) -> None:
    request = scale_request(compiler)
    first = request.plan.launches[0]
    plan = replace(request.plan, launches=(first, replace(first, grid=(3, 1, 1))))
    found, program = counted(request=replace(request, plan=plan))
    assert [launch.value("grid_blocks") for launch in collected(found).launches] == [8, 3]
    assert [launch.position for launch in collected(found).launches] == [0, 1]
    assert asked(program)["--kernel-name"] == ["regex:^(scale)$"]
    assert asked(program)["--launch-count"] == ["2"]


@pytest.mark.parametrize(("cache", "word"), [(Cache.COLD, "all"), (Cache.WARM, "none")])
def test_the_cache_is_as_the_workload_has_it(counted: Counted, cache: Cache, word: str) -> None:
    _, program = counted(NsightOptions(cache=cache))
    assert asked(program)["--cache-control"] == [word]
    assert asked(program)["--clock-control"] == ["none"]


def test_the_report_is_kept_where_it_was_asked_for(counted: Counted, tmp_path: Path) -> None:
    place = tmp_path / "attempt" / "profile" / "timed.ncu-rep"
    found, _ = counted(NsightOptions(report=place))
    assert collected(found).report == place
    assert place.stat().st_size > 0


def test_a_report_that_cannot_be_kept_is_a_note(counted: Counted, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    found, _ = counted(NsightOptions(report=tmp_path / "file" / "x.ncu-rep"))
    assert collected(found).report is None
    assert "could not be kept" in collected(found).notes[0]


def test_a_metric_that_is_gone_is_not_asked_for_and_named(counted: Counted) -> None:
    found, program = counted(gone=["l1tex__t_sectors_pipe_lsu_mem_global_op_ld"])
    (asked_for,) = asked(program)["--metrics"]
    assert "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" not in asked_for.split(",")
    assert only(found).value("global_load_sectors") is None
    reason = collected(found).missing["global_load_sectors"]
    assert "does not exist on sm_90 in Nsight Compute 2025.3.1.0" in reason


def test_another_alternative_of_a_metric_that_is_gone_is_taken(counted: Counted) -> None:
    found, _ = counted(gone=[GONE])
    assert only(found).value("pipe_tensor_ratio") == 0.0
    assert "pipe_tensor_ratio" not in collected(found).missing


def test_a_section_that_a_version_lacks_is_not_asked_for(counted: Counted) -> None:
    found, program = counted(version="2024.1.0.0", no_sections=["WorkloadDistribution"])
    collected(found)
    assert "WorkloadDistribution" not in asked(program)["--section"]


@pytest.mark.parametrize("locale", ["point", "comma"])
def test_numbers_of_other_locales_are_read_right(counted: Counted, locale: str) -> None:
    found, _ = counted(locale=locale)
    assert only(found).value("dram_read_bytes") == 8_388_608
    assert only(found).value("sm_active_cycles_avg") == pytest.approx(1_876_543.21)
    assert only(found).rules[0].speedup_percent in (84.21, None)


def test_numbers_that_cannot_be_told_apart_are_refused(counted: Counted) -> None:
    found, _ = counted(locale="mixed")
    assert "cannot be told apart" in unavailable(found).reason


def test_columns_are_found_by_name(counted: Counted) -> None:
    found, _ = counted(reorder=True)
    assert only(found).value("dram_read_bytes") == 8_388_608


def test_unreadable_rules_and_lines_cost_no_counters(counted: Counted) -> None:
    found, _ = counted(NsightOptions(tier=2), no_details=True, no_source=True)
    assert only(found).value("flop_fp32") == 2110
    assert len(collected(found).notes) == 2
    assert only(found).rules == ()
    assert only(found).hot_lines == ()


def test_a_bad_exit_code_beside_a_report_is_said(counted: Counted) -> None:
    found, _ = counted(exit=9)
    assert only(found).value("duration_ns") == 1_234_567
    assert "degraded" in collected(found).notes[0]


def test_launches_that_are_missing_are_said_and_shift_nothing(counted: Counted, compiler: Compiler) -> None:
    request = scale_request(compiler)
    plan = replace(request.plan, launches=request.plan.launches * 3)
    found, _ = counted(request=replace(request, plan=plan), keep_launches=2)
    assert "2 of 3 launches were profiled" in collected(found).notes


SYMPTOMS = [
    ("==ERROR== ERR_NVGPUCTRPERM - no permission", "ERR_NVGPUCTRPERM"),
    ("==ERROR== Profiling failed: LibraryNotLoaded", "driver"),
    ("==ERROR== Profiler cannot start: another process is using the counters", "Another profiler"),
    ("==ERROR== Profiling is not supported on device 0: unsupported GPU", "does not know this GPU"),
    ("==ERROR== Failed to find metric regex:x", "does not exist on this GPU"),
    ("==ERROR== unrecognised option '--clock-control'", "does not take the options"),
    ("==ERROR== write: No space left on device", "no room"),
    ("==ERROR== InterprocessLockFailed", "lock"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "meaning"), SYMPTOMS, ids=[meaning for _, meaning in SYMPTOMS])
def test_what_a_machine_lacks_is_explained(counted: Counted, words: str, meaning: str) -> None:
    found, _ = counted(before=words)
    assert meaning in unavailable(found).reason
    assert unavailable(found).remedy


def test_words_that_nobody_knows_are_passed_on(counted: Counted) -> None:
    found, _ = counted(before="==ERROR== the moon is full", exit=77)
    assert "exit code 77" in unavailable(found).reason
    assert "the moon is full" in unavailable(found).reason


def test_no_launch_profiled(counted: Counted) -> None:
    found, _ = counted(no_kernels=True)
    assert "No launch was profiled" in unavailable(found).reason


def test_a_profile_beyond_its_limit_is_stopped(counted: Counted) -> None:
    found, _ = counted(NsightOptions(time_limit_s=2.0), hang=True)
    assert "did not end within 2 s" in unavailable(found).reason


def test_a_truncated_report(counted: Counted) -> None:
    found, _ = counted(truncate=True)
    assert "report cannot be used" in unavailable(found).reason
    assert "Failed to load report" in unavailable(found).reason


def test_an_old_version_is_named(counted: Counted) -> None:
    found, _ = counted(version="2020.1.1")
    assert "2020.1.1; needed is 2022.2" in unavailable(found).reason


def test_a_program_that_is_not_there(device: GpuDevice, compiler: Compiler, tmp_path: Path) -> None:
    found = collect(device, scale_request(compiler), NsightOptions(program=tmp_path / "ncu"))
    assert "not found" in unavailable(found).reason
    assert "WARPWRIGHT_NCU" in unavailable(found).remedy
    assert unavailable(found).lasting


def test_no_place_for_temporary_files(counted: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    found, _ = counted()
    assert "cannot be written" in unavailable(found).reason


def test_names_that_are_like_ours_are_refused(
    device: GpuDevice, compiler: Compiler, make_ncu: MakeNcu, tmp_path: Path
) -> None:
    entry = "ww_generate"
    request = RunRequest(program(compiler, SCALE.replace("scale", entry), entry), plan(1000, entry), arguments(ONES))
    found = collect(device, request, NsightOptions(program=make_ncu()))
    assert "begin with ww_" in unavailable(found).reason


def test_a_candidate_that_faults_under_the_profiler(gpu: OpenGpu, compiler: Compiler, make_ncu: MakeNcu) -> None:
    faulty = gpu(kernels={"scale": {"fault": "illegal_address"}})
    found = collect(faulty, scale_request(compiler), NsightOptions(program=make_ncu()))
    assert "faulted while it was profiled" in unavailable(found).reason
