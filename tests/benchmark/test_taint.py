"""Taint: which blocks were measured while the GPU was held back."""

from dataclasses import replace

import pytest

from warpwright.benchmark.taint import tainted_rounds, throttled
from warpwright.device.measurement import BlockRecord, Phase


def block(number: int, mhz: float | None = 1980.0, throttle: tuple[str, ...] | None = (), side: int = 0) -> BlockRecord:
    return BlockRecord(side, Phase.MEASURED, number, (1.0,), sm_mhz=mhz, throttle=throttle)


@pytest.mark.parametrize("reason", ["GpuIdle", "gpu_idle", "ApplicationsClocksSetting", "applications clocks setting"])
def test_idling_and_chosen_clocks_hold_nothing_back(reason: str) -> None:
    assert not throttled(block(0, throttle=(reason,)))


@pytest.mark.parametrize("reason", ["SwPowerCap", "HwSlowdown", "sw_thermal_slowdown", "HwPowerBrakeSlowdown"])
def test_every_other_reason_is_a_taint(reason: str) -> None:
    assert tainted_rounds([block(0), block(1, throttle=("GpuIdle", reason))]) == {1}


def test_a_blocker_that_gave_up_is_a_taint_and_one_that_was_not_wanted_is_none() -> None:
    gave_up = replace(block(1), blocker="off: it gave up after 2 s, the host took longer to queue the block")
    unwanted = replace(block(2), blocker="off: the unit took longer than 5 ms in the block before")
    assert tainted_rounds([block(0), gave_up, unwanted]) == {1}


def test_a_clock_below_nine_tenths_of_its_sides_median_is_a_taint() -> None:
    own = [block(number) for number in range(4)] + [block(4, mhz=1780.0), block(5, mhz=1790.0)]
    other = [block(number, mhz=1500.0, side=1) for number in range(6)]
    assert tainted_rounds([*own, *other]) == {4}


def test_what_is_unknown_is_no_taint() -> None:
    assert tainted_rounds([block(0, mhz=None, throttle=None), block(1, mhz=None, throttle=None)]) == frozenset()


def test_warm_ups_and_replaced_blocks_are_not_asked() -> None:
    slow = BlockRecord(0, Phase.WARM_UP, None, (1.0,), sm_mhz=300.0, throttle=("HwSlowdown",))
    old = BlockRecord(0, Phase.REPLACED, 1, (1.0,), sm_mhz=300.0, throttle=("HwSlowdown",))
    assert tainted_rounds([slow, old, block(0), block(1)]) == frozenset()
