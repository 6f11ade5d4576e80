"""The diagnosis as a whole: the calibration kernels, and what must hold of any counters."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiler.diagnosis.profiles import profile_of
from warpwright.profiler.counters import metrics
from warpwright.profiler.diagnosis.diagnose import diagnose_case
from warpwright.profiler.diagnosis.roof import AT_THE_ROOF
from warpwright.profiler.diagnosis.situation import Situation
from warpwright.profiler.profile import HotLine

CALIBRATION: dict[str, Any] = tomllib.loads(Path(__file__).with_name("calibration.toml").read_text(encoding="utf-8"))
NOTHING = Situation()


def counters_of(row: dict[str, Any]) -> dict[str, float]:
    """With what the table leaves to the reader: the GPU."""
    return {"sm_count": 132, **row["counters"]}


@pytest.mark.parametrize("kernel", sorted(name for name, row in CALIBRATION.items() if "planted" in row))
def test_the_planted_cause_of_a_calibration_kernel_comes_first(kernel: str) -> None:
    found = diagnose_case(profile_of(counters_of(CALIBRATION[kernel])), NOTHING)
    assert found.target is not None
    assert found.target.bottleneck == CALIBRATION[kernel]["planted"]
    assert found.target.evidence


def test_fifteen_kernels_were_calibrated_and_one_has_no_cause() -> None:
    assert len(CALIBRATION) == 15
    assert [name for name, row in CALIBRATION.items() if "planted" not in row] == ["init"]


def test_evidence_holds_the_numbers_that_decided() -> None:
    found = diagnose_case(profile_of(counters_of(CALIBRATION["stride"])), NOTHING)
    assert found.target is not None
    first, second = found.target.evidence
    assert (first.counter, first.value, first.relation, first.threshold) == ("global_excess_ratio", 0.78, ">", 0.2)
    assert second.value == 0.96
    assert "78 %" in found.target.text
    assert found.target.bound is None
    assert found.target.about == pytest.approx(1 / 0.22)
    assert [finding.bottleneck for finding in found.runners_up] == ["dram_bound"]


def test_without_counters_nothing_is_true_and_what_is_missing_is_named() -> None:
    found = diagnose_case(profile_of({}), NOTHING)
    assert found.findings == ()
    assert not found.at_roof
    assert found.not_evaluated["dram_bound"] == ("dram_throughput_ratio",)
    assert found.not_evaluated["barrier"] == ("stall_barrier_ratio",)
    assert "pipe_fma_ratio" in found.not_evaluated["pipe_bound"]
    assert all(names for names in found.not_evaluated.values())


def test_a_known_counter_decides_against_a_class_whose_others_are_unknown() -> None:
    found = diagnose_case(profile_of({"sm_throughput_ratio": 0.9}), NOTHING)
    assert "latency_low_occupancy" not in found.not_evaluated
    assert "latency_low_occupancy" not in {finding.bottleneck for finding in found.findings}


def test_terms_of_the_cost_model_stand_in_for_stall_reasons() -> None:
    found = diagnose_case(profile_of({"model_barrier_wait_ratio": 0.4}), NOTHING)
    assert [finding.bottleneck for finding in found.findings] == ["barrier"]
    assert "by the cost model" in found.findings[0].text
    measured = diagnose_case(profile_of({"model_barrier_wait_ratio": 0.4, "stall_barrier_ratio": 0.0}), NOTHING)
    assert measured.findings == ()


def test_hints_come_last() -> None:
    counters = {"grid_blocks": 140, "sm_count": 132, "dram_throughput_ratio": 0.7}
    found = diagnose_case(profile_of(counters), NOTHING)
    assert [finding.bottleneck for finding in found.findings] == ["dram_bound", "grid_too_small"]


def test_a_busy_pipe_explains_issue() -> None:
    busy = {"issue_active_ratio": 0.95, "sm_throughput_ratio": 0.95}
    assert [f.bottleneck for f in diagnose_case(profile_of(busy), NOTHING).findings] == ["issue_bound"]
    with_pipe = diagnose_case(profile_of(busy | {"pipe_fma_ratio": 0.9, "pipe_alu_ratio": 0.8}), NOTHING)
    assert [f.bottleneck for f in with_pipe.findings] == ["pipe_bound:fma", "pipe_bound:alu"]


def test_at_the_roof_comes_before_everything_and_holds_every_bound() -> None:
    counters = {"dram_throughput_ratio": 0.91, "global_excess_ratio": 0.5}
    near = Situation(time_us=100.0, floor_us=92.0, attainable_us=99.0, compulsory_bytes=1e6)
    found = diagnose_case(profile_of(counters), near)
    assert found.at_roof
    assert [finding.bottleneck for finding in found.findings] == [AT_THE_ROOF, "uncoalesced", "dram_bound"]
    assert all(finding.bound is not None and finding.bound <= 100 / 92 for finding in found.findings)
    assert all(found.claimed_about(finding) is None for finding in found.findings)
    far = diagnose_case(profile_of(counters), Situation(time_us=200.0, floor_us=92.0, attainable_us=99.0))
    assert not far.at_roof
    assert far.findings[0].bound == 200 / 92
    assert far.floor_ratio == 0.46


def test_dram_busy_with_more_than_the_necessary_bytes_is_no_roof() -> None:
    counters = {"dram_throughput_ratio": 0.95, "dram_read_bytes": 3e6, "dram_write_bytes": 1e6}
    assert not diagnose_case(profile_of(counters), Situation(compulsory_bytes=2e6)).at_roof
    assert diagnose_case(profile_of(counters), Situation(compulsory_bytes=4e6)).at_roof
    bound = diagnose_case(profile_of(counters), Situation(compulsory_bytes=2e6)).findings[0].bound
    assert bound == pytest.approx(2 / 0.95)


def test_hot_lines_go_to_the_class_whose_counter_they_hold() -> None:
    lines = (HotLine(7, "shared_bank_conflicts", 900.0), HotLine(9, "global_load_sectors", 10.0))
    found = diagnose_case(profile_of(counters_of(CALIBRATION["bank"]), lines), NOTHING)
    assert found.target is not None
    assert [line.line for line in found.target.hot_lines] == [7]


COUNTERS = st.dictionaries(st.sampled_from(sorted(metrics())), st.floats(0, 2), max_size=40)


@given(COUNTERS, st.randoms(use_true_random=False))
def test_the_order_of_counters_does_not_matter(counters: dict[str, float], random: Any) -> None:
    names = list(counters)
    random.shuffle(names)
    shuffled = {name: counters[name] for name in names}
    assert diagnose_case(profile_of(counters), NOTHING) == diagnose_case(profile_of(shuffled), NOTHING)


@given(COUNTERS)
def test_findings_rest_on_known_counters_and_are_never_also_undecided(counters: dict[str, float]) -> None:
    found = diagnose_case(profile_of(counters), NOTHING)
    for finding in found.findings:
        assert 0 <= finding.score <= 1
        assert finding.bound is None or finding.bound >= 1
        assert finding.text
        assert any(name in counters for evidence in finding.evidence for name in metrics() if name in evidence.counter)
    for names in found.not_evaluated.values():
        assert not set(names) & set(counters)
    kinds = {finding.kind for finding in found.findings if finding.kind != "pipe_bound"}
    assert not kinds & set(found.not_evaluated)


@given(COUNTERS, st.sampled_from(["dram", "l2", "l1", "alu", "fma", "xu", "fp64"]), st.floats(0, 1), st.floats(0, 1))
def test_a_throughput_that_rises_never_loses_its_class(
    counters: dict[str, float], unit: str, first: float, second: float
) -> None:
    low, high = sorted((first, second))
    name = f"{unit}_throughput_ratio" if unit in ("dram", "l2", "l1") else f"pipe_{unit}_ratio"
    bottleneck = {"dram": "dram_bound", "l2": "l2_bound", "l1": "l1_lsu_bound"}.get(unit, f"pipe_bound:{unit}")
    others = {key: value for key, value in counters.items() if key != name and not key.startswith("shared_")}
    classes = [
        {finding.bottleneck for finding in diagnose_case(profile_of(others | {name: value}), NOTHING).findings}
        for value in (low, high)
    ]
    assert bottleneck not in classes[0] or bottleneck in classes[1]


@given(COUNTERS, st.sampled_from(sorted(metrics())))
def test_forgetting_a_counter_never_makes_a_class_true(counters: dict[str, float], forgotten: str) -> None:
    """Of the classes that have one way to be recognised."""
    plain = {name: value for name, value in counters.items() if not name.startswith(("model_", "spill_"))}
    known = diagnose_case(profile_of(plain), NOTHING)
    less = diagnose_case(profile_of({k: v for k, v in plain.items() if k != forgotten}), NOTHING)
    without_alternative = {"dram_bound", "divergence", "barrier", "tensor_idle", "launch_bound", "l2_bound"}
    gained = {f.bottleneck for f in less.findings} - {f.bottleneck for f in known.findings}
    assert not gained & without_alternative


def test_a_hint_is_marked_and_limits_nothing() -> None:
    found = diagnose_case(profile_of({"grid_blocks": 140, "sm_count": 132, "dram_throughput_ratio": 0.7}), NOTHING)
    assert [(finding.bottleneck, finding.hint) for finding in found.findings] == [
        ("dram_bound", False),
        ("grid_too_small", True),
    ]
    assert found.limited
    only_hint = diagnose_case(profile_of({"grid_blocks": 140, "sm_count": 132}), NOTHING)
    assert only_hint.target is not None
    assert not only_hint.limited
    assert not diagnose_case(profile_of({}), NOTHING).limited
    assert not replace(found, at_roof=True).limited


ROW_SUMS = {
    "global_load_sectors": 1_048_576,
    "global_load_bytes_per_sector": 32,
    "global_store_sectors": 8192,
    "global_store_bytes_per_sector": 4,
    "dram_throughput_ratio": 0.9,
}


def test_a_kernel_that_writes_a_value_a_warp_is_not_uncoalesced() -> None:
    """The first tier has no count of sectors in excess."""
    found = diagnose_case(profile_of(ROW_SUMS), NOTHING)
    assert [finding.bottleneck for finding in found.findings] == ["dram_bound"]


def test_without_a_count_of_the_excess_the_text_says_which_side_wastes() -> None:
    target = diagnose_case(profile_of(ROW_SUMS | {"global_store_sectors": 1_048_576}), NOTHING).target
    assert target is not None
    assert target.bottleneck == "uncoalesced"
    assert target.text == (
        "44 % of the bytes in the global sectors asked of L1 are used by no lane: loads waste 0 %, stores 44 %."
    )
    assert target.about == pytest.approx(1 / (1 - 0.4375))


def test_the_tools_own_excess_goes_alone_where_it_is_known() -> None:
    stores = ROW_SUMS | {"global_store_sectors": 1_048_576, "global_excess_ratio": 0.0}
    assert [f.bottleneck for f in diagnose_case(profile_of(stores), NOTHING).findings] == ["dram_bound"]
    strided = diagnose_case(profile_of(stores | {"global_excess_ratio": 0.44}), NOTHING).findings[0]
    assert strided.text.endswith("would need. Of the bytes asked for, loads waste 0 %, stores 44 %.")


def test_evidence_keeps_what_a_computed_threshold_is_the_value_of() -> None:
    pipes = {f"pipe_{name}_ratio": 0.0 for name in ("alu", "fma", "fp64", "xu", "tensor", "lsu")}
    units = {"dram": 0.41, "l2": 0.36, "l1": 0.1, "sm": 0.1}
    counters = (
        {f"{name}_throughput_ratio": value for name, value in units.items()} | pipes | {"issue_active_ratio": 0.1}
    )
    found = diagnose_case(profile_of(counters), NOTHING).findings[0]
    plain, computed = found.evidence
    assert (plain.threshold, plain.against) == (0.3, None)
    assert (computed.value, computed.threshold) == (0.41, 0.36)
    assert computed.against is not None
    assert computed.against.startswith("max(l2_throughput_ratio, ")
