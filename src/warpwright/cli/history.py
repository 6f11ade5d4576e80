"""What the commands of `warpwright history` share: the file, its table and its JSON form."""

from dataclasses import asdict
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from warpwright.cli.environment import environment
from warpwright.errors import UsageError
from warpwright.record.history.store import History, Learnt


def open_history() -> History:
    """The history that the environment names. Raises: UsageError if it says `off`."""
    path = environment().history
    if path is None:
        raise UsageError("WARPWRIGHT_HISTORY is `off`: there is no history. Unset it, or name a file.")
    return History(path)


def history_table(learnt: tuple[Learnt, ...]) -> Table:
    """One row a session."""
    table = Table(box=SIMPLE_HEAD)
    for heading in ("session", "operation", "device", "what worked"):
        table.add_column(heading)
    for each in learnt:
        lesson = each.lesson
        worked = [t for t in lesson.trials if t.worked]
        table.add_row(
            lesson.session,
            lesson.fingerprint.text,
            f"{lesson.gpu}, {'measured' if lesson.measured else 'estimated'}",
            ", ".join(t.technique if t.gain is None else f"{t.technique} {t.gain:.2f}x" for t in worked),
        )
    return table


def learnt_to_json(learnt: Learnt) -> dict[str, Any]:
    """Everything that is kept of a session; unknown is null."""
    lesson = asdict(learnt.lesson)
    return {**lesson, "kind": learnt.lesson.fingerprint.kind.value, "learnt_at": learnt.at}
