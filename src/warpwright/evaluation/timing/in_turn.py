"""Times the cases of a candidate one right behind the other; what came of them is judged when nothing is measured any more."""

from collections.abc import Sequence

from warpwright.evaluation.course import Course
from warpwright.evaluation.failure import Failure
from warpwright.evaluation.timing.timer import Taken, TimedSubject, Timer
from warpwright.units import MIB

MOST_WAITING_BYTES = 512 * MIB
"""Outputs of timed launches that may wait in memory for their comparison."""


def time_cases(timer: Timer, course: Course, subjects: Sequence[TimedSubject]) -> Failure | None:
    """The first failure in the order of the cases. Otherwise every case has its time, and the course the open questions.

    Comparing the outputs of one case before the next is measured would let the GPU's clocks go down meanwhile, and fresh
    processes could not be made ready beside it. Raises: as `Timer.take`, and WorkloadError if the oracle fails.
    """
    waiting: dict[str, Taken] = {}
    for subject in subjects:
        name = subject.case.name
        course.begin(f"time {name}")
        with course.clock("time"):
            waiting[name] = taken = timer.take(course.found[name], subject)
            held_bytes = sum(each.waiting_bytes for each in waiting.values())
            full = taken.failed or held_bytes > MOST_WAITING_BYTES
            failure = _judge(course, waiting) if full else None
        if failure is not None:
            return failure
    with course.clock("time"):
        return _judge(course, waiting)


def _judge(course: Course, waiting: dict[str, Taken]) -> Failure | None:
    """All that wait, in order; nothing waits behind it."""
    while waiting:
        name = next(iter(waiting))
        timed = waiting.pop(name).judge()
        if isinstance(timed, Failure):
            return timed
        course.found[name] = timed.found
        if timed.question is not None:
            course.questions.append(timed.question)
    return None
