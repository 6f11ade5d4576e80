"""What limits an attempt and whether its hypothesis was borne out, in a line and as JSON."""

from typing import Any

from warpwright.profiler.diagnosis.finding import AttemptDiagnosis, Verdict
from warpwright.report.profile.document import evidence_to_json
from warpwright.report.profile.phrases import target_text


def diagnosis_line(diagnosis: AttemptDiagnosis | None) -> str:
    """Class and evidence of the target, then what became of the hypothesis; empty if nothing is known."""
    if diagnosis is None:
        return ""
    parts = ["" if diagnosis.target is None else target_text(diagnosis.target)]
    if diagnosis.verdict is not Verdict.UNKNOWN:
        counters = ", ".join(check.counter for check in diagnosis.checks if check.verdict is diagnosis.verdict)
        parts.append(f"Hypothesis {diagnosis.verdict.value} by {counters}.")
    return " ".join(filter(None, parts))


def diagnosis_to_json(diagnosis: AttemptDiagnosis | None) -> dict[str, Any] | None:
    """The target with its evidence; null if nothing is known. `diagnosis.json` of the attempt has the rest."""
    if diagnosis is None:
        return None
    target = diagnosis.target
    finding = None if target is None else target.target
    return {
        "case": diagnosis.target_case,
        "bottleneck": diagnosis.bottleneck,
        "hint": None if finding is None else finding.hint,
        "limited": None if target is None else target.limited,
        "text": None if finding is None else finding.text,
        "score": None if finding is None else finding.score,
        "bound": None if target is None or finding is None else target.claimed_bound(finding),
        "bound_estimated": None if target is None or finding is None else target.claimed_bound_estimated(finding),
        "about": None if target is None or finding is None else target.claimed_about(finding),
        "evidence": [] if finding is None else [evidence_to_json(evidence) for evidence in finding.evidence],
        "runners_up": [] if target is None else [other.bottleneck for other in target.runners_up],
        "at_roof": diagnosis.at_roof,
        "counters_estimated": None if target is None else target.estimated,
        "time_estimated": None if target is None else target.time_estimated,
        "verdict": diagnosis.verdict.value,
    }
