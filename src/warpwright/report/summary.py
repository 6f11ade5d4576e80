"""The JSON documents of `optimize --json`, `show --json` and `sessions --json`: plain values, unknown is null."""

from dataclasses import asdict
from typing import Any

from warpwright.evaluation.summary import evaluation_to_json, paired_to_json
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis
from warpwright.profiler.sanitizer.report import SanitizerReport
from warpwright.record.attempt import Attempt
from warpwright.record.catalog import SessionListing
from warpwright.record.ledger.spending import Spending, spending_by_attempt
from warpwright.record.session import Session
from warpwright.record.summary import FinalCheck
from warpwright.report.diagnosis import diagnosis_to_json
from warpwright.report.expectation import expectations
from warpwright.report.findings import Findings, findings
from warpwright.report.ledger.spending import proposer_rows, spending_to_json

REPORT = "report.html"


def session_to_json(session: Session) -> dict[str, Any]:
    """A session: what it found, every attempt, why it stopped. Times in microseconds."""
    found = findings(session)
    summary = session.summary()
    spent = spending_by_attempt(session.ledger())
    report = session.directory / REPORT
    return {
        "session": session.identifier,
        "directory": str(session.directory),
        "workload": session.workload.name,
        "device": session.device,
        "gpu": None if found.times is None else found.times.gpu,
        "source": None if found.times is None else found.times.source,
        "outcome": None if found.best is None else found.best.evaluation.outcome.value,
        "best": None if found.best is None else _figure(found.best),
        "initial": None if not found.attempts else _figure(found.attempts[0]),
        "speedup": found.speedup,
        "published": paired_to_json(found.published),
        "published_reference": paired_to_json(found.published_reference),
        "unpublished": None if summary is None else summary.unpublished or None,
        "floor_ratio": found.floor_ratio,
        "worst_case": None if found.worst is None else {"name": found.worst.name, "speedup": found.worst.speedup},
        "attempts": [
            {
                **_attempt(attempt, found, session.diagnosis(attempt.number)),
                "spending": spending_to_json(spent.get(attempt.number, Spending())),
            }
            for attempt in found.attempts
        ],
        "spending": spending_to_json(session.spending()),
        "proposers": [asdict(row) for row in proposer_rows(found.attempts, found.incumbents)],
        "tuning_points": sum(len(session.tuning(attempt.number)) for attempt in found.attempts),
        "ended": summary is not None,
        "stopped": None if summary is None else summary.stop,
        "elapsed_s": None if summary is None else summary.elapsed_s,
        "final_checks": [] if summary is None else [_final_check(check) for check in summary.final_checks],
        "sanitizer": None if summary is None else _sanitizer(summary.sanitizer),
        "report": str(report) if report.exists() else None,
    }


def listing_to_json(listing: SessionListing) -> dict[str, Any]:
    """One line of `sessions --json`."""
    return {
        "session": listing.identifier,
        "directory": str(listing.directory),
        "state": listing.state.value,
        "workload": listing.workload or None,
        "device": listing.device or None,
        "created_at": listing.created_at or None,
        "attempts": listing.attempts,
        "best": listing.best or None,
        "initial_us": listing.initial_us,
        "best_us": listing.best_us,
        "speedup": listing.speedup,
        "message": listing.message or None,
    }


def _figure(attempt: Attempt) -> dict[str, Any]:
    return {"attempt": attempt.number, **evaluation_to_json(attempt.evaluation)}


def _attempt(attempt: Attempt, found: Findings, diagnosis: AttemptDiagnosis | None) -> dict[str, Any]:
    hypothesis = attempt.hypothesis
    evaluation = attempt.evaluation
    return {
        "number": attempt.number,
        "parent": attempt.parent or None,
        "proposer": attempt.proposer,
        "proposer_reason": attempt.reason or None,
        "technique": None if hypothesis is None else hypothesis.technique,
        "hypothesis": None if hypothesis is None else hypothesis.text,
        "treats": None if hypothesis is None else hypothesis.bottleneck,
        "card": None if hypothesis is None else hypothesis.card,
        "citations": [] if hypothesis is None else list(hypothesis.citations),
        "fabricated_citations": attempt.fabricated_citations,
        "expectations": [
            {"counter": e.counter, "expected": e.expected, "observed": e.observed, "movement": e.movement.value}
            for e in expectations(attempt, found.parent_of(attempt), diagnosis)
        ],
        "diagnosis": diagnosis_to_json(diagnosis),
        "outcome": evaluation.outcome.value,
        "reason": evaluation.reason,
        "message": evaluation.message,
        "line": evaluation.line,
        "geomean_us": evaluation.geomean_us,
        "speedup": found.speedup_of(attempt),
        "incumbent": attempt.number in found.incumbents,
        "point": attempt.candidate.values(),
    }


def _sanitizer(report: SanitizerReport | None) -> dict[str, Any] | None:
    if report is None:
        return None
    return {
        "summary": report.summary,
        "version": report.version or None,
        "case": report.case or None,
        "tools": {tool.tool.value: tool.verdict.value for tool in report.tools},
        "warnings": [finding.text for tool in report.tools for finding in tool.findings if not finding.serious],
    }


def _final_check(check: FinalCheck) -> dict[str, Any]:
    return {"attempt": check.number, "passed": check.passed, "message": check.message}
