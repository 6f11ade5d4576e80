"""Time limits by device and by what the incumbent takes; copies of arrays by memory."""

import pytest

from warpwright.evaluation.timing.limits import fixed_schedule_s, run_limit_s, schedule_limit_s, search_limit_s
from warpwright.evaluation.timing.timed_cases import set_count
from warpwright.hardware import load_gpu
from warpwright.workload.model import DeviceKind

GIB = 1 << 30
LIMITS = [
    (DeviceKind.EMULATOR, None, None, 30.0),
    (DeviceKind.EMULATOR, None, 10.0, 30.0),
    (DeviceKind.GPU, None, None, 10.0),
    (DeviceKind.GPU, None, 20.0, 2.0),
    (DeviceKind.GPU, None, 200_000.0, 10.0),
    (DeviceKind.GPU, 7.5, 200_000.0, 7.5),
]


@pytest.mark.parametrize(("kind", "chosen", "known_us", "expected"), LIMITS)
def test_limit_of_a_run(kind: DeviceKind, chosen: float | None, known_us: float | None, expected: float) -> None:
    assert run_limit_s(kind, chosen, known_us) == pytest.approx(expected)


SCHEDULES = [(None, 110, 20.0), (20.0, 110, 2.11), (2000.0, 110, 13.0), (1e6, 110, 20.0)]


@pytest.mark.parametrize(("known_us", "launches", "expected"), SCHEDULES)
def test_limit_of_the_launches_of_a_schedule(known_us: float | None, launches: int, expected: float) -> None:
    assert schedule_limit_s(known_us, launches) == pytest.approx(expected)


H200 = load_gpu("h200")
FILLED = H200.throughput.dram_bytes_per_s / 20
FLUSH = 3 * H200.memory.l2_bytes
FIXED = [
    (110, 0, 0, True, 0.05 + 110 * FLUSH / FILLED),
    (110, 1 << 30, 0, True, 0.05 + 110 * ((2 << 30) + FLUSH) / FILLED),
    (110, 1 << 30, 0, False, 0.05 + 110 * (3 << 30) / FILLED),
    (0, 0, 7 * (32 << 20), True, 0.05 + 7 * (32 << 20) / 250e6),
]


@pytest.mark.parametrize(("launches", "set_bytes", "copied_bytes", "cold", "expected"), FIXED)
def test_what_a_schedule_takes_beside_its_launches(
    launches: int, set_bytes: int, copied_bytes: int, cold: bool, expected: float
) -> None:
    found = fixed_schedule_s(H200, launches, set_bytes, copied_bytes, cold_cache=cold)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("known_us", "launches", "expected"),
    [(None, 13, 20.0), (20.0, 13, 2.0026), (10_000.0, 13, 3.3), (200_000.0, 4, 10.0), (1e6, 4, 20.0)],
)
def test_limit_in_a_search(known_us: float | None, launches: int, expected: float) -> None:
    assert search_limit_s(known_us, launches) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("set_bytes", "memory_bytes", "expected"),
    [(64 << 20, 140 * GIB, 10), (GIB, 140 * GIB, 10), (GIB, 16 * GIB, 4), (8 * GIB, 16 * GIB, 2), (0, 0, 10)],
)
def test_copies_of_the_arrays(set_bytes: int, memory_bytes: int, expected: int) -> None:
    assert set_count(set_bytes, memory_bytes) == expected
