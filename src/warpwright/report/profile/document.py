"""A profile as one JSON document: raw values, normalised counters, findings, advice. Unknown is null or left out, never 0."""

from collections.abc import Sequence
from typing import Any

from warpwright.knowledge.field_guide.card import Guidance
from warpwright.profiler.counters import metrics
from warpwright.profiler.diagnosis.finding import CaseDiagnosis, Evidence, Finding
from warpwright.profiler.profile import HotLine, LaunchCounters
from warpwright.report.profile.view import ProfiledCase


def profile_document(workload: str, device: str, label: str, cases: Sequence[ProfiledCase]) -> dict[str, Any]:
    """Everything about one candidate. device: in words. label: its outcome in verification."""
    return {"workload": workload, "device": device, "outcome": label, "cases": [_case(case) for case in cases]}


def _case(case: ProfiledCase) -> dict[str, Any]:
    profile, diagnosis = case.profile, case.diagnosis
    return {
        "name": profile.case,
        "candidate": profile.subject,
        "tool": profile.tool,
        "cache": profile.cache.value,
        "counters_estimated": diagnosis.estimated,
        "time_estimated": profile.time_estimated,
        "time_us": diagnosis.time_us,
        "floor_us": diagnosis.floor_us,
        "floor_ratio": diagnosis.floor_ratio,
        "floor_binding": diagnosis.floor_binding,
        "no_counters_because": profile.reason,
        "launches": [_launch(launch) for launch in profile.launches],
        "missing": dict(profile.missing),
        "diagnosis": _diagnosis(diagnosis),
        "advice": [] if case.guidance is None else _advice(case.guidance),
        "notes": list(dict.fromkeys((*profile.notes, *diagnosis.notes))),
        "seconds": round(profile.seconds, 3),
    }


def _launch(launch: LaunchCounters) -> dict[str, Any]:
    units = metrics()
    return {
        "position": launch.position,
        "entry": launch.entry,
        "counters": {
            name: {
                "value": counter.value,
                "unit": units[name].unit if name in units else None,
                "source": counter.source.value,
                "quality": counter.quality.value,
            }
            for name, counter in launch.counters.items()
        },
        "rules": [
            {
                "rule": rule.rule,
                "title": rule.title,
                "message": rule.message,
                "kind": rule.kind,
                "scope": rule.scope,
                "speedup_percent": rule.speedup_percent,
            }
            for rule in launch.rules
        ],
        "hot_lines": [_line(line) for line in launch.hot_lines],
        "raw": {name: {"value": metric.value, "unit": metric.unit} for name, metric in launch.raw.items()},
    }


def _diagnosis(diagnosis: CaseDiagnosis) -> dict[str, Any]:
    return {
        "entry": diagnosis.entry,
        "target": None if diagnosis.target is None else diagnosis.target.bottleneck,
        "limited": diagnosis.limited,
        "at_roof": diagnosis.at_roof,
        "findings": [_finding(diagnosis, finding) for finding in diagnosis.findings],
        "not_evaluated": {name: list(lacks) for name, lacks in diagnosis.not_evaluated.items()},
    }


def _finding(diagnosis: CaseDiagnosis, finding: Finding) -> dict[str, Any]:
    return {
        "bottleneck": finding.bottleneck,
        "hint": finding.hint,
        "score": finding.score,
        "text": finding.text,
        "bound": diagnosis.claimed_bound(finding),
        "bound_estimated": diagnosis.claimed_bound_estimated(finding),
        "about": diagnosis.claimed_about(finding),
        "evidence": [evidence_to_json(evidence) for evidence in finding.evidence],
        "hot_lines": [_line(line) for line in finding.hot_lines],
    }


def evidence_to_json(evidence: Evidence) -> dict[str, Any]:
    """One comparison."""
    return {
        "counter": evidence.counter,
        "value": evidence.value,
        "relation": evidence.relation,
        "threshold": evidence.threshold,
        "estimated": evidence.estimated,
        "against": evidence.against,
    }


def _line(line: HotLine) -> dict[str, Any]:
    return {
        "line": line.line,
        "counter": line.counter,
        "value": line.value,
        "share": line.share,
        "instruction": line.instruction,
    }


def _advice(guidance: Guidance) -> list[dict[str, Any]]:
    return [
        {
            "card": advice.card.id,
            "name": advice.card.name,
            "applies": advice.applies,
            "host": advice.card.host,
            "change": advice.card.change,
            "gain": [advice.gain_low, advice.gain_high],
            "gain_basis": advice.card.gain_basis,
            "risk": advice.card.risk,
            "check": advice.card.check,
            "citations": [{"id": c.id, "text": c.text, "url": c.url, "path": c.path} for c in advice.citations],
        }
        for advice in guidance.advice
    ]
