"""How findings, source lines, rules and gains are worded, on the terminal and in HTML alike."""

import re
from collections.abc import Iterable, Sequence

from warpwright.knowledge.field_guide.card import Advice
from warpwright.profiler.counters import format_counter, metrics
from warpwright.profiler.diagnosis.finding import CaseDiagnosis, Evidence, Finding
from warpwright.profiler.profile import CaseProfile, HotLine, RuleResult
from warpwright.report.words import percent_text

_SHOWN_RULES = 3
_LARGEST = re.compile(r"^max\((.*)\)$")
_NAMES = re.compile(r"[a-z]\w+")


def evidence_text(finding: Finding) -> str:
    """`global_excess_ratio 78 % > 20 %, ...`."""
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


def bound_text(finding: Finding) -> str:
    """What curing it can bring; empty where that is unknown."""
    return "" if finding.bound is None else f"curing it can bring at most {finding.bound:.3g} times the speed"


def gain_text(advice: Advice) -> str:
    """`1.05 to 1.4 times the speed, by experience`; empty where it is not known beforehand."""
    low, high = advice.card.gain_low, advice.gain_high or advice.card.gain_high
    if low is None or high is None:
        return ""
    return f"{min(low, high):.3g} to {high:.3g} times the speed, by {advice.card.gain_basis}"


def notes_of(profile: CaseProfile | None, diagnosis: CaseDiagnosis) -> Sequence[str]:
    """What weakens a profile, each once; the reason for missing counters is said elsewhere."""
    notes = (*(() if profile is None else profile.notes), *diagnosis.notes)
    reason = None if profile is None else profile.reason
    return [note for note in dict.fromkeys(notes) if note != reason]


def not_evaluated_text(diagnosis: CaseDiagnosis) -> str:
    """Classes that are neither true nor false with the counters that they lack; empty if there are none."""
    return "; ".join(f"{name} (unknown: {', '.join(lacks)})" for name, lacks in diagnosis.not_evaluated.items())


def _evidence(each: Evidence) -> str:
    name = _LARGEST.sub(lambda found: f"largest of {found[1]}", each.counter)
    value, threshold = (_figure(each.counter, number) for number in (each.value, each.threshold))
    return f"{name} {value} {each.relation} {threshold}"


def _figure(counter: str, value: float) -> str:
    """A value of a counter, or of an expression over counters: of ratios alone, a ratio."""
    names = [name for name in _NAMES.findall(counter) if name not in ("max", "min")]
    if counter not in metrics() and names and all(name.endswith("_ratio") for name in names):
        return percent_text(value)
    return format_counter(counter, value)
