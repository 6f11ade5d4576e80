"""How busy each unit was, as a part of its peak: what the bars of a profile show."""

from dataclasses import dataclass

from warpwright.profiler.counters import Quality
from warpwright.profiler.profile import LaunchCounters

UNITS = (
    ("SM", "sm_throughput_ratio"),
    ("issue slots", "issue_active_ratio"),
    ("DRAM", "dram_throughput_ratio"),
    ("L2", "l2_throughput_ratio"),
    ("L1 / LSU", "l1_throughput_ratio"),
    ("FMA pipe", "pipe_fma_ratio"),
    ("ALU pipe", "pipe_alu_ratio"),
    ("FP64 pipe", "pipe_fp64_ratio"),
    ("XU pipe", "pipe_xu_ratio"),
    ("tensor pipe", "pipe_tensor_ratio"),
    ("occupancy", "occupancy_achieved_ratio"),
    ("occupancy (theoretical)", "occupancy_theoretical_ratio"),
)
"""What gets a bar: label and counter, a part of its peak."""

MAIN_UNITS = 5
"""So many of them are shown even where they idle."""

_IDLE = 0.005


@dataclass(frozen=True, slots=True)
class Bar:
    """One unit. ratio: part of its peak, 0..1, a little more where a tool rounds. estimated: by a cost model."""

    label: str
    counter: str
    ratio: float
    estimated: bool


@dataclass(frozen=True, slots=True)
class UnitBars:
    """A launch's units: those with a bar; idle: known and near 0; unknown: nobody counted them, which is no 0."""

    bars: tuple[Bar, ...]
    idle: tuple[str, ...]
    unknown: tuple[str, ...]


def unit_bars(launch: LaunchCounters) -> UnitBars:
    """The units of a launch in the order of `UNITS`."""
    bars: list[Bar] = []
    idle: list[str] = []
    unknown: list[str] = []
    for number, (label, name) in enumerate(UNITS):
        counter = launch.counters.get(name)
        if counter is None:
            unknown.append(label)
        elif counter.value < _IDLE and number >= MAIN_UNITS:
            idle.append(label)
        else:
            bars.append(Bar(label, name, counter.value, counter.quality is Quality.ESTIMATED))
    return UnitBars(tuple(bars), tuple(idle), tuple(unknown))
