"""Tables for the terminal."""

import re
from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from warpwright.evaluation.outcome import CaseEvaluation, Evaluation
from warpwright.profiler.diagnosis.finding import AttemptDiagnosis, Verdict
from warpwright.record.attempt import Attempt
from warpwright.record.catalog import SessionListing, SessionState
from warpwright.record.evidence import times_from
from warpwright.record.session import Session
from warpwright.report.findings import Findings, findings, median_us, time_flags
from warpwright.report.ledger.spending import proposer_rows, spending_lines
from warpwright.report.profile.phrases import class_text
from warpwright.report.words import (
    UNKNOWN,
    interval_text,
    percent_text,
    ratio_text,
    sanitizer_text,
    source_text,
    time_text,
)
from warpwright.workload.lint import LintFinding
from warpwright.workload.model import CaseKind

_SEVERITY_STYLE = {"error": "bold red", "warning": "yellow"}
_STATE_STYLE = {SessionState.RUNNING: "cyan", SessionState.RESUMABLE: "yellow", SessionState.UNREADABLE: "red"}
_MESSAGE_WIDTH = 160
_NAME_WIDTH = 14
_SESSION_WIDTH = 32


def outcome_text(evaluation: Evaluation) -> Text:
    """The outcome with its reason, coloured by whether the candidate was correct."""
    return Text(evaluation.label, style=outcome_style(evaluation.label))


def outcome_style(label: str) -> str:
    """Style of an outcome or of a tuning point's label."""
    outcome = label.partition(".")[0]
    if outcome in ("improved", "passed"):
        return "green"
    return "default" if outcome in ("tie", "slower") else "red"


def evaluation_table(evaluation: Evaluation) -> Table:
    """One evaluation: the outcome, every case with its verdict, time and floor, and below what is to be said of cases."""
    times = times_from([evaluation])
    estimated = times is not None and times.estimated
    title = _evaluation_title(evaluation, estimated=estimated)
    table = _table(title, "\n".join((*_case_notes(evaluation), f"Times: {source_text(times)}.")))
    table.add_column("case", overflow="fold", min_width=_fitting(case.name for case in evaluation.cases))
    for heading in ("kind", "passed"):
        table.add_column(heading, no_wrap=True)
    for heading in ("time", "floor", "of floor", "margin"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("bound by")
    for case in evaluation.cases:
        table.add_row(*_case_cells(case, estimated=estimated))
    return table


def lint_table(lint: Sequence[LintFinding]) -> Table:
    """What lint found in a workload."""
    table = _table("Lint" if lint else "Lint: nothing found")
    table.add_column("severity")
    table.add_column("case")
    table.add_column("finding", overflow="fold")
    for finding in lint:
        style = _SEVERITY_STYLE.get(finding.severity, "default")
        table.add_row(Text(finding.severity, style=style), Text(finding.case or UNKNOWN), Text(finding.message))
    return table


def session_tables(session: Session) -> list[Table | Text]:
    """A session: the gain case by case, why it stopped, its attempts, what limits each of them, and what was spent on models
    and GPU.
    """
    found = findings(session)
    diagnosed = [(a.number, d) for a in found.attempts if (d := session.diagnosis(a.number)) is not None]
    tables: list[Table | Text] = [_gain_table(session, found), *ending_lines(session), _attempts_table(session, found)]
    if diagnosed:
        tables.append(_diagnoses_table(diagnosed))
    return [*tables, _spending_table(session, found)] if spending_lines(session) else tables


def ending_lines(session: Session) -> list[Text]:
    """Why a session stopped, and that its model was never asked; nothing while it goes on."""
    summary = session.summary()
    if summary is None:
        return []
    lines = [Text(f"stopped: {summary.stop}")] if summary.stop else []
    if session.options.asks_model and not session.spending().calls:
        why = "the search stopped before its first turn, which comes after the initial kernel and what the tuner finds"
        lines.append(Text(f"{session.options.proposer} was never asked: {why}", style="yellow"))
    return lines


def _spending_table(session: Session, found: Findings) -> Table:
    rows = proposer_rows(found.attempts, found.incumbents)
    by = "; ".join(f"{row.name}: {row.gains} of {row.attempts}" for row in rows)
    table = _table("Spent", f"Attempts that became the incumbent, by proposer: {by}." if by else None)
    table.add_column("what")
    table.add_column("how much", overflow="fold")
    for heading, text in spending_lines(session):
        table.add_row(heading, Text(text))
    return table


def sessions_table(listings: Sequence[SessionListing]) -> Table:
    """The sessions below a directory, in the order given; a session's name holds that of its workload."""
    table = _table("Sessions" if listings else "No sessions")
    names = (listing.directory.name for listing in listings)
    table.add_column("session", overflow="fold", min_width=_fitting(names, most=_SESSION_WIDTH))
    table.add_column("state", no_wrap=True)
    table.add_column("device", overflow="fold")
    for heading in ("attempts", "best", "speed-up"):
        table.add_column(heading, justify="right", no_wrap=True)
    for listing in listings:
        state = Text(listing.state.value, style=_STATE_STYLE.get(listing.state, "default"))
        told = short_device(listing.device) if listing.state is not SessionState.UNREADABLE else listing.message
        best = f"{listing.best:04d}" if listing.best else UNKNOWN
        cells = (Text(listing.directory.name), state, Text(told))
        table.add_row(*cells, str(listing.attempts), best, ratio_text(listing.speedup))
    return table


def _table(title: Text | str, caption: str | None = None) -> Table:
    """An empty table; few lines, so that eighty columns hold it."""
    table = Table(title=title, title_justify="left", caption=caption, box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.caption_justify = "left"
    return table


def _evaluation_title(evaluation: Evaluation, *, estimated: bool) -> Text:
    title = outcome_text(evaluation)
    if evaluation.geomean_us is not None:
        title.append(f"   geometric mean {time_text(evaluation.geomean_us, estimated=estimated)}", style="bold default")
    if evaluation.speedup is not None:
        title.append(f"   {ratio_text(evaluation.speedup)} of the baseline's speed", style="bold default")
    if evaluation.paired is not None:
        title.append(f"\n{interval_text(evaluation.paired)}", style="default")
    if evaluation.message:
        title.append(f"\n{evaluation.message}", style="default")
    return title


def _case_cells(case: CaseEvaluation, *, estimated: bool) -> tuple[Text | str, ...]:
    timing = case.timing
    time_us = median_us(case)
    margin = max((max(c.margin, c.rms_margin) for c in case.comparisons), default=None)
    return (
        Text(case.name),
        case.kind.value,
        passed_text(case.passed),
        time_text(time_us, estimated=estimated),
        time_text(case.floor_us, estimated=False),
        percent_text(case.floor_us / time_us if case.floor_us and time_us else None),
        UNKNOWN if margin is None else f"{margin:.2g}",
        Text((timing.binding if timing is not None else None) or UNKNOWN),
    )


def _case_notes(evaluation: Evaluation) -> list[str]:
    """One line for each thing to be said, with the cases that it is said of; a column would be too narrow for it.

    What the title says already is left out.
    """
    cases: dict[str, list[str]] = {}
    for case in evaluation.cases:
        message = "" if case.message in evaluation.message else case.message
        note = "; ".join(filter(None, (message, *time_flags(case))))
        if note:
            cases.setdefault(note, []).append(case.name)
    return [f"{', '.join(names)}: {note}" for note, names in cases.items()]


def short_device(description: str) -> str:
    """`emulator, H200` or `NVIDIA H200, gpu:0`, of the line that a session keeps of its device; another line in full."""
    emulated = re.search(r"estimates of an? (?:NVIDIA )?([^)]+)", description)
    if emulated is not None:
        return f"emulator, {emulated[1]}"
    name, _, rest = description.partition(" (")
    where = rest.partition(",")[0].rstrip(")")
    return f"{name}, {where}" if where else name


def _fitting(names: Iterable[str], most: int = _NAME_WIDTH) -> int:
    """Width of a column of names: the longest, as far as eighty columns leave room for the figures beside it."""
    return min(most, max((len(name) for name in names), default=0))


def passed_text(passed: bool | None) -> Text:  # a value to show, not a switch
    """Verdict on one case; one that was not run is never shown as passed."""
    if passed is None:
        return Text("not run", style="yellow")
    return Text("yes", style="green") if passed else Text("no", style="bold red")


def _gain_table(session: Session, found: Findings) -> Table:
    title = Text(f"{session.workload.name}: ", style="bold")
    if found.best is None:
        title.append("no candidate has passed every check", style="bold red")
    else:
        title.append(
            f"attempt {found.best.number}, {ratio_text(found.speedup)} as fast as the initial kernel", style="bold"
        )
        title.append(" (estimated)" if found.estimated else "", style="bold")
        title.append(_published_text(session, found), style="default")
    table = _table(title, f"Times: {source_text(found.times)}.")
    table.add_column("perf case", overflow="fold", min_width=9)
    for heading in ("initial", "best", "speed-up", "floor", "of floor"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("bound by")
    for gain in found.gains:
        if gain.kind is CaseKind.PERF and gain.initial_us is not None:
            initial, best = (time_text(us, estimated=found.estimated) for us in (gain.initial_us, gain.best_us))
            floor = time_text(gain.floor_us, estimated=False)
            figures = (initial, best, ratio_text(gain.speedup), floor, percent_text(gain.floor_ratio))
            table.add_row(Text(gain.name), *figures, gain.binding or UNKNOWN)
    table.add_section()
    initial, best = (time_text(us, estimated=found.estimated) for us in (found.initial_us, found.best_us))
    table.add_row("geo. mean", initial, best, ratio_text(found.speedup), "", percent_text(found.floor_ratio), "")
    return table


def _published_text(session: Session, found: Findings) -> str:
    """How the speed-up was measured and what compute-sanitizer said, below the line that states it."""
    lines = []
    if found.published is not None:
        lines.append(f"\nfresh {interval_text(found.published)}")
    if found.published_reference is not None:
        figure = found.published_reference
        lines.append(f"\n{ratio_text(figure.speedup)} as fast as the reference kernel ({interval_text(figure)})")
    if found.published is None and not found.estimated and found.times is not None:
        summary = session.summary()
        why = "the session has not ended" if summary is None else summary.unpublished
        lines.append(f"\nby the records of the search; no paired run was published: {why}")
    ended = session.summary()
    sanitized = None if ended is None else sanitizer_text(ended.sanitizer)
    if sanitized is not None:
        lines.append(f"\ncompute-sanitizer: {sanitized}")
    return "".join(lines)


def _attempts_table(session: Session, found: Findings) -> Table:
    points = sum(len(session.tuning(attempt.number)) for attempt in found.attempts)
    caption = f"* became the incumbent. Beside these, {points} tuning points were screened."
    table = _table("Attempts", caption)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("idea")
    table.add_column("outcome", overflow="fold")
    table.add_column("time", justify="right", no_wrap=True)
    table.add_column("speed-up", justify="right", no_wrap=True)
    table.add_column("why", overflow="fold")
    for attempt in found.attempts:
        table.add_row(*_attempt_cells(attempt, found))
    for pending in session.pending():
        idea = pending.hypothesis.technique if pending.hypothesis is not None else "initial kernel"
        table.add_row(f"{pending.number:04d} ", Text(idea), Text("unfinished", style="yellow"), UNKNOWN, UNKNOWN, "")
    return table


def _diagnoses_table(diagnosed: Sequence[tuple[int, AttemptDiagnosis]]) -> Table:
    table = _table("What limits each attempt")
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("case", overflow="fold", max_width=_NAME_WIDTH)
    table.add_column("class", overflow="fold")
    table.add_column("evidence", overflow="fold")
    table.add_column("hypothesis", overflow="fold")
    for number, diagnosis in diagnosed:
        finding = None if diagnosis.target is None else diagnosis.target.target
        verdict = "" if diagnosis.verdict is Verdict.UNKNOWN else diagnosis.verdict.value
        kind = UNKNOWN if diagnosis.target is None else class_text(diagnosis.target)
        words = (kind, "" if finding is None else finding.text, verdict)
        table.add_row(f"{number:04d} ", Text(diagnosis.target_case or UNKNOWN), *(Text(word) for word in words))
    return table


def _attempt_cells(attempt: Attempt, found: Findings) -> tuple[Text | str, ...]:
    evaluation = attempt.evaluation
    star = "*" if attempt.number in found.incumbents else " "
    idea = "initial kernel" if attempt.hypothesis is None else attempt.hypothesis.technique
    return (
        f"{attempt.number:04d}{star}",
        Text(idea),
        outcome_text(evaluation),
        time_text(evaluation.geomean_us, estimated=found.estimated),
        ratio_text(found.speedup_of(attempt)),
        Text("" if evaluation.outcome.correct else one_line(evaluation.message)),
    )


def one_line(text: str, width: int = _MESSAGE_WIDTH) -> str:
    """The beginning of a text on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 3] + "..."
