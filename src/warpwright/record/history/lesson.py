"""What one session teaches: which changes it tried, and which of them are in the kernel that every check bore out."""

from dataclasses import dataclass

from warpwright.evaluation.outcome import Outcome
from warpwright.record.attempt import Attempt
from warpwright.record.evidence import times_from
from warpwright.record.history.fingerprint import Fingerprint, fingerprint_of
from warpwright.record.session import Session

_NAME_LENGTH = 60
_BASELINE, _REPLAY = "undirected", "replay:"


@dataclass(frozen=True, slots=True)
class Trial:
    """One attempt of a session. bottleneck: class of its parent that it treated, None unknown. proposer: who made it.

    gain: time of the best before it over its own: of what worked, and of what lost (below 1). None where nothing is proved: a
    failed check, a tie, a repeat, a win that the final check refused or never saw. worked: it was promoted, and the kernel
    that the final check bore out is made from it.
    """

    attempt: int
    technique: str
    card: str | None
    bottleneck: str | None
    gain: float | None
    worked: bool
    proposer: str


@dataclass(frozen=True, slots=True)
class Lesson:
    """One session. directory: where it lies, which tells sessions apart. measured: its times are no estimates."""

    session: str
    directory: str
    workload: str
    workload_hash: str
    fingerprint: Fingerprint
    arch: str
    gpu: str
    measured: bool
    trials: tuple[Trial, ...]


def lesson_of(session: Session, arch: str) -> Lesson | None:
    """What a session teaches; None while it goes on, if nothing it promoted passed the final check, or if it is a baseline or
    a replay. arch: `sm_90`, of its device.
    """
    summary = session.summary()
    proposer = session.options.proposer
    if summary is None or summary.best == 0 or proposer == _BASELINE or proposer.startswith(_REPLAY):
        return None
    if not any(check.passed and check.number == summary.best for check in summary.final_checks):
        return None
    refused = frozenset(check.number for check in summary.final_checks if not check.passed)
    line = _line_of(session, summary.best) - refused
    trials = tuple(_trial(session, attempt, line, refused) for attempt in session.attempts() if attempt.number > 1)
    times = times_from(attempt.evaluation for attempt in session.attempts())
    if times is None or not any(trial.worked for trial in trials):
        return None
    return Lesson(
        session=session.identifier,
        directory=str(session.directory.resolve()),
        workload=session.workload.name,
        workload_hash=session.workload.content_hash,
        fingerprint=fingerprint_of(session.workload),
        arch=arch,
        gpu=times.gpu,
        measured=not times.estimated,
        trials=tuple(trial for trial in trials if trial.technique),
    )


def _line_of(session: Session, best: int) -> frozenset[int]:
    """The best attempt and everything that it was made from, as far as it was promoted."""
    line, number = set(), best
    while number:
        line.add(number)
        number = session.attempt(number).parent
    return frozenset(line & set(session.incumbents()))


def _trial(session: Session, attempt: Attempt, line: frozenset[int], refused: frozenset[int]) -> Trial:
    hypothesis = attempt.hypothesis
    worked = attempt.number in line and attempt.number != session.incumbents()[0]
    return Trial(
        attempt=attempt.number,
        technique="" if hypothesis is None else _one_line(hypothesis.technique),
        card=None if hypothesis is None else hypothesis.card,
        bottleneck=_treated(session, attempt),
        gain=_gain(session, attempt, refused) if worked else _loss(session, attempt, refused),
        worked=worked,
        proposer=attempt.proposer,
    )


def _treated(session: Session, attempt: Attempt) -> str | None:
    if attempt.hypothesis is not None and attempt.hypothesis.bottleneck is not None:
        return attempt.hypothesis.bottleneck
    diagnosis = session.diagnosis(attempt.parent) if attempt.parent else None
    return None if diagnosis is None else diagnosis.bottleneck


def _loss(session: Session, attempt: Attempt, refused: frozenset[int]) -> float | None:
    """Of an attempt that was measured and lost to what stands; a win that nothing bears out is worth nothing."""
    evaluation = attempt.evaluation
    if evaluation.outcome is not Outcome.SLOWER or evaluation.reason is not None:
        return None
    gain = _gain(session, attempt, refused)
    return gain if gain is not None and gain < 1 else None


def _gain(session: Session, attempt: Attempt, refused: frozenset[int]) -> float | None:
    """Over the best before it that stands; a paired run against one that was refused says nothing."""
    former = [number for number in session.incumbents() if number < attempt.number]
    standing = [number for number in former if number not in refused]
    if not standing:
        return None
    if attempt.evaluation.speedup is not None and standing[-1] == former[-1]:
        return attempt.evaluation.speedup
    own, other = attempt.evaluation.geomean_us, session.attempt(standing[-1]).evaluation.geomean_us
    return other / own if own and other else None


def _one_line(text: str) -> str:
    """A model may have written it, and later prompts quote it: one short line of printable characters."""
    plain = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(plain.split())[:_NAME_LENGTH]
