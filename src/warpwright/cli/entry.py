"""What `warpwright try` says: who proposes, and what became of the candidate."""

from pathlib import Path

from warpwright.candidate.candidate import Candidate
from warpwright.candidate.directory import CANDIDATE_FILE, load_candidate, load_candidate_with
from warpwright.cli.output import print_json, results
from warpwright.errors import UsageError
from warpwright.evaluation.summary import evaluation_to_json
from warpwright.loop.entering import Entered
from warpwright.record.session import Session
from warpwright.report.tables import evaluation_table

_PERSON = "person"
_SUFFIX = ".cu"
_NAME_LENGTH = 60


def proposer_name(by: str | None) -> str:
    """How the record names who proposes: `person`, or `person:NAME`. Raises: UsageError for a name that is no short line."""
    if by is None:
        return _PERSON
    name = by.strip()
    if not name or not name.isprintable() or len(name) > _NAME_LENGTH:
        raise UsageError(f"--by {by!r}: give a name of 1 to {_NAME_LENGTH} printable characters.")
    return f"{_PERSON}:{name}"


def load_entry(kernel: Path, launch: Path | None, initial: Candidate) -> Candidate:
    """The candidate that is to be judged; initial: whose plan a lone file takes.

    Attempts are never taken back, so what can be no kernel begins none. Raises: UsageError, CandidateError.
    """
    if kernel.is_file() and kernel.suffix != _SUFFIX:
        raise UsageError(
            f"{kernel}: the name must end in {_SUFFIX}. Give CUDA source, or a directory with {CANDIDATE_FILE}."
        )
    candidate = load_candidate_with(launch, kernel) if launch else load_candidate(kernel, initial)
    if not candidate.source.strip():
        raise UsageError(f"{kernel}: the source is empty. Nothing was recorded.")
    return candidate


def print_entered(session: Session, entered: Entered, *, as_json: bool) -> None:
    """The evaluation, the number of the attempt and what it changed."""
    attempt, check = entered.attempt, entered.final_check
    if as_json:
        print_json(
            {
                "session": session.identifier,
                "attempt": attempt.number,
                "known": entered.known,
                "best": entered.best or None,
                "passed": entered.passed,
                "final_check": None if check is None else {"passed": check.passed, "message": check.message},
                **evaluation_to_json(attempt.evaluation),
            }
        )
        return
    results().print(evaluation_table(attempt.evaluation))
    results().print(_words(session, entered), markup=False, soft_wrap=True)


def _words(session: Session, entered: Entered) -> str:
    number, check = entered.attempt.number, entered.final_check
    known = f"the same candidate as attempt {number}, answered from the record; " if entered.known else ""
    refused = "" if check is None or check.passed else f" Refused in its last checks: {check.message}."
    best = f"the best is attempt {entered.best}" if entered.best else "nothing has passed every check"
    if entered.best == number:
        best = f"now the best: {session.directory / 'best'}" if not entered.known else "the best"
    return f"{known}attempt {number}: {entered.attempt.evaluation.label}; {best}.{refused}"
