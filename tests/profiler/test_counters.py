import pytest

from warpwright.profiler import Quality, format_counter, metrics


def test_names_end_in_their_unit_where_the_unit_is_a_ratio() -> None:
    assert all(name.endswith("_ratio") == metric.is_ratio for name, metric in metrics().items())


def test_every_metric_says_what_it_means_and_where_it_comes_from() -> None:
    for metric in metrics().values():
        assert metric.meaning
        assert metric.unit
        assert metric.ncu or metric.emulator or metric.worked_out


def test_a_cost_model_figure_is_never_called_exact() -> None:
    assert metrics()["duration_ns"].emulator is Quality.ESTIMATED
    assert metrics()["dram_read_bytes"].emulator is Quality.ESTIMATED
    assert metrics()["grid_blocks"].emulator is Quality.EXACT
    assert metrics()["global_load_sectors"].emulator is Quality.SAMPLED
    assert metrics()["occupancy_achieved_ratio"].emulator is Quality.ESTIMATED
    assert metrics()["stall_long_scoreboard_ratio"].emulator is None


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("occupancy_theoretical_ratio", 0.5, "50 %"),
        ("dram_read_bytes", 134217728.0, "134 MB"),
        ("grid_blocks", 64.0, "64 blocks"),
        ("global_load_sectors", 1500.0, "1.5 k sector"),
        ("duration_ns", 1.15e6, "1.15 ms"),
        ("unheard_of", 12.5, "12.5"),
        ("instructions", 999_499.0, "999 k warp instruction"),
        ("instructions", 999_950.0, "1 M warp instruction"),
        ("dram_read_bytes", 999_999.0, "1 MB"),
        ("global_load_sectors", 999_600_000.0, "1 G sector"),
        ("dram_read_bytes", 2.5e15, "2,500 TB"),
        ("grid_blocks", 1.0, "1 block"),
        ("sm_count", 1.0, "1 SM"),
        ("grid_blocks", 1000.0, "1 k blocks"),
        ("profile_passes", 1.0, "1 pass"),
    ],
)
def test_format_counter(name: str, value: float, text: str) -> None:
    assert format_counter(name, value) == text
