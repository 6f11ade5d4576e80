"""What is said of times at their roof and beyond: why the floor is lower, and what a time means that is too short."""

from warpwright.profiler.diagnosis.figures import figures
from warpwright.profiler.diagnosis.situation import Situation
from warpwright.units import format_us, labelled
from warpwright.workload.floor import Binding

AT_THE_ROOF = "at_the_roof"
"""The class."""

_LEFT_OUT = {
    Binding.LAUNCH.value: "it is the launch alone, without the work",
    Binding.FLOPS.value: "it leaves out the launch",
}
_ANY_FLOOR = "it counts launch or work, not both"


def floor_words(situation: Situation, uncertainty_ratio: float | None) -> str:
    """`The floor of 21.0 us is lower: ...`; empty unless the time is above it by more than noise.

    uncertainty_ratio: of an estimated time, None: it was measured.
    """
    time_us, floor_us = situation.time_us, situation.floor_us
    noise = figures().noise_ratio if uncertainty_ratio is None else uncertainty_ratio
    if time_us is None or floor_us is None or time_us - floor_us <= noise * time_us:
        return ""
    return f"The floor of {format_us(floor_us)} is lower: {_why_lower(situation)}."


def too_fast(situation: Situation, uncertainty_ratio: float | None, *, estimated: bool) -> str | None:
    """Said of a measured time below the floor, and of an estimate below what is attainable, by more than noise."""
    if situation.time_us is None:
        return None
    if estimated:
        return _disagreement(situation.time_us, situation.attainable_us, uncertainty_ratio)
    return _below_floor(situation.time_us, situation.floor_us)


def _why_lower(situation: Situation) -> str:
    if situation.floor_binding == Binding.BYTES.value and situation.warm_l2 is not None:
        rate = "L2 at its peak rate" if situation.warm_l2 else "DRAM at its data sheet's rate"
        return f"it leaves out the launch and takes {rate}"
    return _LEFT_OUT.get(situation.floor_binding or "", _ANY_FLOOR)


def _below_floor(time_us: float, floor_us: float | None) -> str | None:
    if floor_us is None or floor_us / time_us <= 1.0 + figures().noise_ratio:
        return None
    return (
        f"the case takes {format_us(time_us)}, less than its floor of {format_us(floor_us)}: it needs less work than the floor "
        "counts, or the GPU is faster than its figures say; how much is left to gain is unknown"
    )


def _disagreement(time_us: float, attainable_us: float | None, uncertainty_ratio: float | None) -> str | None:
    if attainable_us is None or uncertainty_ratio is None or attainable_us / time_us < 1.0 + uncertainty_ratio:
        return None
    return (
        f"the cost model gives {labelled(format_us(time_us), estimated=True)}, and moving the bytes or doing the operations "
        f"alone takes {format_us(attainable_us)} as a rule: they disagree by more than the estimate's uncertainty of "
        f"{uncertainty_ratio * 100:.0f} %, so how much is left to gain is unknown"
    )
