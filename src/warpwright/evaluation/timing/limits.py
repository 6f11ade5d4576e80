"""How long a candidate may take before it is stopped (M44)."""

from warpwright.benchmark.series import SPIN_MS
from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.units import MIB, US_PER_S
from warpwright.workload.model import DeviceKind

EMULATED_S = 30.0
"""One run of a plan on the emulator."""
UNKNOWN_S = 10.0
"""One run on a GPU of a case that nothing has been timed on yet."""
LEAST_S = 2.0
KNOWN_FACTOR = 50.0
"""One run on a GPU may take this many times as long as the incumbent, but at least LEAST_S."""
SEARCH_FACTOR = 10.0
"""In a search the launches of a case may take this many times as long as the incumbent's, and LEAST_S."""
SCHEDULE_S = 20.0
"""Most for the 110 launches of one case; a paired run has twice as many and twice the time. What the schedule itself takes
beside its launches comes on top."""
_SLOWEST_COPY_BYTES_PER_S = 250e6
"""Pools on their way to the GPU and kept outputs on theirs to the host do not count as hanging."""
_FILL_SHARE = 1 / 20
"""Of the memory's peak: refilling, poisoning and flushing, on a machine that is slow at it."""
_FILLS = 2
"""Of the arrays for each launch: before it, and for its share of the poison between blocks."""
_LEAST_FLUSH_BYTES = 64 * MIB


def run_limit_s(kind: DeviceKind, chosen_s: float | None, known_us: float | None = None) -> float:
    """Wall clock of one run of a plan. chosen_s: what the user asked for. known_us: the incumbent's time of this case."""
    if chosen_s is not None:
        return chosen_s
    if kind is DeviceKind.EMULATOR:
        return EMULATED_S
    return UNKNOWN_S if known_us is None else max(LEAST_S, KNOWN_FACTOR * known_us / US_PER_S)


def schedule_limit_s(known_us: float | None, launches: int) -> float:
    """Wall clock of all launches of one case alone. known_us: of one unit; None: nothing is known."""
    return _limit_s(known_us, launches, KNOWN_FACTOR)


def search_limit_s(known_us: float | None, launches: int) -> float:
    """The same in a search: a point that is stopped there would have been of no use."""
    return _limit_s(known_us, launches, SEARCH_FACTOR)


def fixed_schedule_s(gpu: GpuSpec, launches: int, set_bytes: int, copied_bytes: int, *, cold_cache: bool) -> float:
    """What a schedule takes beside its launches, at most: the GPU busy before them, copies, and before each launch new inputs,
    poison and a flush.

    set_bytes: all arrays once. copied_bytes: pools of inputs and kept outputs.
    """
    flush = max(2 * gpu.memory.l2_bytes, _LEAST_FLUSH_BYTES) + gpu.memory.l2_bytes if cold_cache else set_bytes
    filled_bytes = launches * (_FILLS * set_bytes + flush)
    fill_s = filled_bytes / (_FILL_SHARE * gpu.throughput.dram_bytes_per_s)
    return SPIN_MS / 1e3 + copied_bytes / _SLOWEST_COPY_BYTES_PER_S + fill_s


def _limit_s(known_us: float | None, launches: int, factor: float) -> float:
    if known_us is None:
        return SCHEDULE_S
    return min(SCHEDULE_S, LEAST_S + factor * known_us / US_PER_S * launches)
