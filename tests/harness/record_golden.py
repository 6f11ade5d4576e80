"""Not collected by itself: records `tests/golden/harness/conversation.json` anew, after a change of the protocol."""

from collections.abc import Callable

from harness.test_golden import record
from harness.wire import Wire


def test_record(serve: Callable[..., Wire]) -> None:
    record(serve(noise=0))
