"""What the commands of `warpwright history` share: the file, its table and its JSON form."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from warpwright.cli.environment import environment
from warpwright.errors import UsageError
from warpwright.record.history.store import History, Learnt

_NO_EDGE = 10_000


def open_history() -> History:
    """The history that the environment names. Raises: UsageError if it says `off`."""
    path = environment().history
    if path is None:
        raise UsageError("WARPWRIGHT_HISTORY is `off`: there is no history. Unset it, or name a file.")
    return History(path)


def history_table(learnt: tuple[Learnt, ...]) -> Table:
    """One row a session. Its name stays on one line, to be copied; the rest folds."""
    table = Table(box=SIMPLE_HEAD)
    longest = max((cell_len(each.lesson.session) for each in learnt), default=0)
    table.add_column("session", no_wrap=True, min_width=longest)
    for heading in ("operation", "device", "what worked"):
        table.add_column(heading, overflow="fold")
    for each in learnt:
        lesson = each.lesson
        worked = [t for t in lesson.trials if t.worked]
        table.add_row(
            Text(lesson.session),
            Text(lesson.fingerprint.text),
            Text(f"{lesson.gpu}, {'measured' if lesson.measured else 'estimated'}"),
            Text(", ".join(t.technique if t.gain is None else f"{t.technique} {t.gain:.2f}x" for t in worked)),
        )
    return table


def print_history(console: Console, learnt: tuple[Learnt, ...]) -> None:
    """The table. In a file or a pipe nothing is folded: there is no edge."""
    table = history_table(learnt)
    if not console.is_terminal:
        console.width = max(
            console.width, console.measure(table, options=console.options.update(width=_NO_EDGE)).maximum
        )
    console.print(table, crop=False)


def named(history: History, texts: list[str]) -> list[str]:
    """Directories of the lessons that a person names: by session, the beginning of its name, or directory.

    Raises: UsageError for what names none, or more than one by its beginning.
    """
    known = history.names()
    found: list[str] = []
    for text in texts:
        spelled = (text, str(Path(text).resolve()))
        exact = [each for each in known if each[0] == text or each[1] in spelled]
        matches = exact or [each for each in known if each[0].startswith(text)]
        if not matches:
            raise UsageError(
                f"{history.path}: nothing was learnt from {text}. `warpwright history list` shows what was."
            )
        if not exact and len(matches) > 1:
            names = ", ".join(session for session, _ in matches)
            raise UsageError(f"{text!r} begins {len(matches)} sessions: {names}. Type more of the name.")
        found += [directory for _, directory in matches]
    return found


def learnt_to_json(learnt: Learnt) -> dict[str, Any]:
    """Everything that is kept of a session; unknown is null."""
    lesson = asdict(learnt.lesson)
    return {**lesson, "kind": learnt.lesson.fingerprint.kind.value, "learnt_at": learnt.at}
