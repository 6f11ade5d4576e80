"""A profile on the terminal and as JSON: what limits the kernel, why, what is unknown, and who says what to do."""

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from warpwright.knowledge.field_guide.guide import guidance_for
from warpwright.profiler.counters import Quality
from warpwright.profiler.diagnosis.finding import CaseDiagnosis, Evidence, Finding
from warpwright.profiler.profile import Cache, CaseProfile, Counter, HotLine, LaunchCounters, RuleResult, Source
from warpwright.report.profile.document import profile_document
from warpwright.report.profile.view import ProfiledCase, profile_view

MEASURED = {"dram_throughput_ratio": 0.81, "sm_throughput_ratio": 0.07, "global_excess_ratio": 0.78}


def counted(values: dict[str, float]) -> CaseProfile:
    counters = {name: Counter(value, Source.NCU, Quality.MEASURED) for name, value in values.items()}
    rules = (
        RuleResult("A", "the whole launch", "long text", "optimization", "global", 84.0),
        RuleResult("B", "one section only", "long text", "optimization", "local", 99.0),
    )
    launch = LaunchCounters(0, "stride", counters, rules)
    return CaseProfile("big", "identity", "Nsight Compute 2025.3.1", Cache.COLD, (launch,), time_us=1176.0)


def diagnosed(profile: CaseProfile) -> CaseDiagnosis:
    line = HotLine(7, "global_excess_ratio", 3670016.0, 0.9, "LDG.E")
    evidence = (
        Evidence("global_excess_ratio", 0.78, ">", 0.2),
        Evidence("max(dram_throughput_ratio, l2_throughput_ratio)", 0.81, ">", 0.4),
    )
    finding = Finding("uncoalesced", 0.78, evidence, "Most sectors are wasted.", 4.5, (line,))
    return CaseDiagnosis(
        case="big",
        entry="stride",
        tool=profile.tool,
        estimated=profile.estimated,
        findings=(finding,),
        not_evaluated={"barrier": ("stall_barrier_ratio",)},
        at_roof=False,
        time_us=1176.0,
        floor_us=112.0,
        floor_binding="bytes",
    )


@pytest.fixture
def case() -> ProfiledCase:
    profile = counted(MEASURED)
    return ProfiledCase(profile, diagnosed(profile), guidance_for("uncoalesced", MEASURED, "sm_90", 4.5))


def shown(*cases: ProfiledCase) -> str:
    console = Console(file=io.StringIO(), width=200, color_system=None)
    for part in profile_view(cases):
        console.print(part)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def test_says_what_limits_the_kernel_why_and_how_far_it_is_from_the_floor(case: ProfiledCase) -> None:
    text = shown(case)
    assert "1.18 ms, 9.5 % of the floor (112 us set by bytes)" in text
    assert "limited by uncoalesced: Most sectors are wasted." in text
    assert "global_excess_ratio 78 % > 20 %" in text
    assert "largest of dram_throughput_ratio, l2_throughput_ratio 81 % > 40 %" in text
    assert "line 7 (LDG.E) has 90 % of global_excess_ratio" in text
    assert "81 % of peak" in text
    assert "est." not in text  # hardware counted, and the time is measured


def test_the_unknown_is_named_and_is_no_number(case: ProfiledCase) -> None:
    text = shown(case)
    (line,) = [line for line in text.splitlines() if line.startswith("  unknown")]
    assert "L2" in line
    assert "not evaluated: barrier (unknown: stall_barrier_ratio)" in text
    assert "0.0 %" not in text


def test_advice_has_its_source_and_is_written_out_once(case: ProfiledCase) -> None:
    once, twice = shown(case), shown(case, case)
    assert case.guidance is not None
    card = case.guidance.advice[0].card
    assert "docs.nvidia.com" in once
    assert once.count(card.change[:40]) == 1
    assert twice.count(card.change[:40]) == 1
    assert twice.count(f"{card.id} {card.name}") > once.count(f"{card.id} {card.name}")


def test_of_rules_only_estimates_of_the_whole_launch_are_shown(case: ProfiledCase) -> None:
    text = shown(case)
    assert "Nsight Compute says: the whole launch (its estimate: 84 %)" in text
    assert "one section only" not in text


def test_without_counters_it_says_why(case: ProfiledCase) -> None:
    profile = replace(case.profile, reason="this user may not read counters: ask the administrator")
    nothing = replace(case.diagnosis, findings=())
    text = shown(ProfiledCase(profile, nothing, None))
    assert "this user may not read counters" in text
    assert "no bottleneck class applies" in text


def test_the_document_is_json_and_complete(case: ProfiledCase) -> None:
    document = json.loads(json.dumps(profile_document("stride", "NVIDIA H200", "passed", [case]), allow_nan=False))
    (told,) = document["cases"]
    assert told["launches"][0]["counters"]["dram_throughput_ratio"] == {
        "value": 0.81, "unit": "ratio", "source": "ncu", "quality": "measured",
    }  # fmt: skip
    assert told["diagnosis"]["target"] == "uncoalesced"
    assert told["diagnosis"]["not_evaluated"] == {"barrier": ["stall_barrier_ratio"]}
    assert told["advice"][0]["citations"]
    assert (told["time_estimated"], told["counters_estimated"]) == (False, False)
    assert told["diagnosis"]["limited"] is True
    assert told["diagnosis"]["findings"][0]["hint"] is False
