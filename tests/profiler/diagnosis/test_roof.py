"""At the roof and beyond it: what is claimed of a time, of an estimate and of a full DRAM, and what is said of the floor."""

from dataclasses import replace

import pytest

from profiler.diagnosis.profiles import profile_of
from warpwright.device.protocol import TimeSource
from warpwright.profiler.diagnosis.diagnose import diagnose_case
from warpwright.profiler.diagnosis.finding import CaseDiagnosis
from warpwright.profiler.diagnosis.situation import Situation

FULL_DRAM = {"dram_throughput_ratio": 0.95, "dram_read_bytes": 1e9, "dram_write_bytes": 0}
UNTIMED = Situation(attainable_us=93.0, compulsory_bytes=1e9, floor_us=88.0)
TIMED = Situation(floor_us=20.0, floor_binding="bytes", attainable_us=24.4, launch_us=2.6, warm_l2=False)
"""A copy: 20 us of bytes at the data sheet's rate."""


def measured(situation: Situation) -> CaseDiagnosis:
    return diagnose_case(replace(profile_of({}), time_source=TimeSource.MEASURED), situation)


def guessed(situation: Situation, uncertainty_ratio: float | None = 0.15, **counters: float) -> CaseDiagnosis:
    profile = replace(profile_of(counters), time_source=TimeSource.ESTIMATED, uncertainty_ratio=uncertainty_ratio)
    return diagnose_case(profile, situation)


def test_a_full_dram_is_a_roof_where_no_time_says_how_much_is_left() -> None:
    assert diagnose_case(profile_of(FULL_DRAM), UNTIMED).at_roof
    assert not diagnose_case(profile_of(FULL_DRAM | {"dram_throughput_ratio": 0.8}), UNTIMED).at_roof


@pytest.mark.parametrize(("time_us", "at_roof"), [(93.5, True), (97.5, True), (98.5, False), (109.0, False)])
def test_beside_a_known_time_that_alone_tells_what_is_left(time_us: float, at_roof: bool) -> None:
    found = diagnose_case(profile_of(FULL_DRAM), replace(UNTIMED, time_us=time_us))
    assert found.at_roof is at_roof
    assert any("Nothing is left" in finding.text for finding in found.findings) is at_roof


def test_a_full_dram_that_moves_a_tenth_too_much_leaves_a_tenth_to_gain() -> None:
    counters = FULL_DRAM | {"dram_throughput_ratio": 0.92}
    assert diagnose_case(profile_of(counters | {"dram_read_bytes": 1.02e9}), UNTIMED).at_roof
    assert not diagnose_case(profile_of(counters | {"dram_read_bytes": 1.1e9}), UNTIMED).at_roof
    fewer = FULL_DRAM | {"dram_throughput_ratio": 0.5, "dram_read_bytes": 0.5e9}  # last writes that stay in L2
    assert not diagnose_case(profile_of(fewer), UNTIMED).at_roof


def test_of_estimated_counters_a_full_dram_is_no_roof_by_itself() -> None:
    assert not guessed(UNTIMED, **FULL_DRAM).at_roof
    found = guessed(replace(UNTIMED, time_us=105.0), **FULL_DRAM)
    assert [finding.bottleneck for finding in found.findings] == ["dram_bound"]


def test_a_case_that_was_slower_than_its_profiled_launch_says_so() -> None:
    """The launch that the profiler saw was at its roof; the timed ones are not."""
    timed = replace(UNTIMED, time_us=150.0, launch_us=2.6)
    found = diagnose_case(profile_of(FULL_DRAM | {"duration_ns": 97_000.0}), timed)
    assert not found.at_roof
    assert found.floor_ratio == pytest.approx(0.59, abs=0.01)
    (note,) = found.notes
    assert note == (
        "the case takes 150 us, but its launch took 97.0 us under the profiler: what the counters say is true of that run "
        "(other clocks, a warmer cache, nobody else on the GPU), not of the timed ones"
    )
    as_fast = replace(UNTIMED, time_us=100.0, launch_us=2.6)
    assert diagnose_case(profile_of(FULL_DRAM | {"duration_ns": 97_000.0}), as_fast).notes == ()


def test_a_full_dram_says_how_many_times_the_compulsory_bytes_it_moves() -> None:
    (twice,) = diagnose_case(profile_of(FULL_DRAM), replace(UNTIMED, compulsory_bytes=0.5e9)).findings
    assert twice.text == "DRAM moves 95 % of what it could, 2.0 times its compulsory bytes."
    roof, once = diagnose_case(profile_of(FULL_DRAM), UNTIMED).findings
    assert roof.text == "DRAM moves 95 % of what it could, 1.0 times its compulsory bytes. Nothing is left to gain."
    assert once.text == "DRAM moves 95 % of what it could, 1.0 times its compulsory bytes."


@pytest.mark.parametrize(
    ("counters", "launches"),
    [({"dram_throughput_ratio": 0.95}, 1), (FULL_DRAM, 2)],
    ids=["bytes not counted", "one launch of several"],
)
def test_where_the_compulsory_bytes_are_unknown_that_is_said(counters: dict[str, float], launches: int) -> None:
    found = diagnose_case(replace(profile_of(counters), planned=launches), replace(UNTIMED, floor_us=None))
    (dram,) = found.findings
    assert dram.text == "DRAM moves 95 % of what it could; how many of these bytes are compulsory is unknown."
    assert dram.bound is None
    assert not found.at_roof


@pytest.mark.parametrize(
    ("situation", "reason"),
    [
        (replace(TIMED, time_us=25.0), "it leaves out the launch and takes DRAM at its data sheet's rate"),
        (replace(TIMED, time_us=25.0, warm_l2=True), "it leaves out the launch and takes L2 at its peak rate"),
        (replace(TIMED, time_us=25.0, floor_binding="flops"), "it leaves out the launch"),
        (replace(TIMED, time_us=25.0, floor_binding="launch"), "it is the launch alone, without the work"),
        (replace(TIMED, time_us=25.0, floor_binding=None), "it counts launch or work, not both"),
    ],
    ids=["DRAM", "warm L2", "operations", "launch", "unknown"],
)
def test_the_text_says_why_the_floor_is_lower_by_what_sets_it(situation: Situation, reason: str) -> None:
    (roof,) = measured(situation).findings
    assert roof.text == (
        "The case takes 25.0 us; moving its bytes or doing its operations alone takes 24.4 us as a rule, of which 2.60 us is "
        f"the launch. Nothing is left to gain. The floor of 20.0 us is lower: {reason}."
    )


@pytest.mark.parametrize("time_us", [19.9, 20.0, 20.3])
def test_of_a_floor_that_was_reached_it_is_not_said_that_it_is_lower(time_us: float) -> None:
    (roof,) = measured(replace(TIMED, time_us=time_us)).findings
    assert roof.text.endswith("Nothing is left to gain.")
    (near,) = guessed(replace(TIMED, time_us=23.0)).findings  # 13 % above, which the estimate cannot tell
    assert near.text.endswith("That is within the estimate's uncertainty of 15 %.")


def test_a_measured_time_has_no_estimates_uncertainty() -> None:
    (roof,) = measured(replace(TIMED, time_us=23.0)).findings  # faster than copies are: it only writes
    assert "estimate" not in roof.text
    assert "Nothing is left to gain." in roof.text


def test_a_measured_time_below_the_floor_is_a_note_and_bounds_nothing() -> None:
    found = measured(replace(TIMED, time_us=18.0))
    assert (found.at_roof, found.findings) == (False, ())
    (note,) = found.notes
    assert note == (
        "the case takes 18.0 us, less than its floor of 20.0 us: it needs less work than the floor counts, or the GPU is "
        "faster than its figures say; how much is left to gain is unknown"
    )
    busy = replace(profile_of({"dram_throughput_ratio": 0.7}), time_source=TimeSource.MEASURED)
    (dram,) = diagnose_case(busy, replace(TIMED, time_us=18.0)).findings
    assert dram.bound is None


def test_one_full_launch_of_several_is_no_roof_of_the_case() -> None:
    assert not diagnose_case(replace(profile_of(FULL_DRAM), planned=2), UNTIMED).at_roof


@pytest.mark.parametrize(
    ("time_us", "at_roof"), [(106.0, False), (104.0, True), (96.0, True), (88.0, True), (86.0, False), (50.0, False)]
)
def test_an_estimate_is_at_the_roof_within_its_uncertainty_on_either_side(time_us: float, at_roof: bool) -> None:
    found = guessed(Situation(time_us=time_us, attainable_us=100.0))
    assert found.at_roof is at_roof
    for roof in found.findings:
        assert roof.text.endswith("That is within the estimate's uncertainty of 15 %.")


def test_an_estimate_far_below_what_is_attainable_is_the_models_disagreement() -> None:
    found = guessed(Situation(time_us=5.0, floor_us=9.0, attainable_us=10.0))
    assert found.findings == ()
    (note,) = found.notes
    assert note == (
        "the cost model gives est. 5.00 us, and moving the bytes or doing the operations alone takes 10.0 us as a rule: they "
        "disagree by more than the estimate's uncertainty of 15 %, so how much is left to gain is unknown"
    )


@pytest.mark.parametrize("time_us", [101.0, 100.0, 99.0])
def test_an_estimate_that_can_tell_the_difference_or_is_of_unknown_uncertainty_claims_no_roof(time_us: float) -> None:
    near = Situation(time_us=time_us, attainable_us=100.0)
    assert not guessed(near, uncertainty_ratio=None).at_roof
    assert guessed(near, uncertainty_ratio=0.02).at_roof
    assert not guessed(replace(near, time_us=102.5), uncertainty_ratio=0.02).at_roof
