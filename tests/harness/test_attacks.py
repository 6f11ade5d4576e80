"""Kernels that cheat under the clock with all that they could find in device memory: what they gain is seen.

Their code: `tests/standin/kernels_attack.cpp`.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from harness.requests import Axpb, Body, array, expected
from harness.wire import Array, Wire

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


def test_a_launch_that_writes_answers_into_the_inputs_of_later_ones_ends_the_measurement(opened: Opened) -> None:
    """Inputs that the host made lie on the device as a pool."""
    wire = opened("poisons_pool")
    request, pools = _pooled(1000, entries=4)
    blocks = [_turns(first, 10, 4) for first in (0, 10)]
    reply = wire.ask("time", *pools, **request | {"blocks": blocks})
    assert reply.body["fatal"] is True
    assert reply.fault["kind"] == "trap"
    assert reply.fault["launch"] is None  # the one that changed them is an earlier one
    assert reply.fault["entry"] is None
    assert (
        "block 0 (contestant 0): the launch failed, since inputs that are kept on the device" in reply.fault["message"]
    )


def test_in_a_paired_run_they_end_it_too(opened: Opened) -> None:
    wire = opened("axpb", "poisons_pool")
    request, pools = _pooled(1000, entries=4)
    honest = {"module": "candidate", "plan": Axpb(1000).plan}
    blocks = [_turns(0, 10, 4), {**_turns(10, 10, 4), "contestant": 1}]
    contestants = [honest, *request["contestants"]]
    reply = wire.ask("time", *pools, **request | {"blocks": blocks, "contestants": contestants})
    assert "block 1 (contestant 1): the launch failed, since inputs" in reply.fault["message"]


def test_who_changed_them_is_not_who_finds_them_changed(opened: Opened) -> None:
    """No entry is named, so that the blame is the newest contestant's."""
    wire = opened("axpb", "poisons_pool")
    request, pools = _pooled(1000, entries=4)
    honest = {"module": "candidate", "plan": Axpb(1000).plan}
    blocks = [{**_turns(0, 1, 4), "contestant": 1}, _turns(0, 4, 4)]
    contestants = [honest, *request["contestants"]]
    reply = wire.ask("time", *pools, **request | {"blocks": blocks, "contestants": contestants})
    assert "block 1 (contestant 0): the launch failed, since inputs" in reply.fault["message"]
    assert reply.fault["entry"] is None


@pytest.mark.parametrize("count", [1, 7, 1000])
def test_honest_kernels_get_their_inputs_from_a_pool_again_and_again(opened: Opened, count: int) -> None:
    wire = opened("axpb")
    for _ in range(2):
        request, pools = _pooled(count, entries=3)
        request["contestants"] = [{"module": "candidate", "plan": Axpb(count).plan}]
        blocks = [_turns(first, 10, 3, keep=[1, 9]) for first in (0, 10)]
        reply = wire.ask("time", *pools, **request | {"blocks": blocks})
        for kept, y in zip(reply["kept"], reply.arrays, strict=True):
            entry = (10 * kept["block"] + kept["launch"]) % 3
            np.testing.assert_array_equal(y, np.float32(2.5) * pools[entry] + pools[3 + entry])


def _pooled(count: int, entries: int) -> tuple[Body, list[Array]]:
    """A request of `poisons_pool` whose x and b come from pools, without blocks; the entries of x, then those of b."""
    numbers = np.random.default_rng(count)
    pools = [numbers.standard_normal(count).astype(np.float32) for _ in range(2 * entries)]
    arrays = [
        array("y", "out", count),
        array("x", "in", count, pool=list(range(entries))),
        array("b", "in", count, pool=list(range(entries, 2 * entries))),
    ]
    return Axpb(count, launch={"symbol": "poisons_pool"}).time(arrays=arrays), pools


def _turns(first: int, launches: int, entries: int, keep: Sequence[int] = ()) -> Body:
    """A block whose launches take the entries by turns."""
    scheduled = [
        {"values": dict.fromkeys(("x", "b"), (first + i) % entries), "keep": i in keep} for i in range(launches)
    ]
    return {"contestant": 0, "launches": scheduled}
