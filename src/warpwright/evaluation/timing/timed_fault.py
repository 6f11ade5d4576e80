"""A fault under the clock, in words that tell nothing of the values that the launch had."""

import re
from dataclasses import replace

from warpwright.device.protocol import Fault, FaultKind
from warpwright.evaluation.failure import Failure
from warpwright.evaluation.timing.timer import TimedSubject, timing_failure

_PLACE = re.compile(r"^block \d+ \(contestant \d+\): ")
"""How the harness says in which block of the schedule it happened: the kernel's to choose, by what it reads."""
_BEYOND = "something beyond an array was overwritten under the clock. Check the bounds of every store."
"""Where and how much is the kernel's to choose, too."""


def timed_failure(subject: TimedSubject, fault: Fault) -> Failure:
    """The candidate's failure; what is told of it must not depend on values of secret seeds."""
    text = _BEYOND if fault.kind is FaultKind.OOB_WRITE else _PLACE.sub("", fault.message)
    return timing_failure(subject, replace(fault, message=text, line=None, block=None, thread=None))
