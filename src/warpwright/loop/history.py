"""What a session takes from the history across sessions and adds to it. A history that cannot be used never stops a session."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from warpwright.errors import InfrastructureError, RecordError
from warpwright.record.event import Event
from warpwright.record.history.fingerprint import fingerprint_of
from warpwright.record.history.given import read_given, write_given
from warpwright.record.history.hints import Given, tally
from warpwright.record.history.lesson import Lesson, lesson_of
from warpwright.record.history.store import History
from warpwright.record.session import Session

_REMEDY = "The session goes on without; `--no-history` asks for none."


class SessionHistory:
    """The history as one session sees it: read once, at its start. path: its file; None = neither read nor written."""

    def __init__(self, session: Session, path: Path | None, arch: str, *, measured: bool) -> None:
        """Read what is of use, or what was read when the session began. arch: `sm_90`. measured: times are no estimates."""
        self._session = session
        self._history = None if path is None or not session.options.history else History(path)
        self._arch = arch
        self._measured = measured
        self._given = None if self._history is None else self._read(self._history)

    @property
    def card_gains(self) -> Mapping[str, Sequence[float]]:
        """Card of the field guide -> what it brought on workloads of this kind, by times like this session's own."""
        given = self._given
        return {} if given is None or given.measured != self._measured else given.card_gains

    def hints(self, bottleneck: str | None) -> tuple[str, ...]:
        """At most five short texts on what worked elsewhere; bottleneck: class to be treated, None unknown."""
        return () if self._given is None else self._given.hints(bottleneck)

    def learn(self) -> None:
        """Add what the session teaches, if it has ended and the final check bore out something that it promoted."""
        if self._history is None:
            return
        lesson = lesson_of(self._session, self._arch)
        if lesson is None:
            return
        try:
            self._history.learn(lesson)
        except (RecordError, InfrastructureError) as error:
            if self._given is None or not self._given.problem:  # said once
                self._session.emit(Event("note", text=f"nothing is added to the history: {error}"))

    def _read(self, history: History) -> Given:
        known = read_given(self._session.directory)
        if known is not None:
            return known
        mark, problem = fingerprint_of(self._session.workload), ""
        lessons: tuple[Lesson, ...] = ()
        try:
            lessons = history.lessons(mark.kind, self._arch, measured=self._measured)
        except (RecordError, InfrastructureError) as error:
            problem = str(error)
        given = Given(mark, self._arch, self._measured, len(lessons), tally(lessons, mark), problem)
        write_given(self._session.directory, given)
        if problem:
            self._session.emit(Event("note", text=f"no history: {problem} {_REMEDY}"))
        elif given.hints(None):
            told = f"history: {len(lessons)} earlier sessions of this kind of operation ({mark.text})"
            self._session.emit(Event("note", text=told))
        return given
