"""In which order the cases of a candidate are timed and judged."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from warpwright.candidate.resolved import ResolvedPlan
from warpwright.device.protocol import Program
from warpwright.evaluation.course import Course
from warpwright.evaluation.failure import Failure
from warpwright.evaluation.outcome import CaseEvaluation
from warpwright.evaluation.timing.in_turn import MOST_WAITING_BYTES, time_cases
from warpwright.evaluation.timing.timer import Taken, Timed, TimedSubject
from warpwright.workload.model import Workload

PROGRAM = Program("", b"", "sm_90", {}, {}, "kernel.cu")
WRONG = Failure("rejected.timed_mismatch", "the outputs are wrong")
CRASH = Failure("crash.trap", "it trapped under the clock")
QUESTION = Failure("suspicious.below_soft_floor", "too fast")


@dataclass
class Scripted:
    """A timer that says what each case is to give, and notes what was done."""

    answers: dict[str, Timed | Failure]
    failed: tuple[str, ...] = ()
    waiting_bytes: int = 1000
    done: list[str] = field(default_factory=list)

    def take(self, found: CaseEvaluation, subject: TimedSubject) -> Taken:
        name = subject.case.name
        self.done.append(f"time {name}")

        def judge() -> Timed | Failure:
            self.done.append(f"judge {name}")
            return self.answers.get(name, Timed(replace(found, message=f"{name} was judged")))

        return Taken(judge, self.waiting_bytes, name in self.failed)


def timed(timer: Scripted, axpb: Workload, names: Sequence[str] = ("one", "ragged", "timed")) -> tuple[object, Course]:
    course = Course(axpb.initial, axpb.cases)
    subjects = [TimedSubject(PROGRAM, ResolvedPlan((), ()), axpb.case(name)) for name in names]
    return time_cases(timer, course, subjects), course


def test_nothing_is_judged_while_anything_is_still_to_be_timed(axpb: Workload) -> None:
    timer = Scripted({"ragged": Timed(CaseEvaluation("ragged", axpb.case("ragged").kind, None), QUESTION)})
    failure, course = timed(timer, axpb)
    assert failure is None
    assert timer.done == ["time one", "time ragged", "time timed", "judge one", "judge ragged", "judge timed"]
    assert course.found["timed"].message == "timed was judged"
    assert course.questions == [QUESTION]
    assert course.seconds.keys() == {"time"}


def test_the_failure_of_an_earlier_case_comes_first(axpb: Workload) -> None:
    timer = Scripted({"one": WRONG, "ragged": CRASH}, failed=("ragged",))
    assert timed(timer, axpb)[0] is WRONG
    assert timer.done == ["time one", "time ragged", "judge one"]


def test_behind_a_case_that_failed_nothing_is_timed(axpb: Workload) -> None:
    timer = Scripted({"ragged": CRASH}, failed=("ragged",))
    failure, course = timed(timer, axpb)
    assert failure is CRASH
    assert timer.done == ["time one", "time ragged", "judge one", "judge ragged"]
    assert course.found["one"].message == "one was judged"


def test_outputs_that_take_much_memory_do_not_wait(axpb: Workload) -> None:
    timer = Scripted({}, waiting_bytes=MOST_WAITING_BYTES // 2 + 1)
    assert timed(timer, axpb)[0] is None
    assert timer.done == ["time one", "time ragged", "judge one", "judge ragged", "time timed", "judge timed"]
    timer = Scripted({"one": WRONG}, waiting_bytes=MOST_WAITING_BYTES + 1)
    assert timed(timer, axpb)[0] is WRONG
    assert timer.done == ["time one", "judge one"]
