"""Kernels that cheat under the clock with all that they could find in device memory: what they gain is seen.

Their code: `tests/standin/kernels_attack.cpp`.
"""

from collections.abc import Callable

import numpy as np

from harness.requests import Axpb, expected
from harness.wire import Wire

Opened = Callable[..., Wire]


def test_a_launch_that_does_the_work_of_earlier_ones_comes_too_late(opened: Opened) -> None:
    wire = opened("repairs_kept")
    request = Axpb(1000, launch={"symbol": "repairs_kept"})
    blocks = [request.block(keep=[2, 6, 9]), request.block(first=11, keep=[0, 8])]
    reply = wire.ask("time", **request.time(*blocks))
    right = [
        np.array_equal(y, expected(1000, 1 + 10 * kept["block"] + kept["launch"]))
        for kept, y in zip(reply["kept"], reply.arrays, strict=True)
    ]
    assert [(kept["block"], kept["launch"]) for kept in reply["kept"]] == [(0, 2), (0, 6), (0, 9), (1, 0), (1, 8)]
    assert right == [False, False, True, False, False]  # the tenth computes for itself
