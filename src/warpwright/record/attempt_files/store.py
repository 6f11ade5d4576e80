"""The attempts of one session on disk: begun before the work, finished after it, never rewritten."""

from collections.abc import Container, Iterable
from datetime import UTC, datetime
from pathlib import Path

from warpwright.candidate.candidate import Candidate
from warpwright.candidate.directory import load_candidate, write_candidate
from warpwright.errors import CandidateError, RecordError
from warpwright.evaluation.outcome import Evaluation, Outcome
from warpwright.record.attempt import Attempt, Hypothesis, PendingAttempt, TuningPoint
from warpwright.record.attempt_files.evaluation_files import OUTCOME, decode_evaluation, encode_evaluation
from warpwright.record.files import (
    append_line,
    read_bytes,
    read_lines,
    read_model,
    remove_partial,
    repair_tail,
    sync_directory,
    to_bytes,
    to_line,
    write_atomic,
)
from warpwright.record.schema import HypothesisModel, ProposalFile, TuningDoneFile, TuningLine

_PROPOSAL = Path("proposal") / "proposal.json"
_TUNING = "tuning.jsonl"
_TUNING_DONE = "tuning.json"


def incumbent_numbers(outcomes: Iterable[tuple[int, Outcome]], refused: Container[int] = ()) -> tuple[int, ...]:
    """Which of (number, outcome) became incumbent in turn: the first that passed, then every `improved`.

    refused: those that failed a final check; what entered the ended session after them had nothing to beat.
    """
    numbers: list[int] = []
    for number, outcome in outcomes:
        alone = all(earlier in refused for earlier in numbers)
        if outcome is Outcome.IMPROVED or (outcome is Outcome.PASSED and alone):
            numbers.append(number)
    return tuple(numbers)


class AttemptStore:
    """`attempts/` of a session. Everything finished is read once at the start and kept.

    Several attempts may be in hand at once. They are finished in the order of their numbers, so that each is judged against
    the incumbent of its turn, and the finished ones are always 1, 2, ... without a gap.
    """

    def __init__(self, directory: Path) -> None:
        """Read `attempts/`. Raises: RecordError naming what is damaged or missing."""
        self._directory = directory
        self._finished: list[Attempt] = []
        self._pending: list[PendingAttempt] = []
        self._load()

    @property
    def finished(self) -> tuple[Attempt, ...]:
        """Finished attempts in order."""
        return tuple(self._finished)

    @property
    def pending(self) -> tuple[PendingAttempt, ...]:
        """Attempts that were begun and are not finished, in order."""
        return tuple(self._pending)

    @property
    def next_number(self) -> int:
        """Number of the attempt that is begun next."""
        return len(self._finished) + len(self._pending) + 1

    def incumbents(self, refused: Container[int] = ()) -> tuple[int, ...]:
        """Every attempt that was the incumbent, in order; the last one is. refused: those that failed a final check."""
        return incumbent_numbers(((a.number, a.evaluation.outcome) for a in self._finished), refused)

    def directory_of(self, number: int) -> Path:
        """Directory of an attempt, begun or finished."""
        return self._directory / f"{number:04d}"

    def repair(self) -> None:
        """Remove what a kill left unfinished; only for the owner of the session."""
        for number in range(1, self.next_number + 1):
            directory = self.directory_of(number)
            repair_tail(directory / _TUNING)
            remove_partial(directory)
            remove_partial(directory / _PROPOSAL.parent)

    def begin(
        self,
        candidate: Candidate,
        hypothesis: Hypothesis | None,
        proposer: str,
        parent: int,
        fabricated_citations: int = 0,
        reason: str = "",
    ) -> int:
        """Allocate the next attempt; an unfinished one's candidate again gets the number it already has.

        Raises: RecordError if the parent is not a finished attempt.
        """
        begun_before = next((p.number for p in self._pending if p.candidate.identity == candidate.identity), None)
        if begun_before is not None:
            return begun_before
        number = self.next_number
        if not 0 <= parent <= len(self._finished):
            raise RecordError(
                f"{self._directory}: attempt {number} names parent {parent}; finished are 1..{len(self._finished)}."
            )
        directory = self.directory_of(number)
        (directory / "proposal").mkdir(parents=True, exist_ok=True)
        for stale in directory.iterdir():
            if stale.is_file():  # a begin that was killed before its proposal.json; nothing was promised yet
                stale.unlink()
        write_candidate(directory, candidate)
        sync_directory(directory)
        begun = PendingAttempt(number, parent, proposer, candidate, hypothesis, fabricated_citations, reason)
        write_atomic(directory / _PROPOSAL, _proposal_bytes(begun))
        sync_directory(self._directory)
        read = self._read_pending(number)
        assert read is not None
        self._pending.append(read)
        return number

    def finish(self, number: int, evaluation: Evaluation) -> Attempt:
        """Write an outcome, `outcome.json` last. The same outcome again changes nothing.

        Gives back what a later reader will see. Raises: RecordError for another outcome of a finished attempt,
        a number that was never begun, or one before whose turn another is unfinished.
        """
        files = encode_evaluation(number, evaluation)
        if 1 <= number <= len(self._finished):
            if read_bytes(self.directory_of(number) / OUTCOME) != files[OUTCOME]:
                raise RecordError(
                    f"{self.directory_of(number)}: already finished with another outcome; attempts are kept."
                )
            return self._finished[number - 1]
        if number not in (pending.number for pending in self._pending):
            raise RecordError(f"{self._directory}: attempt {number} was never begun; the next is {self.next_number}.")
        if number != self._pending[0].number:
            raise RecordError(
                f"{self._directory}: attempt {number} is finished after attempt {self._pending[0].number}, not before it."
            )
        directory = self.directory_of(number)
        for name, content in files.items():
            if name == OUTCOME:
                sync_directory(directory)
            write_atomic(directory / name, content)
        sync_directory(directory)
        attempt = self._read_finished(self._pending[0])
        self._finished.append(attempt)
        del self._pending[0]
        return attempt

    def add_tuning_point(self, number: int, point: TuningPoint) -> None:
        """Append a point to the search that started from an attempt; on the disk before returning."""
        directory = self.directory_of(number)
        if not directory.is_dir():
            raise RecordError(f"{directory}: there is no attempt {number} to tune.")
        line = TuningLine(
            point=dict(point.point),
            launch={case: dict(fields) for case, fields in point.launch.items()},
            label=point.label,
            geomean_us=point.geomean_us,
            message=point.message,
            case_us=dict(point.case_us),
        )
        append_line(directory / _TUNING, to_line(line), durable=True)

    def tuning(self, number: int) -> tuple[TuningPoint, ...]:
        """Points of the search that started from an attempt, in order."""
        lines = read_lines(self.directory_of(number) / _TUNING, TuningLine)
        return tuple(TuningPoint(**row.model_dump()) for row in lines)

    def finish_tuning(self, number: int) -> None:
        """Note that the search from an attempt is at its end."""
        done = TuningDoneFile(points=len(self.tuning(number)))
        write_atomic(self.directory_of(number) / _TUNING_DONE, to_bytes(done))

    def tuning_finished(self, number: int) -> bool:
        """True if the search from an attempt is at its end."""
        return (self.directory_of(number) / _TUNING_DONE).exists()

    def _load(self) -> None:
        if not self._directory.is_dir():
            raise RecordError(f"{self._directory}: missing. Restore it from a copy.")
        found = sorted(
            int(entry.name) for entry in self._directory.iterdir() if entry.is_dir() and entry.name.isdigit()
        )
        for position, number in enumerate(found, start=1):
            if number != position:
                raise RecordError(f"{self.directory_of(position)}: missing, while attempt {number} is there.")
            self._load_one(number, last=number == len(found))

    def _load_one(self, number: int, *, last: bool) -> None:
        """The last one may be a begin that was killed before its proposal.json, which was never promised to anybody."""
        begun = self._read_pending(number)
        ended = (self.directory_of(number) / OUTCOME).exists()
        if begun is None and last:
            return
        if begun is None or (ended and self._pending):
            missing = number if begun is None else self._pending[0].number
            name = _PROPOSAL.as_posix() if begun is None else OUTCOME
            raise RecordError(f"{self.directory_of(missing)}: {name} is missing, while attempt {missing + 1} is there.")
        if ended:
            self._finished.append(self._read_finished(begun))
        else:
            self._pending.append(begun)

    def _read_pending(self, number: int) -> PendingAttempt | None:
        directory = self.directory_of(number)
        if not (directory / _PROPOSAL).exists():
            return None
        proposal = read_model(directory / _PROPOSAL, ProposalFile)
        try:
            candidate = load_candidate(directory)
        except CandidateError as error:
            raise RecordError(f"{directory}: damaged: {error}. Restore it from a copy.") from error
        if candidate.identity != proposal.candidate_identity or number != proposal.number:
            raise RecordError(
                f"{directory}: the candidate is not the one that attempt {number} was begun with. Restore it from a copy."
            )
        return PendingAttempt(
            number=number,
            parent=proposal.parent,
            proposer=proposal.proposer,
            candidate=candidate,
            hypothesis=None if proposal.hypothesis is None else Hypothesis(**proposal.hypothesis.model_dump()),
            fabricated_citations=proposal.fabricated_citations,
            reason=proposal.reason,
        )

    def _read_finished(self, pending: PendingAttempt) -> Attempt:
        return Attempt(
            number=pending.number,
            parent=pending.parent,
            proposer=pending.proposer,
            candidate=pending.candidate,
            hypothesis=pending.hypothesis,
            evaluation=decode_evaluation(self.directory_of(pending.number)),
            fabricated_citations=pending.fabricated_citations,
            reason=pending.reason,
        )


def _proposal_bytes(begun: PendingAttempt) -> bytes:
    hypothesis = begun.hypothesis
    proposal = ProposalFile(
        number=begun.number,
        parent=begun.parent,
        proposer=begun.proposer,
        candidate_identity=begun.candidate.identity,
        hypothesis=None if hypothesis is None else _hypothesis_model(hypothesis),
        fabricated_citations=begun.fabricated_citations,
        reason=begun.reason,
        begun_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    return to_bytes(proposal)


def _hypothesis_model(hypothesis: Hypothesis) -> HypothesisModel:
    return HypothesisModel(
        technique=hypothesis.technique,
        text=hypothesis.text,
        expects=dict(hypothesis.expects),
        bottleneck=hypothesis.bottleneck,
        card=hypothesis.card,
        citations=hypothesis.citations,
    )
