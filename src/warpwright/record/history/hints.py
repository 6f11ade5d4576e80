"""What lessons say together: a tally of each technique on a kind of operation, and the few words a proposer is told."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from warpwright.record.history.fingerprint import Fingerprint, similarity
from warpwright.record.history.lesson import Lesson, Trial

MOST_HINTS = 5
_Key = tuple[str, str | None, str | None]


@dataclass(frozen=True, slots=True)
class Tally:
    """One technique against one bottleneck class, over sessions of one kind of operation.

    sessions: in which it was tried; worked: in how many of them it is part of what was kept. similarity: 0..1, of the most
    similar workload. median_gain: where it worked, over the best before it; None if it never did. workload_gains: what it
    brought on each workload, losses too (0.9), each workload once however often it was run; a win that was not kept is none.
    """

    technique: str
    card: str | None
    bottleneck: str | None
    sessions: int
    worked: int
    workloads: int
    similarity: float
    median_gain: float | None
    workload_gains: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """What a session was given of the history, `history.json`: read once, so that a resumed session sees the same.

    problem: why nothing could be read; empty if it could. lessons: how many sessions the tallies are from.
    """

    fingerprint: Fingerprint
    arch: str
    measured: bool
    lessons: int
    tallies: tuple[Tally, ...]
    problem: str = ""

    @property
    def card_gains(self) -> Mapping[str, Sequence[float]]:
        """Card -> what it brought on each workload of this kind."""
        gains: dict[str, list[float]] = {}
        for tally in self.tallies:
            if tally.card is not None:
                gains.setdefault(tally.card, []).extend(tally.workload_gains)
        return gains

    def hints(self, bottleneck: str | None) -> tuple[str, ...]:
        """At most five short texts on what worked: the same bottleneck first, then the most similar workloads.

        bottleneck: class of what is to be improved (`dram_bound`); None unknown.
        """
        worked = [tally for tally in self.tallies if tally.median_gain is not None and tally.median_gain > 1]

        def order(tally: Tally) -> tuple[bool, float, float, float]:
            other = bottleneck is None or tally.bottleneck != bottleneck
            return other, -tally.similarity, -tally.worked / tally.sessions, -(tally.median_gain or 0.0)

        return tuple(self._words(tally) for tally in sorted(worked, key=order)[:MOST_HINTS])

    def _words(self, tally: Tally) -> str:
        name = tally.technique if tally.card is None else f"{tally.card} {tally.technique}"
        where = f"{self.fingerprint.kind.value} operations, {self.arch}"
        against = f", against {tally.bottleneck}" if tally.bottleneck else ""
        workloads = "" if tally.workloads == 1 else f" ({tally.workloads} workloads)"
        source = "measured" if self.measured else "estimated"
        return (
            f"{name} on {where}{against}: kept in {tally.worked} of {tally.sessions} sessions{workloads}, median "
            f"{tally.median_gain:.2f}x over the best before it ({source})"
        )


def tally(lessons: Iterable[Lesson], like: Fingerprint) -> tuple[Tally, ...]:
    """Tallies of every technique, the most similar workloads first. like: of the workload that asks."""
    grouped: dict[_Key, list[tuple[Lesson, list[Trial]]]] = {}
    for lesson in lessons:
        for key, trials in _by_technique(lesson.trials).items():
            grouped.setdefault(key, []).append((lesson, trials))
    tallies = [_tally(key, found, like) for key, found in grouped.items()]
    return tuple(sorted(tallies, key=lambda t: (-t.similarity, -t.worked, t.technique, t.bottleneck or "")))


def _by_technique(trials: Iterable[Trial]) -> Mapping[_Key, list[Trial]]:
    found: dict[_Key, list[Trial]] = {}
    for trial in trials:
        found.setdefault((trial.technique, trial.card, trial.bottleneck), []).append(trial)
    return found


def _tally(key: _Key, found: Sequence[tuple[Lesson, list[Trial]]], like: Fingerprint) -> Tally:
    technique, card, bottleneck = key
    worked: list[float] = []
    workloads: set[str] = set()
    by_workload: dict[str, list[float]] = {}
    for lesson, trials in found:
        kept = [trial.gain for trial in trials if trial.worked and trial.gain is not None]
        known = kept or [trial.gain for trial in trials if trial.gain is not None and trial.gain < 1]
        if kept:
            worked.append(max(kept))
            workloads.add(lesson.workload_hash)
        if known:
            by_workload.setdefault(lesson.workload_hash, []).append(max(known))
    return Tally(
        technique=technique,
        card=card,
        bottleneck=bottleneck,
        sessions=len(found),
        worked=len(worked),
        workloads=len(workloads),
        similarity=max(similarity(lesson.fingerprint, like) for lesson, _ in found),
        median_gain=median(worked) if worked else None,
        workload_gains=tuple(median(gains) for gains in by_workload.values()),
    )
