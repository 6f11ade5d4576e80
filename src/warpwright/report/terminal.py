"""The live view of a running session, and its plain form for logs and pipes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from warpwright.record.attempt import Attempt
from warpwright.record.event import Event
from warpwright.record.session import Session
from warpwright.report.diagnosis import diagnosis_line
from warpwright.report.findings import Findings, findings
from warpwright.report.tables import one_line, outcome_style
from warpwright.report.words import duration_text, percent_text, ratio_text, source_text, time_text

_LAST_OUTCOMES = 6
_LAST_NOTES = 3
_BAR_WIDTH = 30
_MESSAGE_WIDTH = 64
_DIAGNOSIS_WIDTH = 140
_REFRESH_PER_S = 4
_PLAIN_STAGES = frozenset({"hidden cases", "compute-sanitizer", "published figure"})
"""Stages that a log line is worth; the others pass within seconds."""


class LiveView:
    """What happens in a session, drawn from its record and its events. Feed it with `on_event`, draw it with `render`."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._spent_s = session.spent_s()
        self._opened = time.monotonic()
        self._doing = "checking the workload"
        self._notes: list[str] = []
        self._limits = ""
        self._spinner = Spinner("dots")

    def elapsed_s(self) -> float:
        """Wall seconds of the session, earlier processes included."""
        return self._spent_s + time.monotonic() - self._opened

    def on_event(self, event: Event) -> None:
        """Take note of an event."""
        match event.kind:
            case "proposed":
                self._doing = f"attempt {event.attempt}: {one_line(event.text, _MESSAGE_WIDTH)}"
            case "stage":
                self._doing = f"attempt {event.attempt}: {event.text}"
            case "tuning":
                self._doing = f"tuning attempt {event.attempt}: {event.values.get('points')} points"
            case "lint" | "note" | "stopped" if event.text not in self._notes:
                self._notes = [*self._notes, event.text][-_LAST_NOTES:]
            case "diagnosed":
                self._limits = one_line(diagnosis_line(self._session.diagnosis(event.attempt or 0)), _DIAGNOSIS_WIDTH)
                self._doing = "choosing what to try next"
            case "finished" | "tuned" | "researched" | "ended":
                self._doing = "choosing what to try next"

    def render(self) -> RenderableType:
        """The whole view."""
        found = findings(self._session)
        self._spinner.update(text=Text(self._doing, overflow="ellipsis", no_wrap=True))
        return Group(
            Text(
                f"{self._session.workload.name}  {self._session.device}",
                style="bold",
                overflow="ellipsis",
                no_wrap=True,
            ),
            self._budget(len(found.attempts)),
            _incumbent_line(found),
            _outcomes(found),
            *([Text(self._limits, style="dim")] if self._limits else []),
            *(Text(note, style="yellow") for note in self._notes),
            self._spinner,
        )

    def plain_line(self, event: Event) -> Text | None:
        """One line for a log; None for events that only a live view shows."""
        clock = Text(f"[{_clock(self.elapsed_s())}] ", style="dim")
        match event.kind:
            case "finished" if event.attempt is not None:
                found = findings(self._session)
                attempt = self._session.attempt(event.attempt)
                return clock.append_text(_attempt_line(attempt, found))
            case "stage" if event.text in _PLAIN_STAGES:
                return clock.append(f"{event.attempt:04d} {event.text}")
            case "diagnosed" if event.attempt is not None:
                line = one_line(diagnosis_line(self._session.diagnosis(event.attempt)), _DIAGNOSIS_WIDTH)
                return clock.append(f"{event.attempt:04d} {line}", style="dim")
            case "tuned":
                return clock.append(f"{event.attempt:04d} tuned: {event.text}")
            case "lint" | "note" | "stopped":
                return clock.append(f"{event.kind}: {event.text}")
            case _:
                return None

    def _budget(self, attempts: int) -> RenderableType:
        options = self._session.options
        attempts_limit = None if options.iterations is None else str(options.iterations)
        time_limit = None if options.time_limit_s is None else _clock(options.time_limit_s)
        grid = Table.grid(padding=(0, 2))
        grid.add_row(
            Text(_of("attempts", str(attempts), attempts_limit)),
            _bar(attempts, options.iterations),
            Text(_of("time", _clock(self.elapsed_s()), time_limit)),
            _bar(self.elapsed_s(), options.time_limit_s),
        )
        return grid


@contextmanager
def watch(session: Session, console: Console, *, live: bool) -> Iterator[LiveView]:
    """Show a session while it runs: drawn in place on a terminal if `live`, else a line per outcome."""
    view = LiveView(session)
    if live and console.is_terminal:
        drawn = Live(get_renderable=view.render, console=console, refresh_per_second=_REFRESH_PER_S, transient=True)
        unwatch = session.watch(view.on_event)
        try:
            with drawn:
                yield view
        finally:
            unwatch()
        return

    noted: set[str] = set()

    def tell(event: Event) -> None:
        view.on_event(event)
        line = view.plain_line(event)
        again = (
            event.kind == "note" and event.text in noted
        )  # a model that repeats itself is told off in the same words
        if line is not None and not again:
            console.print(line, soft_wrap=True)
        if event.kind == "note":
            noted.add(event.text)

    console.print(Text(f"{session.identifier}: {session.device}"), soft_wrap=True)
    unwatch = session.watch(tell)
    try:
        yield view
    finally:
        unwatch()


def _incumbent_line(found: Findings) -> Text:
    if found.best is None:
        return Text("no candidate has passed every check yet", style="yellow")
    line = Text(f"incumbent {found.best.number:04d}  ", style="bold green")
    line.append(
        f"{time_text(found.best_us, estimated=found.estimated)}  {ratio_text(found.speedup)} of the initial speed"
    )
    line.append(f"  {percent_text(found.floor_ratio)} of floor", style="default")
    return line.append(f"\ntimes: {source_text(found.times)}", style="dim")


def _outcomes(found: Findings) -> Table:
    grid = Table.grid(padding=(0, 1))
    for attempt in found.attempts[-_LAST_OUTCOMES:]:
        grid.add_row(_attempt_line(attempt, found))
    return grid


def _attempt_line(attempt: Attempt, found: Findings) -> Text:
    evaluation = attempt.evaluation
    idea = "initial kernel" if attempt.hypothesis is None else attempt.hypothesis.technique
    line = Text(f"{attempt.number:04d} ", no_wrap=True, overflow="ellipsis")
    line.append(f"{evaluation.label:<14} ", style=outcome_style(evaluation.label))
    if evaluation.geomean_us is not None:
        line.append(
            f"{time_text(evaluation.geomean_us, estimated=found.estimated)}  {ratio_text(found.speedup_of(attempt))}  "
        )
    line.append(idea)
    if not evaluation.outcome.correct:
        line.append(f"  {one_line(evaluation.message, _MESSAGE_WIDTH)}", style="dim")
    return line


def _of(what: str, done: str, limit: str | None) -> str:
    return f"{what} {done}" if limit is None else f"{what} {done} of {limit}"


def _bar(done: float, limit: float | None) -> RenderableType:
    return ProgressBar(total=limit, completed=min(done, limit), width=_BAR_WIDTH) if limit else Text("")


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02d}" if whole < 3600 else duration_text(seconds)
