"""The words of a diagnosis: a hint is no verdict, the roof has no bounds, an estimate says so, a range is one in earnest."""

from dataclasses import replace

import pytest

from record.test_kept import CASE
from warpwright.knowledge.field_guide.card import Advice, Card
from warpwright.knowledge.field_guide.guide import cards
from warpwright.knowledge.field_guide.history import Results, by_results
from warpwright.profiler.diagnosis.finding import CaseDiagnosis, Evidence, Finding
from warpwright.profiler.diagnosis.wording import bound_words
from warpwright.report.profile.phrases import (
    class_text,
    evidence_text,
    finding_name,
    gain_text,
    head_words,
    shown_findings,
    target_text,
)

DRAM = Finding("dram_bound", 0.6, (Evidence("dram_throughput_ratio", 0.63, ">=", 0.6),), "DRAM moves 63 %.", 1.58)
HINT = Finding("l2_bound", 0.2, (Evidence("l2_throughput_ratio", 0.4, ">=", 0.3),), "L2 comes closest.", 2.5, hint=True)
ROOF = Finding("at_the_roof", 0.97, (Evidence("attainable_us / time_us", 0.97, ">=", 0.95),), "Nothing is left.", 1.03)


def case(*findings: Finding) -> CaseDiagnosis:
    return replace(CASE, findings=findings, at_roof=ROOF in findings)


def advice(card: Card, high: float | None) -> Advice:
    return Advice(card, applies=True, gain_high=high, citations=())


def heads(diagnosis: CaseDiagnosis) -> list[str]:
    return [f"{head_words(diagnosis, each)} {finding_name(each)}".strip() for each in shown_findings(diagnosis)]


def test_only_a_finding_that_is_no_hint_limits_a_case() -> None:
    assert heads(case(DRAM, HINT)) == ["limited by dram_bound", "worth a look: l2_bound"]
    assert heads(case(DRAM, replace(DRAM, bottleneck="divergence"))) == ["limited by dram_bound", "then divergence"]
    assert heads(case(HINT)) == ["no class is known to limit it; worth a look: l2_bound"]
    assert [class_text(case(*found)) for found in ((DRAM,), (HINT,), ())] == [
        "dram_bound",
        "hint: l2_bound",
        "no class",
    ]
    assert target_text(case(DRAM)) == "large: dram_bound: DRAM moves 63 %."
    assert target_text(case(HINT)) == "large: no class is known to limit it; worth a look: l2_bound: L2 comes closest."
    assert target_text(case()) == "large: no bottleneck class applies."


def test_at_the_roof_nothing_limits_and_nothing_is_bounded() -> None:
    roof = case(ROOF, DRAM, HINT)
    assert heads(roof) == ["", "also seen: dram_bound", "also seen: l2_bound"]
    assert [bound_words(roof, each) for each in roof.findings] == ["", "", ""]
    assert class_text(roof) == "at the roof"
    assert target_text(roof) == "large: at the roof: Nothing is left."


def test_a_hint_claims_no_gain() -> None:
    assert HINT.bound == 2.5
    assert [bound_words(each, HINT) for each in (case(HINT), case(DRAM, HINT))] == ["", ""]
    assert bound_words(case(DRAM, HINT), DRAM) == "curing it can bring at most 1.58 times the speed"


def test_a_computed_threshold_says_what_it_is_the_value_of() -> None:
    against = "max(l2_throughput_ratio, issue_active_ratio)"
    found = Evidence("dram_throughput_ratio", 0.41, ">=", 0.36, against=against)
    assert evidence_text(replace(DRAM, evidence=(found,))) == (
        "dram_throughput_ratio 41 % >= 36 % (largest of l2_throughput_ratio, issue_active_ratio)"
    )


def test_estimated_evidence_and_bounds_are_labelled() -> None:
    (evidence,) = DRAM.evidence
    estimate = replace(DRAM, evidence=(replace(evidence, estimated=True),), bound_estimated=True)
    assert evidence_text(DRAM) == "dram_throughput_ratio 63 % >= 60 %"
    assert evidence_text(estimate) == "dram_throughput_ratio est. 63 % >= 60 %"
    assert bound_words(case(DRAM), DRAM) == "curing it can bring at most 1.58 times the speed"
    assert bound_words(case(estimate), estimate) == "curing it can bring at most est. 1.58 times the speed"


@pytest.mark.parametrize(
    ("low", "high", "held", "words"),
    [
        (1.05, 1.4, 1.4, "1.05 to 1.4 times the speed, by experience"),
        (1.05, 1.4, 1.2, "1.05 to 1.2 times the speed, by experience"),
        (2.0, 32.0, 1.58, "at most 1.58 times the speed here"),
        (1.5, 10.0, 1.0, "hardly any gain is left for it here"),
        (1.2, 1.2, 1.2, "1.2 times the speed, by experience"),
        (None, None, None, ""),
    ],
)
def test_a_gain_is_a_range_only_where_there_is_one(
    low: float | None, high: float | None, held: float | None, words: str
) -> None:
    card = replace(next(iter(cards().values())), gain_low=low, gain_high=high)
    assert gain_text(advice(card, held)) == words


@pytest.mark.parametrize(("measured", "word"), [(True, "measured"), (False, "estimated")])
def test_gains_of_own_results_say_what_their_times_were(measured: bool, word: str) -> None:
    own = next(iter(cards().values()))
    card = by_results(own, Results({own.id: (0.9, 1.0, 1.2)}, measured))
    assert gain_text(advice(card, 1.2)) == f"0.9 to 1.2 times the speed, {word}, n = 3"


def test_a_gain_that_an_estimated_bound_cuts_is_an_estimate() -> None:
    card = replace(next(iter(cards().values())), gain_low=1.5, gain_high=10.0)
    estimate = replace(DRAM, bound_estimated=True)
    assert gain_text(advice(card, 1.58), estimate) == "1.5 to est. 1.58 times the speed, by experience"
    assert gain_text(advice(card, 10.0), estimate) == "1.5 to 10 times the speed, by experience"
    assert gain_text(advice(card, 1.2), estimate) == "at most est. 1.2 times the speed here"
    assert gain_text(advice(card, 1.2), DRAM) == "at most 1.2 times the speed here"
