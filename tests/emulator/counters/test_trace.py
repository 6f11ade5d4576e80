import numpy as np
import pytest

from warpwright.emulator.counters.trace import Trace, sector_stream
from warpwright.emulator.execution import TRACE_DTYPE
from warpwright.emulator.memory.arena import BASE_ADDRESS


def requests(addresses: list[list[int]], warp: list[int], size: int = 4) -> Trace:
    """One request for each list of lane offsets; absent lanes are inactive."""
    trace = np.zeros(len(addresses), TRACE_DTYPE)
    for row, lanes in enumerate(addresses):
        trace[row]["warp"], trace[row]["size"] = warp[row], size
        trace[row]["mask"] = (1 << len(lanes)) - 1
        trace[row]["address"][: len(lanes)] = [BASE_ADDRESS + offset for offset in lanes]
    return trace


def test_warps_advance_in_step() -> None:
    one = requests([[0], [32], [64]], [0, 0, 0])
    two = requests([[1024], [1056]], [0, 1])
    stream = sector_stream([one, two])
    assert stream.sector.tolist() == [0, 32, 33, 1, 2]
    assert stream.block.tolist() == [0, 1, 1, 0, 0]
    assert stream.part == 1


def test_lanes_in_one_sector_are_one_access() -> None:
    stream = sector_stream([requests([[4 * lane for lane in range(32)]], [0])])
    assert stream.sector.tolist() == [0, 1, 2, 3]


def test_inactive_lanes_do_not_count() -> None:
    assert sector_stream([requests([[0, 512]], [0])]).sector.tolist() == [0, 16]


def test_long_streams_keep_a_fixed_part_of_the_lines() -> None:
    scattered = [[(row * 32 + lane) * 128 for lane in range(32)] for row in range(20_000)]
    stream = sector_stream([requests(scattered, [0] * len(scattered))])
    assert stream.part < 1
    assert len(stream.sector) / (32 * 20_000) == pytest.approx(stream.part, rel=0.05)
