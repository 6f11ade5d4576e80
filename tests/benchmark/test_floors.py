"""Floors of measured times: what is refused, what must be explained, and what nobody is accused of."""

from dataclasses import replace

import pytest

from loop.tiny import WORKLOAD, write_tiny
from warpwright.benchmark.floors import Floors, Zone, below_floor, hard_floor_us, measured_floors
from warpwright.device.measurement import EmptyLaunch
from warpwright.hardware import GpuSpec, load_gpu
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Workload

EMPTY = EmptyLaunch(median_us=3.2, p5_us=3.0, count=100)
FLOORS = Floors(soft_us=10.0, output_us=4.0, soft_reason="moving 1 MiB takes", output_bytes=1 << 20)
MIB = 1 << 20


@pytest.fixture(scope="module")
def streaming(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    """y = a x with 64 Mi elements: 256 MiB in, 256 MiB out."""
    directory = write_tiny(tmp_path_factory.mktemp("floors") / "streaming")
    text = WORKLOAD.replace('"1..4096"', '"1..67108864"').replace("n = 2048", "n = 67108864")
    (directory / "workload.toml").write_text(text, encoding="utf-8")
    return load_workload(directory)


@pytest.fixture(scope="module")
def gpu() -> GpuSpec:
    return load_gpu("h200")


def test_writes_that_may_still_lie_in_l2_do_not_count(streaming: Workload, gpu: GpuSpec) -> None:
    found = measured_floors(streaming, streaming.case("small"), gpu)
    expected = (512 * MIB - gpu.memory.l2_bytes) / gpu.throughput.dram_bytes_per_s * 1e6
    assert found.soft_us == pytest.approx(expected)
    assert found.output_us == pytest.approx(256 * MIB / (1.2 * gpu.throughput.l2_bytes_per_s) * 1e6)


def test_a_warm_cache_may_hold_as_much_as_it_has(streaming: Workload, gpu: GpuSpec) -> None:
    warm = replace(streaming, cold_cache=False)
    small = replace(streaming.case("small"), dims={"n": 4096})
    assert measured_floors(warm, small, gpu).soft_us is None
    assert measured_floors(warm, warm.case("small"), gpu).soft_us is not None


def test_a_gpu_that_nobody_measured_has_no_floor_of_l2(streaming: Workload, gpu: GpuSpec) -> None:
    found = measured_floors(streaming, streaming.case("small"), replace(gpu, calibrated=False))
    assert found.output_us is None


ZONES = {
    "honest": ((12.0,), 12.0, FLOORS, EMPTY, None),
    "below the memory": ((9.0,), 9.0, FLOORS, EMPTY, Zone.SOFT),
    "below L2": ((3.5,), 3.5, FLOORS, EMPTY, Zone.HARD),
    "below an empty launch": ((2.9,), 2.9, FLOORS, EMPTY, Zone.HARD),
    "within the spread of an empty launch": ((3.1,), 3.1, Floors(None, None), EMPTY, None),
    "nothing known": ((0.001,), 0.001, Floors(None, None), None, None),
    "no time at all": ((12.0, 0.0), None, FLOORS, EMPTY, Zone.HARD),
}


@pytest.mark.parametrize(("samples", "median", "floors", "empty", "zone"), ZONES.values(), ids=ZONES)
def test_zones(
    samples: tuple[float, ...], median: float | None, floors: Floors, empty: EmptyLaunch | None, zone: Zone | None
) -> None:
    found = below_floor(samples, median, floors, empty)
    assert (None if found is None else found.zone) is zone


def test_the_hard_floor_is_the_higher_of_what_is_known() -> None:
    assert hard_floor_us(FLOORS, EMPTY) == 4.0
    assert hard_floor_us(Floors(None, None), EMPTY) == 3.0
    assert hard_floor_us(Floors(None, None), None) is None
