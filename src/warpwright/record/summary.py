"""How a session ended."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FinalCheck:
    """Hidden cases with fresh seeds, run on one attempt after the search. message: what they showed."""

    number: int
    passed: bool
    message: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The end of a session, in `summary.json`.

    stop: why nothing more was tried. best: the attempt that every check bears out, 0 = none.
    elapsed_s: wall time over all processes of the session.
    """

    stop: str
    best: int
    final_checks: tuple[FinalCheck, ...]
    elapsed_s: float
