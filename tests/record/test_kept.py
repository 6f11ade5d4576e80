"""What was learnt of an attempt is written once, sealed, and read back as it was."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.conftest import EVALUATIONS, candidate_of
from warpwright.errors import RecordError
from warpwright.knowledge.citation import Citation
from warpwright.knowledge.field_guide.card import Advice, Card, Guidance, Reference
from warpwright.profiler.counters import Quality
from warpwright.profiler.diagnosis.finding import (
    AttemptDiagnosis,
    CaseDiagnosis,
    CounterChange,
    Evidence,
    ExpectationCheck,
    Finding,
    Verdict,
)
from warpwright.profiler.profile import (
    Cache,
    CaseProfile,
    Counter,
    HotLine,
    LaunchCounters,
    RawMetric,
    RuleResult,
    Source,
)
from warpwright.record.attempt import Hypothesis
from warpwright.record.kept import PROFILES, read_kept, write_kept
from warpwright.record.session import Session

HOT = HotLine(2, "global_load_sectors", 4096.0, 0.8, "LDG.E")
COUNTERS = {"dram_throughput_ratio": Counter(0.91, Source.NCU, Quality.MEASURED)}
RULE = RuleResult("SOLBottleneck", "High throughput", "own words", "warning", "global", 12.5)
RAW = {"sm__cycles_elapsed.max": RawMetric(1e6, "cycle"), "device__name": RawMetric("GPU", "")}
PROFILE = CaseProfile(
    "large",
    "abc",
    "Nsight Compute 2025.3.1",
    Cache.COLD,
    (LaunchCounters(0, "twice", COUNTERS, (RULE,), (HOT,), RAW),),
    missing={"l2_hit_ratio": "not on this architecture"},
    notes=("unmodified clocks",),
    time_us=12.0,
    seconds=3.5,
)
FINDING = Finding(
    "pipe_bound:fma", 0.9, (Evidence("pipe_fma_ratio", 0.9, ">=", 0.75),), "The fp32 pipe is full.", 1.1, (HOT,)
)
CASE = CaseDiagnosis(
    "large",
    "twice",
    "emulator",
    estimated=True,
    findings=(FINDING,),
    not_evaluated={"barrier": ("stall_barrier_ratio",)},
    at_roof=False,
    time_us=12.0,
    floor_us=6.0,
    floor_binding="dram",
)
DIAGNOSIS = AttemptDiagnosis(
    (CASE,),
    "large",
    1,
    1,
    (CounterChange("instructions", 100.0, 50.0),),
    (CounterChange("instructions", 100.0, 50.0),),
    (ExpectationCheck("instructions", 0.5, 0.5, Verdict.BORNE_OUT),),
    Verdict.BORNE_OUT,
    ("one case only",),
)
CARD = Card(
    "FG-30", "Fused multiply-add", ("pipe_bound",), "", "restructure", 1.0, 1.3, "experience", "rounding", "pipe_fma_ratio",
    (Reference("bpg", "Instruction Optimization", "instruction-optimization"),),
)  # fmt: skip
CITATION = Citation("bpg#instruction-optimization", "Best Practices", "Instruction Optimization", "13.0", "https://x#y")
GUIDANCE = Guidance("pipe_bound:fma", "sm_90", "field guide", (Advice(CARD, None, 1.1, (CITATION,)),))


@pytest.fixture
def finished(session: Session) -> Session:
    session.begin(candidate_of(1), None, "builtin", 0)
    session.finish(1, EVALUATIONS[0])
    return session


def test_everything_is_read_back_as_it_was(finished: Session) -> None:
    assert (finished.profiles(1), finished.diagnosis(1), finished.guidance(1)) == (None, None, None)
    finished.write_profiles(1, (PROFILE,))
    finished.write_diagnosis(1, DIAGNOSIS)
    finished.write_guidance(1, GUIDANCE)
    reader = Session.open(finished.directory, lock=False)
    assert reader.profiles(1) == (PROFILE,)
    assert reader.diagnosis(1) == DIAGNOSIS
    assert reader.guidance(1) == GUIDANCE


@given(st.floats(allow_nan=False), st.text() | st.floats(allow_nan=False))
def test_any_number_survives(tmp_path_factory: pytest.TempPathFactory, value: float, raw: float | str) -> None:
    directory = tmp_path_factory.mktemp("kept")
    counters = {"duration_ns": Counter(value, Source.NCU, Quality.MEASURED)}
    launch = LaunchCounters(0, "twice", counters, raw={"metric": RawMetric(raw, "ns")})
    profile = CaseProfile("large", "abc", "tool", Cache.WARM, (launch,))
    write_kept(directory, PROFILES, (profile,))
    (again,) = read_kept(directory, PROFILES) or ()
    assert again.launches[0].counters == counters
    kept = again.launches[0].raw["metric"].value
    assert kept == raw or kept == str(raw)  # what JSON has no word for stays text


def test_written_once(finished: Session) -> None:
    finished.write_profiles(1, (PROFILE,))
    finished.write_profiles(1, (PROFILE,))
    with pytest.raises(RecordError, match=r"counters\.json: already written with other content"):
        finished.write_profiles(1, ())
    assert finished.profiles(1) == (PROFILE,)


def test_only_of_finished_attempts_and_with_the_lock(finished: Session) -> None:
    with pytest.raises(RecordError, match="no finished attempt 2"):
        finished.write_diagnosis(2, DIAGNOSIS)
    with pytest.raises(RecordError, match="opened for reading only"):
        Session.open(finished.directory, lock=False).write_diagnosis(1, DIAGNOSIS)


@pytest.mark.parametrize("damage", ["truncated", "edited", "foreign"])
def test_damage_is_named(finished: Session, damage: str) -> None:
    finished.write_diagnosis(1, DIAGNOSIS)
    path = finished.attempt_directory(1) / "diagnosis.json"
    text = path.read_text(encoding="utf-8")
    path.write_text({"truncated": text[:99], "edited": text.replace("0.9", "0.1"), "foreign": "{}"}[damage])
    with pytest.raises(RecordError, match=r"diagnosis\.json: damaged"):
        finished.diagnosis(1)


def test_a_write_that_a_kill_interrupted_is_as_if_it_never_was(finished: Session) -> None:
    directory: Path = finished.attempt_directory(1)
    (directory / ".diagnosis.json.part").write_text('{"sha')
    finished.close()
    with Session.open(finished.directory) as session:
        assert session.diagnosis(1) is None
        session.write_diagnosis(1, DIAGNOSIS)
    assert not list(directory.glob("*.part"))
    json.loads((directory / "diagnosis.json").read_text(encoding="utf-8"))


def test_a_hypothesis_keeps_what_it_follows_from(session: Session) -> None:
    idea = Hypothesis("vectorise", "wide loads", {"global_load_requests": 0.25}, "dram_bound", "FG-12", ("bpg#x",))
    session.begin(candidate_of(1), idea, "builtin", 0, fabricated_citations=2)
    session.finish(1, EVALUATIONS[0])
    attempt = Session.open(session.directory, lock=False).attempt(1)
    assert (attempt.hypothesis, attempt.fabricated_citations) == (idea, 2)
