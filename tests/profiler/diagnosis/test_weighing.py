"""A cause is held against what else is known: stalls that speak against it, a memory that is full, a last wave."""

import pytest

from profiler.diagnosis.profiles import profile_of
from warpwright.profiler.diagnosis.diagnose import diagnose_case
from warpwright.profiler.diagnosis.finding import Finding
from warpwright.profiler.diagnosis.situation import Situation

COMPULSORY = Situation(compulsory_bytes=1000.0)


def found(counters: dict[str, float], situation: Situation = COMPULSORY) -> dict[str, Finding]:
    return {finding.bottleneck: finding for finding in diagnose_case(profile_of(counters), situation).findings}


def target(counters: dict[str, float], situation: Situation = COMPULSORY) -> str:
    return next(iter(found(counters, situation)))


HISTOGRAM = {  # of the tuned histogram on an H200
    "shared_conflict_ratio": 0.25,
    "l1_throughput_ratio": 0.79,
    "l2_throughput_ratio": 0.73,
    "dram_throughput_ratio": 0.73,
    "stall_mio_throttle_ratio": 0.028,
    "stall_short_scoreboard_ratio": 0.039,
    "stall_long_scoreboard_ratio": 0.67,
}


def test_bank_conflicts_for_which_nobody_waits_are_a_hint_behind_a_busy_memory() -> None:
    assert target(HISTOGRAM) == "dram_bound"
    hint = found(HISTOGRAM)["bank_conflicts"]
    assert hint.hint
    assert hint.text == (
        "25 % of the shared-memory wavefronts come from bank conflicts; warps wait for shared memory 7 % of their time."
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"stall_mio_throttle_ratio": 0.3},
        {"l1_throughput_ratio": 0.95, "dram_throughput_ratio": 0.3, "l2_throughput_ratio": 0.3},
    ],
)
def test_bank_conflicts_are_a_cause_where_warps_wait_or_l1_alone_is_full(changed: dict[str, float]) -> None:
    assert target(HISTOGRAM | changed) == "bank_conflicts"
    assert not found(HISTOGRAM | changed)["bank_conflicts"].hint


def test_without_stalls_the_use_of_l1_decides() -> None:
    unknown = {name: value for name, value in HISTOGRAM.items() if not name.startswith("stall_")}
    assert target(unknown) == "bank_conflicts"
    assert found(unknown | {"l1_throughput_ratio": 0.4})["bank_conflicts"].hint


TRANSPOSE = {  # of the tuned transpose on an H200
    "stall_barrier_ratio": 0.24,
    "stall_long_scoreboard_ratio": 0.57,
    "l2_throughput_ratio": 0.83,
    "dram_throughput_ratio": 0.73,
}


def test_a_barrier_that_waits_for_a_busy_memory_is_a_hint() -> None:
    assert target(TRANSPOSE) == "dram_bound"
    hint = found(TRANSPOSE)["barrier"]
    assert hint.hint
    assert "24 % of their time at barriers, but 57 % waiting for memory" in hint.text


@pytest.mark.parametrize(
    "changed",
    [
        {"stall_long_scoreboard_ratio": 0.1},
        {"l2_throughput_ratio": 0.5, "dram_throughput_ratio": 0.5},
    ],
)
def test_a_barrier_is_a_cause_where_memory_is_idle_or_warps_wait_less_for_it(changed: dict[str, float]) -> None:
    assert target(TRANSPOSE | changed) == "barrier"
    assert not found(TRANSPOSE | changed)["barrier"].hint


def test_what_is_unknown_speaks_against_no_barrier() -> None:
    unknown = {name: value for name, value in TRANSPOSE.items() if name != "stall_long_scoreboard_ratio"}
    assert target(unknown) == "barrier"
    assert not found(unknown)["barrier"].hint


STRIDED = {  # a thread for eight neighbours: L1 serves seven of eight, DRAM moves what it must
    "global_excess_ratio": 0.86,
    "l1_hit_ratio": 0.875,
    "l1_throughput_ratio": 0.84,
    "l2_throughput_ratio": 0.69,
    "dram_throughput_ratio": 0.79,
    "dram_read_bytes": 900.0,
    "dram_write_bytes": 100.0,
    "model_dram_ratio": 0.86,
    "model_lsu_ratio": 0.84,
    "waves_per_sm": 8.0,
}


def test_excess_that_l1_serves_is_a_hint_where_dram_is_busy_with_what_must_move() -> None:
    assert target(STRIDED) == "dram_bound"
    hint = found(STRIDED)["uncoalesced"]
    assert hint.hint
    assert hint.text == (
        "86 % of what is asked of L1 is used by no lane, but 88 % hits L1, and DRAM moves 1.0 times its compulsory bytes."
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"dram_read_bytes": 4000.0},
        {"l1_hit_ratio": 0.3},
        {"dram_throughput_ratio": 0.5},
        {"model_lsu_ratio": 0.9},
        {"stall_lg_throttle_ratio": 0.26, "stall_mio_throttle_ratio": 0.11, "model_dram_ratio": 0.0},
    ],
)
def test_excess_is_a_cause_where_it_moves_bytes_or_l1_is_waited_for(changed: dict[str, float]) -> None:
    assert target(STRIDED | changed) == "uncoalesced"
    assert not found(STRIDED | changed)["uncoalesced"].hint


def test_excess_is_a_cause_where_it_is_unknown_what_must_move() -> None:
    assert target(STRIDED, Situation()) == "uncoalesced"


def test_stalls_of_hardware_speak_against_excess_as_the_cost_model_does() -> None:
    measured = {name: value for name, value in STRIDED.items() if not name.startswith("model_")}
    assert target(measured) == "uncoalesced"
    assert target(measured | {"stall_lg_throttle_ratio": 0.05, "stall_mio_throttle_ratio": 0.02}) == "dram_bound"


WAVES = {"grid_blocks": 133, "sm_count": 132, "sm_elapsed_cycles": 100, "waves_per_sm": 133 / 132}


@pytest.mark.parametrize(
    ("active", "waves", "words"),
    [
        (50, 133 / 132, "1.008 waves take as long as 2"),
        (46, 133 / 132, "1.008 waves take as long as 2"),
        (44, 133 / 132, "a few blocks run much longer"),
        (7, 133 / 132, "a few blocks run much longer"),
        (50, 1.0, "a few blocks run much longer"),
        (50, 8.1, "a few blocks run much longer"),
    ],
)
def test_a_last_wave_that_explains_the_idle_time_is_not_called_uneven_blocks(
    active: float, waves: float, words: str
) -> None:
    finding = found(WAVES | {"sm_active_cycles_avg": active, "waves_per_sm": waves})["imbalance_tail"]
    assert not finding.hint
    assert words in finding.text
    assert finding.bound == pytest.approx(100 / active)


def test_uneven_blocks_are_told_without_a_count_of_waves() -> None:
    counters = {name: value for name, value in WAVES.items() if name != "waves_per_sm"}
    assert "a few blocks" in found(counters | {"sm_active_cycles_avg": 7})["imbalance_tail"].text


def test_hints_come_by_how_clear_they_are() -> None:
    """A fill of many small blocks: DRAM comes closest at 32 %, and starting blocks takes 90 %."""
    units = {f"{name}_throughput_ratio": 0.1 for name in ("l1", "l2", "sm")} | {"issue_active_ratio": 0.1}
    pipes = {f"pipe_{name}_ratio": 0.05 for name in ("alu", "fma", "fp64", "xu", "tensor", "lsu")}
    model = {"model_blocks_ratio": 0.9, "model_issue_ratio": 0.1, "model_latency_ratio": 0.2, "grid_blocks": 131072}
    hints = found(units | pipes | model | {"dram_throughput_ratio": 0.32, "sm_count": 132})
    assert list(hints) == ["block_starts", "dram_bound"]
    weak = found(units | pipes | {"dram_throughput_ratio": 0.32, "grid_blocks": 140, "sm_count": 132})
    assert list(weak) == ["dram_bound", "grid_too_small"]
