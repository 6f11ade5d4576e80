"""A profile on the terminal and as JSON: what limits the kernel, why, what is unknown, and who says what to do."""

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from warpwright.device.protocol import TimeSource
from warpwright.knowledge.field_guide.guide import guidance_for
from warpwright.profiler.counters import Quality
from warpwright.profiler.derived import TOOL as DERIVED
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis, CaseDiagnosis, Evidence, Finding
from warpwright.profiler.profile import Cache, CaseProfile, Counter, HotLine, LaunchCounters, RuleResult, Source
from warpwright.report.diagnosis import diagnosis_to_json
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


def shown(*cases: ProfiledCase, width: int = 200) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    for part in profile_view(cases):
        console.print(part, crop=False)
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
    assert told["diagnosis"]["findings"][0]["bound_estimated"] is False


def test_what_curing_brings_as_a_rule_is_told_beside_the_ceiling(case: ProfiledCase) -> None:
    finding = replace(case.diagnosis.findings[0], bound=10.5, about=4.5, about_estimated=True)
    told = replace(case, diagnosis=replace(case.diagnosis, findings=(finding,)))
    assert "curing it can bring about est. 4.5 times the speed" in shown(told)
    (document,) = profile_document("stride", "NVIDIA H200", "passed", [told])["cases"]
    (found,) = document["diagnosis"]["findings"]
    assert (found["bound"], found["about"]) == (10.5, 4.5)
    attempt = diagnosis_to_json(AttemptDiagnosis((told.diagnosis,), told.diagnosis.case))
    assert attempt is not None
    assert (attempt["bound"], attempt["about"]) == (10.5, 4.5)


def test_no_gain_in_the_document_is_inverted(case: ProfiledCase) -> None:
    held = replace(case, guidance=guidance_for("uncoalesced", MEASURED, "sm_90", 1.2))
    (document,) = profile_document("stride", "NVIDIA H200", "passed", [held])["cases"]
    assert [advice["gain"] for advice in document["advice"]] == [[1.2, 1.2]] * len(document["advice"])


def test_a_hint_is_not_shown_as_what_limits_the_kernel(case: ProfiledCase) -> None:
    hint = replace(case.diagnosis.findings[0], bottleneck="dram_bound", text="DRAM comes closest, at 45 %.", hint=True)
    hinted = replace(case, diagnosis=replace(case.diagnosis, findings=(hint,)))
    text = shown(hinted)
    assert "no class is known to limit it; worth a look: dram_bound: DRAM comes closest, at 45 %." in text
    assert not any(words in text for words in ("limited by", "curing it"))
    (told,) = profile_document("stride", "NVIDIA H200", "passed", [hinted])["cases"]
    assert told["diagnosis"]["limited"] is False
    assert told["diagnosis"]["findings"][0]["hint"] is True
    assert [told["diagnosis"]["findings"][0][key] for key in ("bound", "bound_estimated")] == [None, None]


def test_at_the_roof_there_is_neither_a_limit_nor_a_bound(case: ProfiledCase) -> None:
    roof = Finding("at_the_roof", 0.97, (Evidence("attainable_us / time_us", 0.97, ">=", 0.95),), "All is done.", 1.03)
    findings = (roof, *case.diagnosis.findings)
    text = shown(ProfiledCase(case.profile, replace(case.diagnosis, findings=findings, at_roof=True), None))
    assert "at the roof: nothing is left to gain here" in text
    assert "All is done." in text
    assert "also seen: uncoalesced: Most sectors are wasted." in text
    assert not any(words in text for words in ("limited by", "then ", "curing it", "times the speed", "at_the_roof"))


def test_a_measured_time_without_hardware_counters_is_no_estimate(case: ProfiledCase) -> None:
    counters = {"dram_throughput_ratio": Counter(0.2, Source.MODEL, Quality.ESTIMATED)}
    launch = LaunchCounters(0, "stride", counters)
    profile = replace(case.profile, tool=DERIVED, launches=(launch,), reason="no ncu", time_source=TimeSource.MEASURED)
    derived = ProfiledCase(profile, replace(case.diagnosis, estimated=True, tool=DERIVED), None)
    text = shown(derived)
    assert "big  1.18 ms, 9.5 % of the floor" in text
    assert "no hardware counters: derived from the compiler's report and the launch plan" in text
    (told,) = profile_document("stride", "NVIDIA H200", "passed", [derived])["cases"]
    assert (told["time_estimated"], told["counters_estimated"]) == (False, True)


def test_addresses_are_whole_on_a_narrow_terminal(case: ProfiledCase) -> None:
    assert case.guidance is not None
    text = shown(case, width=40)
    addresses = [c.url for advice in case.guidance.advice[:3] for c in advice.citations if c.url is not None]
    assert max(map(len, addresses)) > 40
    assert all(f"    {address}\n" in text for address in addresses)


def test_cards_written_out_above_are_referred_to(case: ProfiledCase) -> None:
    assert "written out above" not in shown(case)
    assert shown(case, case).count("; written out above") == 3
