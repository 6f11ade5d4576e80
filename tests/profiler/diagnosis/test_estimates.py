"""What is an estimate says so: in the sentence of a finding, its evidence and its bound; a measured time is none."""

from dataclasses import replace

import pytest

from profiler.diagnosis.profiles import profile_of
from warpwright.device.protocol import TimeSource
from warpwright.profiler.counters import Quality
from warpwright.profiler.diagnosis.diagnose import diagnose_case
from warpwright.profiler.diagnosis.finding import CaseDiagnosis
from warpwright.profiler.diagnosis.situation import Situation
from warpwright.profiler.emulated import TOOL as EMULATOR
from warpwright.profiler.profile import CaseProfile, Source

STRIDED = {
    "global_excess_ratio": 0.6,
    "dram_throughput_ratio": 0.8,
    "dram_read_bytes": 900.0,
    "dram_write_bytes": 100.0,
}
SITUATION = Situation(time_us=100.0, floor_us=20.0, compulsory_bytes=1000.0)


def estimated(profile: CaseProfile, *names: str, source: Source = Source.EMULATOR) -> CaseProfile:
    """The profile with these counters as estimates and the others as exact."""
    counters = {
        name: replace(counter, source=source, quality=Quality.ESTIMATED if name in names else Quality.EXACT)
        for name, counter in profile.main.counters.items()
    }
    return replace(profile, launches=(replace(profile.main, counters=counters),))


def test_figures_of_a_cost_model_are_labelled_and_exact_counts_are_not() -> None:
    profile = estimated(profile_of(STRIDED), "dram_throughput_ratio")
    uncoalesced, dram, *_ = diagnose_case(profile, SITUATION).findings
    assert uncoalesced.text.startswith("60 % of the global sectors asked of L1")
    assert [evidence.estimated for evidence in uncoalesced.evidence] == [False, True]
    assert (uncoalesced.about, uncoalesced.about_estimated) == (2.5, False)
    assert dram.text == "DRAM moves est. 80 % of what it could, 1.0 times its compulsory bytes."
    assert [evidence.estimated for evidence in dram.evidence] == [True]
    assert dram.bound_estimated


def test_what_hardware_counted_has_no_label() -> None:
    profile = replace(profile_of(STRIDED), time_source=TimeSource.MEASURED)
    for finding in diagnose_case(profile, SITUATION).findings:
        assert "est." not in finding.text.lower()
        assert not any(evidence.estimated for evidence in finding.evidence)
        assert not finding.bound_estimated


def test_a_sentence_that_begins_with_an_estimate_begins_with_a_capital() -> None:
    profile = estimated(profile_of({"waves_per_sm": 1.5, "grid_blocks": 500, "sm_count": 132}), "waves_per_sm")
    (tail,) = diagnose_case(profile, Situation()).findings
    assert tail.text == "Est. 1.5 waves take as long as est. 2: the last is not full."


@pytest.mark.parametrize(
    ("source", "words"), [(TimeSource.ESTIMATED, "est. 100 us;"), (TimeSource.MEASURED, "100 us;")]
)
def test_a_time_is_labelled_by_its_own_source_whoever_counted(source: TimeSource, words: str) -> None:
    exact = estimated(profile_of({"grid_blocks": 4096, "sm_count": 132}), source=Source.COMPILER)
    uncertainty = 0.15 if source is TimeSource.ESTIMATED else None
    profile = replace(exact, time_source=source, uncertainty_ratio=uncertainty)
    (roof,) = diagnose_case(profile, Situation(time_us=100.0, floor_us=90.0, attainable_us=99.0)).findings
    assert f"The case takes {words}" in roof.text
    assert "alone takes 99.0 us as a rule." in roof.text
    assert roof.evidence[0].estimated is (source is TimeSource.ESTIMATED)
    assert roof.bound_estimated is (source is TimeSource.ESTIMATED)


def test_without_hardware_counters_a_measured_time_stays_measured() -> None:
    derived = estimated(profile_of({"grid_blocks": 64, "sm_count": 132}), source=Source.MODEL)
    profile = replace(derived, time_source=TimeSource.MEASURED)
    found = diagnose_case(profile, SITUATION)
    assert (profile.estimated, profile.time_estimated) == (True, False)
    assert (found.estimated, found.time_estimated) == (True, False)


def test_a_bound_set_by_the_floor_is_as_sure_as_the_time() -> None:
    counted = profile_of({"threads_per_instruction": 3.2})
    for source in TimeSource:
        found = diagnose_case(replace(counted, time_source=source), SITUATION).target
        assert found is not None
        assert found.bound == 5.0  # 100 us over 20 us; by the lanes alone it would be 10
        assert found.bound_estimated is (source is TimeSource.ESTIMATED)


def test_records_from_before_the_source_was_kept_are_read_by_their_tool() -> None:
    emulated = estimated(profile_of(STRIDED))
    assert emulated.time_estimated
    assert not profile_of(STRIDED).time_estimated
    assert not estimated(profile_of(STRIDED), source=Source.COMPILER).time_estimated
    found = diagnose_case(emulated, SITUATION)
    older: CaseDiagnosis = replace(found, tool=EMULATOR, time_source=None)
    assert older.time_estimated
    assert not replace(older, tool="compiler report and launch plan").time_estimated
