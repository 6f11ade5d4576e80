"""`report.html`: one file, no network, no script; readable on paper and by a screen reader."""

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from warpwright.profiler.basis import counted_by
from warpwright.profiler.diagnosis.wording import bound_words, nothing_left_words
from warpwright.record.files import write_atomic
from warpwright.record.session import Session
from warpwright.report import words
from warpwright.report.curve import HEIGHT, WIDTH, best_so_far
from warpwright.report.diff import diff_lines
from warpwright.report.findings import Findings, findings
from warpwright.report.heatmap import heatmap
from warpwright.report.launch import launch_rows
from warpwright.report.ledger.spending import proposer_rows, spending_lines
from warpwright.report.limits import INDEX, advised_cards, session_limits
from warpwright.report.profile import phrases
from warpwright.report.story import attempt_stories
from warpwright.report.summary import REPORT
from warpwright.workload.model import OracleKind


def write_report(session: Session, output: Path | None = None) -> Path:
    """Write the report of a session, finished or not; where it is. output: default `report.html` in the session.

    Raises: InfrastructureError if it cannot be written.
    """
    path = output or session.directory / REPORT
    write_atomic(path, render_report(session).encode("utf-8"))
    return path


def render_report(session: Session) -> str:
    """The HTML text of a session's report."""
    found = findings(session)
    return _environment().get_template("report.html.j2").render(_context(session, found))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("warpwright.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "ratio": words.ratio_text,
        "percent": words.percent_text,
        "duration": words.duration_text,
        "interval": words.interval_text,
        "sanitized": words.sanitizer_text,
        "evidence": phrases.evidence_text,
        "bound": bound_words,
        "class_text": phrases.class_text,
        "counted_by": counted_by,
        "finding_name": phrases.finding_name,
        "head_words": phrases.head_words,
        "hot_line": phrases.line_text,
        "roof_words": phrases.roof_words,
        "nothing_left_words": nothing_left_words,
        "rule": phrases.rule_text,
        "shown_findings": phrases.shown_findings,
    }
    return environment


@cache
def _style() -> Markup:
    return Markup((files("warpwright.report") / "templates" / "report.css").read_text(encoding="utf-8"))


def _context(session: Session, found: Findings) -> dict[str, Any]:
    best = found.best
    initial = session.workload.initial
    limits = session_limits(session, found.attempts)
    return {
        "style": _style(),
        "session": session,
        "found": found,
        "summary": session.summary(),
        "source": words.source_text(found.times),
        "own_oracle": session.workload.oracle is OracleKind.KERNEL,
        "time": lambda us: words.time_text(us, estimated=found.estimated),
        "plain_time": lambda us: words.time_text(us, estimated=False),
        "cards": advised_cards(limits),
        "indexed": any(each.guidance.rung == INDEX for each in limits.values() if each.guidance is not None),
        "best_limits": None if best is None else limits.get(best.number),
        "curve": best_so_far(found),
        "curve_width": WIDTH,
        "curve_height": HEIGHT,
        "heatmap": heatmap(found),
        "stories": attempt_stories(found, limits),
        "spending": spending_lines(session),
        "proposers": proposer_rows(found.attempts, found.incumbents),
        "tuning_points": sum(len(session.tuning(attempt.number)) for attempt in found.attempts),
        "diff": [] if best is None else diff_lines(initial.source, best.candidate.source),
        "initial_launch": dict(launch_rows(initial)),
        "best_launch": [] if best is None else launch_rows(best.candidate),
    }
