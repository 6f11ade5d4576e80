"""What limits each attempt, in the HTML report: above all the best; with its evidence, its advice, and what is unknown."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from report.conftest import CHECKS, DRAM_BOUND, FAST, PERF, SLOW, case_diagnosis, profile_of
from report.test_html import Page
from warpwright.device.protocol import TimeSource
from warpwright.evaluation.outcome import Outcome
from warpwright.knowledge.citation import Citation
from warpwright.knowledge.field_guide.guide import guidance_for
from warpwright.profiler.derived import TOOL as DERIVED
from warpwright.profiler.diagnosis.finding import (
    AttemptDiagnosis,
    CounterChange,
    Evidence,
    ExpectationCheck,
    Finding,
    Verdict,
)
from warpwright.profiler.profile import RuleResult
from warpwright.record.attempt import Hypothesis
from warpwright.record.session import Session
from warpwright.report.html import render_report
from warpwright.report.limits import link_of


def text_of(session: Session) -> str:
    page = Page(render_report(session))
    assert page.open == []
    return page.text


def attempt_of(session: Session, number: int) -> str:
    """The words of one attempt."""
    page = render_report(session)
    begin = page.index(f'<details id="attempt-{number}"')
    end = re.search(r'<details id="attempt-|</section>', page[begin + 9 :])
    assert end is not None
    return Page(page[begin : begin + 9 + end.start()]).text


def diagnose_best(session: Session, diagnosis: AttemptDiagnosis, *, reason: str | None = None) -> Session:
    session.write_profiles(11, (profile_of("rows2048", FAST, 40.0, reason),))
    session.write_diagnosis(11, diagnosis)
    return session


def test_what_limits_the_best_kernel_stands_beside_its_time(diagnosed: Session) -> None:
    text = text_of(diagnosed)
    told = text.index("What limits the best kernel now: dram_bound on case rows2048. DRAM is busy.")
    assert text.index("best kernel (attempt 11)") < told < text.index("Every case, best kernel")
    section = text.index("What limits the best kernel now Attempt 11")
    assert section < text.index("The search 12 attempts")
    assert "evidence: dram_throughput_ratio 71 % >= 60 %; curing it can bring at most 1.3 times the speed" in text
    assert "The other case: rows512 (dram_bound)" in text


def test_bars_say_what_is_estimated_what_idles_and_what_nobody_counted(diagnosed: Session) -> None:
    page = render_report(diagnosed)
    text = attempt_of(diagnosed, 1)
    assert '<span class="bar striped"><i style="width:18.0%"></i></span></td><td class="num">est. 18 %' in page
    assert '<span class="bar"><i style="width:50.0%"></i></span></td><td class="num">50 %' in page
    assert "Unknown, not counted: SM, issue slots, L2, L1 / LSU, FMA pipe" in text
    assert "Idle" not in text  # what nobody counted is not idle
    assert "Idle: XU pipe." in text_of(diagnosed)
    assert "width:0.0%" not in page
    assert "0.0 %" not in text


def test_an_attempt_says_what_limits_it_and_why_there_are_no_counters(diagnosed: Session) -> None:
    text = attempt_of(diagnosed, 1)
    assert "rows2048: uncoalesced: 78 % of the sectors are wasted." in text  # in its summary
    assert "Limited by uncoalesced . 78 % of the sectors are wasted." in text
    assert "line 7 (LDG.E) has 90 % of global_excess_ratio" in text
    assert "Then l2_bound" in text
    assert "Why there are no hardware counters: the emulator ran the case, so hardware counted nothing" in text
    assert "Not evaluated, neither true nor false: barrier (unknown: stall_barrier_ratio)." in text
    assert "Kernel softmax , cold cache; counted and estimated by the emulator." in text


def test_a_hypothesis_is_held_against_the_counters_of_its_case(diagnosed: Session) -> None:
    text = attempt_of(diagnosed, 4)
    assert "(case rows2048, against attempt 1): borne out" in text
    assert "global_excess_ratio 78 % 2 % 0.10x 0.03x borne out" in text
    assert "l1_hit_ratio unknown unknown 2.00x - unknown" in text
    assert "Counters that changed most against attempt 1, case rows2048" in text
    assert "mean over the timed cases" not in text  # of one hypothesis there is one table
    assert "mean over the timed cases" in attempt_of(diagnosed, 7)  # not profiled: the timed cases tell


def test_advice_links_to_its_sources_and_is_written_out(diagnosed: Session) -> None:
    page = render_report(diagnosed)
    assert (
        '<a href="https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#coalesced-access-to-global-memory" '
        'rel="noreferrer">CUDA C++ Best Practices Guide &gt; Coalesced Access to Global Memory</a> '
        "<code>bpg#coalesced-access-to-global-memory</code>"
    ) in page
    guidance, best = diagnosed.guidance(1), diagnosed.guidance(11)
    assert guidance is not None
    assert best is not None
    beside_best = [advice.card.id for advice in best.advice]
    for advice in guidance.advice:
        assert f'<a href="#card-{advice.card.id}">' in page
        assert page.count(f'<h3 id="card-{advice.card.id}">') == 1
        assert page.count(advice.card.change[:60]) == 1 + (advice.card.id in beside_best)
    assert "No document was indexed where the session ran" in Page(page).text


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", None])
def test_only_web_addresses_become_links(url: str | None) -> None:
    link = link_of(Citation("mine#a", "Notes", "A", url=url, path="/srv/notes.pdf p.3"))
    assert link.href is None
    assert link.place == "/srv/notes.pdf p.3"


def test_cited_sections_are_named_and_dropped_citations_counted(
    begin: Callable[[], Session], fill: Callable[..., None]
) -> None:
    session = begin()
    fill(session, (("", Outcome.PASSED, None, 431.0, "passed"),))
    session.write_diagnosis(1, AttemptDiagnosis((), None))
    session.write_guidance(1, guidance_for("uncoalesced", {"global_excess_ratio": 0.8}, "sm_90"))
    hypothesis = Hypothesis("tile", "turn tiles", {}, "uncoalesced", "FG-11", ("bpg#strided-accesses", "x#unseen"))
    session.begin(replace(session.workload.initial, source="// 2"), hypothesis, "model", 1, 2)
    session.finish(2, replace(session.attempt(1).evaluation, outcome=Outcome.TIE))
    text = attempt_of(session, 2)
    assert "It treats uncoalesced by card FG-11" in text
    assert "CUDA C++ Best Practices Guide > Strided Accesses bpg#strided-accesses" in text
    assert "x#unseen" in text
    assert "2 of its citations were dropped" in text


def test_what_was_not_profiled_is_unknown(session: Session) -> None:
    text = text_of(session)
    assert "What limits the best kernel now: unknown, its counters were not taken." in text
    assert "Its counters were not taken, so what limits it is unknown." in attempt_of(session, 11)
    assert "counters were not taken" not in attempt_of(session, 3)  # it did not compile
    assert "Advice in full" not in text


def test_nothing_left_to_gain_is_said_so(session: Session) -> None:
    case = replace(case_diagnosis(profile_of("rows2048", FAST, 4.4), DRAM_BOUND), at_roof=True)
    text = text_of(diagnose_best(session, AttemptDiagnosis((case,), "rows2048")))
    assert (
        "What limits the best kernel now: nothing is left to gain by the estimates: every case is at its roof." in text
    )
    assert "At the roof, by the estimates: nothing is left to gain here." in text


def test_no_class_and_no_case_are_said_so(session: Session) -> None:
    case = case_diagnosis(profile_of("rows2048", FAST, 40.0))
    text = text_of(diagnose_best(session, AttemptDiagnosis((case,), "rows2048")))
    assert "no bottleneck class applies to the known counters of case rows2048" in text
    session.write_diagnosis(4, AttemptDiagnosis((), None))
    assert "No case was profiled." in attempt_of(session, 4)


def test_a_diagnosis_without_its_profile_is_shown_without_bars(session: Session) -> None:
    case = case_diagnosis(profile_of("rows2048", FAST, 40.0), DRAM_BOUND)
    session.write_diagnosis(4, AttemptDiagnosis((case,), "rows2048", parent=1, checks=CHECKS, compared_case="rows2048"))
    text = attempt_of(session, 4)
    assert "DRAM is busy." in text
    assert "Each unit, of its peak" not in text
    assert "global_excess_ratio unknown unknown 0.10x 0.03x borne out" in text


def test_measured_counters_are_not_called_estimated(session: Session) -> None:
    rules = (
        RuleResult("A", "the whole launch", "long text", "optimization", "global", 84.0),
        RuleResult("B", "one section only", "long text", "optimization", "local", 99.0),
    )
    profile = profile_of("rows2048", FAST, 40.0)
    profile = replace(
        profile, tool="Nsight Compute 2025.3.1", launches=(replace(profile.main, rules=rules), profile.main)
    )
    session.write_profiles(4, (profile,))
    case = replace(case_diagnosis(profile, DRAM_BOUND), estimated=False, tool=profile.tool)
    session.write_diagnosis(4, AttemptDiagnosis((case,), "rows2048"))
    text = attempt_of(session, 4)
    assert "the longest of 2 launches, cold cache; Nsight Compute 2025.3.1." in text
    assert "Why there are no hardware counters" not in text
    assert "Nsight Compute says: the whole launch (its estimate: 84 %)" in text
    assert "one section only" not in text


def test_every_profiled_case_of_an_attempt_is_there(diagnosed: Session) -> None:
    text = attempt_of(diagnosed, 1)
    assert all(f"Case {name}." in text for name in PERF)


def test_a_hint_is_no_verdict(session: Session) -> None:
    hint = replace(DRAM_BOUND, text="DRAM comes closest.", hint=True)
    profiles = [profile_of(name, FAST, 40.0) for name in ("rows2048", "rows512")]
    cases = tuple(case_diagnosis(profile, hint) for profile in profiles)
    text = text_of(diagnose_best(session, AttemptDiagnosis(cases, "rows2048")))
    assert "now: no class is known to limit it; worth a look: dram_bound on case rows2048. DRAM comes closest." in text
    assert "No class is known to limit it; worth a look: dram_bound . DRAM comes closest." in text
    assert "The other case: rows512 (hint: dram_bound)" in text
    assert not any(words in text for words in ("Limited by", "curing it"))


def test_the_roof_has_neither_a_limit_nor_a_bound(session: Session) -> None:
    evidence = (Evidence("attainable_us / time_us", 0.97, ">=", 0.95, estimated=True),)
    roof = Finding("at_the_roof", 0.97, evidence, "The case takes est. 4.40 us.", 1.03)
    case = replace(case_diagnosis(profile_of("rows2048", FAST, 4.4), roof, DRAM_BOUND), at_roof=True)
    text = text_of(diagnose_best(session, AttemptDiagnosis((case,), "rows2048")))
    assert "At the roof, by the estimates: nothing is left to gain here." in text
    assert "The case takes est. 4.40 us. evidence: attainable_us / time_us est. 0.97 >= 0.95" in text
    assert "Also seen: dram_bound . DRAM is busy." in text
    assert not any(words in text for words in ("Limited by", "Then", "curing it", "at_the_roof"))


def test_without_hardware_counters_a_measured_time_is_not_called_estimated(session: Session) -> None:
    profile = replace(profile_of("rows2048", FAST, 40.0, "no ncu"), tool=DERIVED, time_source=TimeSource.MEASURED)
    session.write_profiles(4, (profile,))
    session.write_diagnosis(4, AttemptDiagnosis((case_diagnosis(profile, DRAM_BOUND),), "rows2048"))
    text = attempt_of(session, 4)
    assert "no hardware counters: derived from the compiler's report and the launch plan." in text
    assert "not measured" not in text


def test_counters_that_a_cost_model_estimates_are_labelled_beside_the_hypothesis(session: Session) -> None:
    check = ExpectationCheck("dram_throughput_ratio", 2.0, 3.9, Verdict.BORNE_OUT)
    change = CounterChange("dram_throughput_ratio", 0.18, 0.71)
    for number, counters in ((1, SLOW), (4, FAST)):
        profile = profile_of("rows2048", counters, 40.0)
        session.write_profiles(number, (profile,))
        found = AttemptDiagnosis((case_diagnosis(profile, DRAM_BOUND),), "rows2048", compared_case="rows2048")
        if number == 4:
            found = replace(found, parent=1, checks=(check, *CHECKS), against_parent=(change,))
        session.write_diagnosis(number, found)
    text = attempt_of(session, 4)
    assert "dram_throughput_ratio est. 18 % est. 71 % 2.00x 3.90x borne out" in text
    assert "dram_throughput_ratio est. 18 % est. 71 % 3.94x" in text
    assert "global_excess_ratio 78 % 2 % 0.10x 0.03x borne out" in text  # counted


def test_means_over_the_timed_cases_are_labelled_too(begin: Callable[[], Session], fill: Callable[..., None]) -> None:
    session = begin()
    fill(session, (("", Outcome.PASSED, None, 431.0, "passed"),))
    evaluation = session.attempt(1).evaluation
    cases = tuple(
        case if case.timing is None else replace(case, timing=replace(case.timing, counters=FAST))
        for case in evaluation.cases
    )
    hypothesis = Hypothesis("tile", "turn tiles", {"dram_throughput_ratio": 2.0, "global_excess_ratio": 0.1})
    session.begin(replace(session.workload.initial, source="// 2"), hypothesis, "model", 1)
    session.finish(2, replace(evaluation, outcome=Outcome.TIE, cases=cases))
    text = attempt_of(session, 2)
    assert "dram_throughput_ratio unknown est. 71 % 2.00x" in text
    assert "global_excess_ratio unknown 2 % 0.10x" in text
