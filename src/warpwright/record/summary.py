"""How a session ended."""

from dataclasses import dataclass

from warpwright.benchmark.figure import PairedFigure
from warpwright.profiler.sanitizer.report import SanitizerReport


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
    elapsed_s: wall time over all processes of the session. published: the speed-up over the initial kernel, from a paired
    run of its own after the search (M37); published_reference: over the reference kernel. unpublished: why there is none.
    sanitizer: what compute-sanitizer said of the best attempt; None where none was best, or an older Warpwright ended it.
    """

    stop: str
    best: int
    final_checks: tuple[FinalCheck, ...]
    elapsed_s: float
    published: PairedFigure | None = None
    published_reference: PairedFigure | None = None
    unpublished: str = ""
    sanitizer: SanitizerReport | None = None
