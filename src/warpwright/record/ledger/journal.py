"""The two files that a session appends to line by line: `events.jsonl` and `ledger.jsonl`."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from warpwright.record.event import Event, LedgerEntry
from warpwright.record.files import append_line, read_lines, repair_tail, to_line
from warpwright.record.ledger.spending import Spending, spending
from warpwright.record.schema import EventLine, LedgerLine

_EVENTS, _LEDGER = "events.jsonl", "ledger.jsonl"


class Journal:
    """What happened and what was spent in the session of one directory, with those who watch."""

    def __init__(self, directory: Path) -> None:
        """Nothing is read yet."""
        self._events, self._ledger = directory / _EVENTS, directory / _LEDGER
        self._watchers: list[Callable[[Event], None]] = []
        self._spending: Spending | None = None

    def repair(self) -> None:
        """Cut off what a kill left half written."""
        repair_tail(self._events)
        repair_tail(self._ledger)

    def watch(self, watcher: Callable[[Event], None]) -> Callable[[], None]:
        """Call `watcher` with every event of this process from now on; the returned function ends that."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    def emit(self, event: Event) -> None:
        """Append an event and tell the watchers."""
        line = EventLine(
            kind=event.kind, time=event.time, attempt=event.attempt, text=event.text, values=dict(event.values)
        )
        append_line(self._events, to_line(line), durable=False)
        for watcher in self._watchers:
            watcher(event)

    def events(self) -> tuple[Event, ...]:
        """Every event so far."""
        lines = read_lines(self._events, EventLine)
        return tuple(Event(row.kind, row.attempt, row.text, row.values, row.time) for row in lines)

    def spend(self, entry: LedgerEntry) -> None:
        """Append a spend; it is on the disk when this returns."""
        append_line(self._ledger, to_line(LedgerLine(**asdict(entry))), durable=True)
        self._spending = None if self._spending is None else self._spending + spending([entry])

    def ledger(self) -> tuple[LedgerEntry, ...]:
        """Every spend so far."""
        return tuple(LedgerEntry(**row.model_dump()) for row in read_lines(self._ledger, LedgerLine))

    def spending(self) -> Spending:
        """Sum of every spend: those on disk when it was first asked for, and this process's since."""
        if self._spending is None:
            self._spending = spending(self.ledger())
        return self._spending
