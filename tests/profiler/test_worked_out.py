"""Counters that follow from others."""

import pytest

from warpwright.conditions.language import parse_amount
from warpwright.profiler.counters import Quality, metrics
from warpwright.profiler.profile import Counter, Source
from warpwright.profiler.worked_out import completed

SIDES = {
    "global_load_sectors": 1_048_576.0,
    "global_load_bytes_per_sector": 32.0,
    "global_store_sectors": 8192.0,
    "global_store_bytes_per_sector": 4.0,
}


def counted(values: dict[str, float], quality: Quality = Quality.MEASURED) -> dict[str, Counter]:
    return {name: Counter(value, Source.NCU, quality) for name, value in values.items()}


def wasted(values: dict[str, float]) -> float | None:
    found = completed(counted(values)).get("global_wasted_ratio")
    return None if found is None else found.value


def test_a_few_stores_of_one_value_each_waste_next_to_nothing() -> None:
    """A warp for each row: its sum is 4 bytes of a sector, beside all that it read."""
    assert wasted(SIDES) == pytest.approx(8192 * 28 / 32 / (1_048_576 + 8192))


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"global_store_sectors": 1_048_576.0}, 28 / 32 / 2),
        ({"global_load_bytes_per_sector": 8.0, "global_store_sectors": 0.0}, 0.75),
        ({"global_load_bytes_per_sector": 128.0, "global_store_sectors": 0.0}, 0.0),  # a broadcast wastes nothing
        ({"global_excess_ratio": 0.3}, 0.3),  # what the tool counted goes before
    ],
)
def test_sides_weigh_by_their_sectors(changed: dict[str, float], expected: float) -> None:
    assert wasted(SIDES | changed) == pytest.approx(expected)


@pytest.mark.parametrize("lost", sorted(SIDES))
def test_it_is_unknown_where_a_part_is(lost: str) -> None:
    assert wasted({name: value for name, value in SIDES.items() if name != lost}) is None


def test_a_side_without_an_access_needs_no_bytes_per_sector() -> None:
    only_loads = {"global_load_sectors": 100.0, "global_load_bytes_per_sector": 16.0, "global_store_sectors": 0.0}
    assert wasted(only_loads) == 0.5
    assert wasted(only_loads | {"global_load_sectors": 0.0}) is None


def test_it_is_as_well_known_as_the_weakest_part() -> None:
    some = counted(SIDES) | counted({"global_load_sectors": 10.0}, Quality.ESTIMATED)
    assert completed(some)["global_wasted_ratio"].quality is Quality.ESTIMATED
    measured = completed(counted(SIDES))["global_wasted_ratio"]
    assert (measured.source, measured.quality) == (Source.MODEL, Quality.MEASURED)


def test_what_was_counted_is_left_as_it_is() -> None:
    given = counted({**SIDES, "global_wasted_ratio": 0.9})
    assert completed(given) == given


def test_amounts_use_counters_only() -> None:
    for metric in metrics().values():
        for text in metric.worked_out:
            assert set(parse_amount(text).names) <= set(metrics()) - {metric.name}
