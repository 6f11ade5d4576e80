import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.profiler.counters import metrics
from warpwright.profiler.diagnosis.classes import bottleneck_classes
from warpwright.profiler.nsight_compute.formula import Unknown, evaluate, formulas
from warpwright.profiler.nsight_compute.reading.hot_lines import line_metrics
from warpwright.profiler.nsight_compute.tiers import chip_of, tier
from warpwright.profiler.profile import RawMetric

STALL = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"
LATENCY = "smsp__average_warp_latency_per_inst_issued.ratio"
LOADED = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"


def raw(**values: tuple[float | str, str]) -> dict[str, RawMetric]:
    return {name: RawMetric(*value) for name, value in values.items()}


def test_every_formula_belongs_to_a_name_of_the_vocabulary_and_takes_something() -> None:
    for name, formula in formulas().items():
        assert name in metrics()
        assert formula.ways
        assert not (formula.any_of and formula.sum_of)


def test_everything_that_ncu_can_give_has_a_formula() -> None:
    unknown_to_ncu = {name for name in metrics() if name not in formulas()}
    assert unknown_to_ncu >= {"spill_bytes"}
    assert all(
        name == "spill_bytes" or metrics()[name].emulator or metrics()[name].worked_out for name in unknown_to_ncu
    )


@pytest.mark.parametrize(
    ("value", "unit", "ns"),
    [
        (1500.0, "ns", 1500),
        (1500.0, "nsecond", 1500),
        (1.5, "us", 1500),
        (1.5, "usecond", 1500),
        (2.0, "ms", 2e6),
        (1.0, "second", 1e9),
    ],
)
def test_times_are_brought_to_nanoseconds(value: float, unit: str, ns: float) -> None:
    assert evaluate("duration_ns", {"gpu__time_duration.sum": RawMetric(value, unit)}) == pytest.approx(ns)


@pytest.mark.parametrize(
    ("value", "unit", "size"),
    [(2048, "byte/block", 2048), (2.048, "Kbyte/block", 2048), (3.0, "Mbyte", 3e6), (7, "", 7)],
)
def test_sizes_are_brought_to_bytes(value: float, unit: str, size: float) -> None:
    raw_metric = RawMetric(value, unit)
    assert evaluate("shared_static_bytes", {"launch__shared_mem_per_block_static": raw_metric}) == pytest.approx(size)


@given(st.floats(0, 1e6), st.sampled_from(["%", ""]))
def test_percentages_become_ratios_whether_or_not_the_unit_is_printed(value: float, unit: str) -> None:
    name = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
    assert evaluate("sm_throughput_ratio", {name: RawMetric(value, unit)}) == pytest.approx(value / 100)


def test_a_share_is_a_quotient_and_nothing_over_zero_is_known() -> None:
    assert evaluate("stall_barrier_ratio", {STALL: RawMetric(5.0, ""), LATENCY: RawMetric(20.0, "")}) == 0.25
    found = evaluate("stall_barrier_ratio", {STALL: RawMetric(0.0, ""), LATENCY: RawMetric(0.0, "")})
    assert isinstance(found, Unknown)
    assert evaluate("stall_barrier_ratio", {STALL: RawMetric(5.0, "")}) == Unknown()


@pytest.mark.parametrize(
    ("sectors", "value", "expected"),
    [(10, 4.0, 4.0), (10, 0.0, 0.0), (0, 0.0, None), (None, 4.0, 4.0), (None, 0.0, None)],
)
def test_a_zero_without_accesses_is_unknown(sectors: float | None, value: float, expected: float | None) -> None:
    known = {LOADED: RawMetric(value, "")} | ({} if sectors is None else {SECTORS: RawMetric(sectors, "")})
    found = evaluate("global_load_bytes_per_sector", known)
    if expected is None:
        assert isinstance(found, Unknown)
        assert found.why
    else:
        assert found == expected


@pytest.mark.parametrize("value", [math.nan, math.inf, "n/a", ""])
def test_what_is_no_number_is_unknown(value: float | str) -> None:
    assert isinstance(evaluate("duration_ns", {"gpu__time_duration.sum": RawMetric(value, "ns")}), Unknown)


def test_the_first_alternative_wins_and_the_largest_where_units_share_a_name() -> None:
    both = {"smsp__inst_executed.sum": RawMetric(5.0, ""), "inst_executed": RawMetric(9.0, "")}
    assert evaluate("instructions", both) == 5
    wgmma = {
        "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active": RawMetric(0.0, "%"),
        "sm__inst_executed_pipe_tensor_op_gmma.avg.pct_of_peak_sustained_active": RawMetric(50.0, "%"),
    }
    assert evaluate("pipe_tensor_ratio", wgmma) == 0.5


def test_operations_count_a_fused_one_twice_and_need_all_three() -> None:
    parts = {
        f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum": RawMetric(count, "")
        for op, count in {"dadd": 1.0, "dmul": 10.0, "dfma": 100.0}.items()
    }
    assert evaluate("flop_fp64", parts) == 211
    parts.popitem()
    assert evaluate("flop_fp64", parts) == Unknown()


def test_tiers_build_on_each_other_and_name_no_set() -> None:
    first, second = tier(1), tier(2)
    assert set(first.sections) < set(second.sections)
    assert set(first.metrics) < set(second.metrics)
    assert tier(9) == second
    with pytest.raises(ValueError, match="needs no profiler"):
        tier(0)


def test_what_is_asked_for_by_name_is_used() -> None:
    used = {m for f in formulas().values() for m in (*f.any_of, *f.over, *f.sum_of, *f.guard)}
    assert set(tier(2).metrics) <= used


def test_lines_that_a_class_shows_can_be_found() -> None:
    assert {line for each in bottleneck_classes().values() for line in each.lines} <= set(line_metrics())


def test_chips_are_known_for_the_gpus_that_are_described() -> None:
    assert [chip_of(arch) for arch in ("sm_80", "sm_86", "sm_89", "sm_90")] == ["ga100", "ga102", "ad102", "gh100"]
    assert chip_of("sm_999") is None


def test_hot_lines_are_of_counters_that_exist() -> None:
    assert set(line_metrics()) <= set(metrics())
