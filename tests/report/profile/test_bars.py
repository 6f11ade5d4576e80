"""Which units get a bar: what nobody counted never looks like an idle unit."""

from hypothesis import given
from hypothesis import strategies as st

from warpwright.profiler.counters import Quality
from warpwright.profiler.profile import Counter, LaunchCounters, Source
from warpwright.report.profile.bars import MAIN_UNITS, UNITS, unit_bars

NAMES = [name for _, name in UNITS]
LABELS = {name: label for label, name in UNITS}


def launch(values: dict[str, float], quality: Quality = Quality.MEASURED) -> LaunchCounters:
    return LaunchCounters(0, "k", {name: Counter(value, Source.NCU, quality) for name, value in values.items()})


@given(st.dictionaries(st.sampled_from(NAMES), st.floats(0.0, 1.05)))
def test_every_unit_is_shown_once_and_unknown_exactly_where_nobody_counted(values: dict[str, float]) -> None:
    units = unit_bars(launch(values))
    shown = [bar.label for bar in units.bars]
    assert sorted([*shown, *units.idle, *units.unknown]) == sorted(LABELS.values())
    assert set(units.unknown) == {label for name, label in LABELS.items() if name not in values}
    assert all(bar.ratio == values[bar.counter] for bar in units.bars)


def test_a_main_unit_that_idles_keeps_its_bar() -> None:
    units = unit_bars(launch(dict.fromkeys(NAMES, 0.0)))
    assert [bar.label for bar in units.bars] == [label for label, _ in UNITS[:MAIN_UNITS]]
    assert len(units.idle) == len(UNITS) - MAIN_UNITS


def test_only_a_cost_model_estimates() -> None:
    estimates = {q: unit_bars(launch({"dram_throughput_ratio": 0.5}, q)).bars[0].estimated for q in Quality}
    assert estimates == {Quality.MEASURED: False, Quality.EXACT: False, Quality.SAMPLED: False, Quality.ESTIMATED: True}
