"""What limits an attempt and whether its hypothesis was borne out, in a line and as JSON."""

from typing import Any

from warpwright.profiler.diagnosis.finding import AttemptDiagnosis, Verdict


def diagnosis_line(diagnosis: AttemptDiagnosis | None) -> str:
    """Class and evidence of the target, then what became of the hypothesis; empty if nothing is known."""
    if diagnosis is None:
        return ""
    parts = [_target_text(diagnosis)]
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
        "text": None if finding is None else finding.text,
        "score": None if finding is None else finding.score,
        "bound": None if finding is None else finding.bound,
        "evidence": []
        if finding is None
        else [
            {"counter": e.counter, "value": e.value, "relation": e.relation, "threshold": e.threshold}
            for e in finding.evidence
        ],
        "runners_up": [] if target is None else [other.bottleneck for other in target.runners_up],
        "at_roof": diagnosis.at_roof,
        "estimated": None if target is None else target.estimated,
        "verdict": diagnosis.verdict.value,
    }


def _target_text(diagnosis: AttemptDiagnosis) -> str:
    target = diagnosis.target
    if target is None:
        return ""
    if target.target is None:
        return f"{target.case}: no bottleneck class applies."
    return f"{target.case}: {target.target.bottleneck}: {target.target.text}"
