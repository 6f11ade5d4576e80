"""A bound is a ceiling: it is given only where the sign tells it, and what curing brings as a rule is called about so much."""

import json
from pathlib import Path
from typing import Any

import pytest

from profiler.diagnosis.profiles import profile_of
from warpwright.profiler.diagnosis.classes import bottleneck_classes
from warpwright.profiler.diagnosis.diagnose import diagnose_case
from warpwright.profiler.diagnosis.situation import Situation
from warpwright.profiler.diagnosis.wording import bound_words

RESULTS = Path(__file__).resolve().parents[3] / "benchmarks" / "diagnosis" / "results"
WIDE = Situation(time_us=36.0, floor_us=2.6)
"""A time far above its floor."""


@pytest.mark.parametrize(
    "counters",
    [
        {"pipe_xu_ratio": 0.92},  # 3.2 times the speed with half of the operations
        {"pipe_fp64_ratio": 0.93},  # 1.8 times in fp32
        {"issue_active_ratio": 0.95, "sm_throughput_ratio": 0.95},
        {"grid_blocks": 32, "sm_count": 132},  # further blocks bring warps, too
    ],
)
def test_a_unit_that_could_be_given_less_to_do_and_a_small_grid_bound_nothing_but_the_floor_does(
    counters: dict[str, float],
) -> None:
    (finding,) = diagnose_case(profile_of(counters), Situation()).findings
    assert finding.bound is None
    (held,) = diagnose_case(profile_of(counters), WIDE).findings
    assert held.bound == 36.0 / 2.6


@pytest.mark.parametrize("counter", ["global_excess_ratio", "global_wasted_ratio"])
def test_excess_sectors_say_about_what_curing_them_brings_and_are_no_ceiling(counter: str) -> None:
    found = diagnose_case(profile_of({counter: 0.6, "l2_throughput_ratio": 0.8, "dram_throughput_ratio": 0.2}), WIDE)
    target = found.findings[0]
    assert (target.bottleneck, target.bound, target.about) == ("uncoalesced", 36.0 / 2.6, 2.5)
    assert found.claimed_bound(target) == target.bound
    assert bound_words(found, target) == "curing it can bring about 2.5 times the speed"


def test_where_the_floor_allows_less_only_the_ceiling_is_claimed() -> None:
    near = Situation(time_us=30.0, floor_us=20.0)
    found = diagnose_case(profile_of({"global_excess_ratio": 0.6, "l2_throughput_ratio": 0.8}), near)
    target = found.findings[0]
    assert found.claimed_about(target) is None
    assert bound_words(found, target) == "curing it can bring at most 1.5 times the speed"


def test_no_class_of_which_our_own_measurement_gained_more_has_a_bound_of_its_own() -> None:
    """The transpose on an H200: 60 % of the sectors in excess before, 3.34 times as fast after."""
    rows: dict[str, Any] = json.loads((RESULTS / "real_h200.json").read_text(encoding="utf-8"))["rows"]
    checked = 0
    for row in rows.values():
        target = row["before"]["findings"][0]
        for test in bottleneck_classes()[target["bottleneck"]].tests:
            own = None if test.bound is None else test.bound.value(row["before"]["counters"])
            assert own is None or own >= row["speedup"]
            checked += 1
        assert target["bound"] is None or target["bound"] >= row["speedup"]
    assert checked >= len(rows) == 5


@pytest.mark.parametrize(("blocks", "rank"), [(98, "cause"), (99, "hint"), (131, "hint"), (263, "hint"), (264, None)])
def test_a_grid_that_nearly_fills_the_gpu_is_a_hint(blocks: int, rank: str | None) -> None:
    starved = {"sm_throughput_ratio": 0.06, "memory_throughput_ratio": 0.01, "occupancy_achieved_ratio": 0.02}
    found = diagnose_case(profile_of({"grid_blocks": blocks, "sm_count": 132} | starved), Situation()).findings
    small = [finding for finding in found if finding.bottleneck == "grid_too_small"]
    assert [finding.hint for finding in small] == ([] if rank is None else [rank == "hint"])
    assert found[0].bottleneck == ("grid_too_small" if rank == "cause" else "latency_low_occupancy")
