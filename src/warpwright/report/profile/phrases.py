"""How findings, source lines, rules and gains are worded, on the terminal and in HTML alike."""

import re
from collections.abc import Iterable, Sequence

from warpwright.knowledge.field_guide.card import Advice
from warpwright.knowledge.field_guide.reader import EXPERIENCE
from warpwright.profiler.counters import format_counter, metrics
from warpwright.profiler.diagnosis.finding import CaseDiagnosis, Evidence, Finding
from warpwright.profiler.diagnosis.roof import AT_THE_ROOF
from warpwright.profiler.diagnosis.wording import hint_words
from warpwright.profiler.profile import CaseProfile, HotLine, RuleResult
from warpwright.report.words import percent_text
from warpwright.units import labelled

_SHOWN_RULES = 3
_LARGEST = re.compile(r"^max\((.*)\)$")
_NAMES = re.compile(r"[a-z]\w+")
_NO_GAIN = 1.005


def head_words(diagnosis: CaseDiagnosis, finding: Finding) -> str:
    """What stands before a finding of the case: `limited by`, `then`. A hint limits nothing, and at the roof nothing does.

    Empty for the roof itself: it is said above the findings.
    """
    if finding.kind == AT_THE_ROOF:
        return ""
    if diagnosis.at_roof:
        return "also seen:"
    if finding.hint:
        return f"{hint_words(diagnosis, finding)}:"
    return "limited by" if finding is diagnosis.target else "then"


def shown_findings(diagnosis: CaseDiagnosis) -> Sequence[Finding]:
    """The target and at most two more."""
    return diagnosis.findings[:1] + diagnosis.runners_up


def roof_words(diagnosis: CaseDiagnosis) -> str:
    """What stands before "nothing is left to gain" of a case at its roof: an estimate of that says so."""
    return "at the roof, by the estimates" if diagnosis.time_estimated else "at the roof"


def finding_name(finding: Finding) -> str:
    """Its class; empty for the roof, as `head_words`."""
    return "" if finding.kind == AT_THE_ROOF else finding.bottleneck


def class_text(diagnosis: CaseDiagnosis) -> str:
    """What limits the case in a word or two: `dram_bound`, `hint: dram_bound`, `at the roof`, `no class`."""
    target = diagnosis.target
    if diagnosis.at_roof:
        return "at the roof"
    if target is None:
        return "no class"
    return f"hint: {target.bottleneck}" if target.hint else target.bottleneck


def target_text(diagnosis: CaseDiagnosis) -> str:
    """What limits the case in one line: `wide: dram_bound: DRAM moves est. 63 % of what it could.`"""
    target = diagnosis.target
    if target is None:
        found = "at the roof." if diagnosis.at_roof else "no bottleneck class applies."
    elif diagnosis.at_roof:
        found = f"at the roof: {target.text}"
    else:
        found = f"{f'{hint_words(diagnosis, target)}: ' if target.hint else ''}{target.bottleneck}: {target.text}"
    return f"{diagnosis.case}: {found}"


def evidence_text(finding: Finding) -> str:
    """`global_excess_ratio 78 % > 20 %, dram_throughput_ratio est. 63 % >= 60 %`."""
    return ", ".join(_evidence(each) for each in finding.evidence)


def line_text(line: HotLine) -> str:
    """`line 7 (LDG.E) has 90 % of global_excess_ratio`. Where the share is unknown, the tool's own count of the line."""
    instruction = "" if line.instruction is None else f" ({line.instruction})"
    amount = f"counts {line.value:,.4g} towards" if line.share is None else f"has {percent_text(line.share)} of"
    return f"line {line.line}{instruction} {amount} {line.counter}"


def telling_rules(rules: Iterable[RuleResult]) -> Sequence[RuleResult]:
    """Nsight Compute's own, where they estimate the whole launch; local estimates mislead more than they help."""
    telling = [rule for rule in rules if rule.kind == "optimization" and rule.scope == "global"]
    return sorted(telling, key=lambda rule: -(rule.speedup_percent or 0.0))[:_SHOWN_RULES]


def rule_text(rule: RuleResult) -> str:
    """Its title with its estimate."""
    estimate = "" if rule.speedup_percent is None else f" (its estimate: {rule.speedup_percent:.0f} %)"
    return f"Nsight Compute says: {rule.title}{estimate}"


def gain_text(advice: Advice, target: Finding | None = None) -> str:
    """`1.05 to 1.4 times the speed, by experience`; empty where it is not known beforehand.

    target: what it is advised on; where its bound cuts the range, the figure is as sure as the bound.
    """
    low, high = advice.card.gain_low, advice.gain_high or advice.card.gain_high
    if low is None or high is None:
        return ""
    cut = advice.card.gain_high is None or high < advice.card.gain_high
    most = labelled(f"{high:.3g}", estimated=cut and target is not None and target.bound_estimated)
    if cut and high <= low:
        return "hardly any gain is left for it here" if high < _NO_GAIN else f"at most {most} times the speed here"
    basis = advice.card.gain_basis
    spread = f"{low:.3g}" if f"{low:.3g}" == f"{high:.3g}" else f"{low:.3g} to {most}"
    return f"{spread} times the speed, {'by experience' if basis == EXPERIENCE else basis}"


def notes_of(profile: CaseProfile | None, diagnosis: CaseDiagnosis) -> Sequence[str]:
    """What weakens a profile, each once; the reason for missing counters is said elsewhere."""
    notes = (*(() if profile is None else profile.notes), *diagnosis.notes)
    reason = None if profile is None else profile.reason
    return [note for note in dict.fromkeys(notes) if note != reason]


def not_evaluated_text(diagnosis: CaseDiagnosis) -> str:
    """Classes that are neither true nor false with the counters that they lack; empty if there are none."""
    return "; ".join(f"{name} (unknown: {', '.join(lacks)})" for name, lacks in diagnosis.not_evaluated.items())


def _evidence(each: Evidence) -> str:
    value, threshold = (_figure(each.counter, number) for number in (each.value, each.threshold))
    against = "" if each.against is None else f" ({_named(each.against)})"
    return f"{_named(each.counter)} {labelled(value, estimated=each.estimated)} {each.relation} {threshold}{against}"


def _named(amount: str) -> str:
    return _LARGEST.sub(lambda found: f"largest of {found[1]}", amount)


def _figure(counter: str, value: float) -> str:
    """A value of a counter, or of an expression over counters: of ratios alone, a ratio."""
    names = [name for name in _NAMES.findall(counter) if name not in ("max", "min")]
    if counter not in metrics() and names and all(name.endswith("_ratio") for name in names):
        return percent_text(value)
    return format_counter(counter, value)
