"""One kernel of a workload through evaluation, profile and diagnosis, as a row of JSON."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measurement.machine import machine_of

from warpwright.candidate.candidate import Candidate
from warpwright.candidate.directory import load_candidate
from warpwright.cli.bench_options import bench_options
from warpwright.evaluation.bench import Bench, fresh_secret, open_bench
from warpwright.evaluation.evaluator import EvaluatorOptions
from warpwright.evaluation.profiling import ProfileOptions, profile_cases
from warpwright.profiler.diagnosis.diagnose import diagnose_case
from warpwright.profiler.diagnosis.finding import CaseDiagnosis, Evidence, Finding
from warpwright.profiler.diagnosis.situation import situation_of
from warpwright.profiler.profile import CaseProfile
from warpwright.profiler.worked_out import completed
from warpwright.workload.loader import load_workload

Row = dict[str, Any]

TIER = 2
"""Sections that every class needs, local memory and source lines among them."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A kernel on one case. kernel: a candidate's directory; None = the initial kernel of the workload."""

    workload: Path
    case: str
    kernel: Path | None = None


def diagnosed(subject: Subject, device: str, ncu: Path | None = None) -> Row:
    """Counters and findings, or how it failed. device: as in `warpwright --device`. ncu: the program, None = looked for."""
    workload = load_workload(subject.workload)
    candidate = workload.initial if subject.kernel is None else load_candidate(subject.kernel, workload.initial)
    options = EvaluatorOptions(seeds_per_case=1)
    with open_bench(workload, device, fresh_secret(), bench_options(), options) as bench:
        return _row(bench, candidate, subject.case, ncu)


def _row(bench: Bench, candidate: Candidate, case: str, ncu: Path | None) -> Row:
    workload, evaluation = bench.evaluator.workload, bench.evaluator.evaluate(candidate)
    if not evaluation.outcome.correct:
        return {"failed": f"{evaluation.label}: {evaluation.message}"}
    profile = profile_cases(bench.evaluator, candidate, evaluation, [case], TIER, ProfileOptions(ncu=ncu))[0]
    if profile.estimated and bench.evaluator.measures:
        return {"failed": f"no hardware counters: {profile.reason}"}
    situation = situation_of(workload, workload.case(case), bench.device.spec, profile.time_us)
    row = diagnosis_row(profile, diagnose_case(profile, situation))
    return {**row, "machine": machine_of(bench.device)} if bench.evaluator.measures else row


def diagnosis_row(profile: CaseProfile, diagnosis: CaseDiagnosis) -> Row:
    """Everything that a reader needs to judge a diagnosis again. Counters of the launch that was judged, six digits."""
    return {
        "case": profile.case,
        "tool": profile.tool,
        "estimated": diagnosis.estimated,
        "reason": profile.reason,
        "time_us": rounded(diagnosis.time_us),
        "floor_us": rounded(diagnosis.floor_us),
        "at_roof": diagnosis.at_roof,
        "findings": [_finding(finding) for finding in diagnosis.findings],
        "not_evaluated": {name: list(missing) for name, missing in diagnosis.not_evaluated.items()},
        "entry": diagnosis.entry,
        "counters": {
            name: rounded(counter.value) for name, counter in sorted(completed(profile.main.counters).items())
        },
        "notes": list(profile.notes),
        "profile_seconds": rounded(profile.seconds),
    }


def rounded(value: float | None) -> float | None:
    """More digits than a measurement deserves only make files hard to compare."""
    return None if value is None else float(f"{value:.6g}")


def _finding(finding: Finding) -> Row:
    return {
        "bottleneck": finding.bottleneck,
        "hint": finding.hint,
        "score": rounded(finding.score),
        "bound": rounded(finding.bound),
        "about": rounded(finding.about),
        "text": finding.text,
        "evidence": [_evidence(each) for each in finding.evidence],
        "hot_lines": [line.line for line in finding.hot_lines],
    }


def _evidence(each: Evidence) -> str:
    against = "" if each.against is None else f" ({each.against})"
    return f"{each.counter} = {each.value:.4g} {each.relation} {each.threshold:.4g}{against}"
