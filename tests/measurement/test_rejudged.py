"""Stored comparisons under today's rule, and with the A/A floors of other processes."""

import pytest
from benchmarks.measurement import results_page
from benchmarks.measurement.rejudged import Row, by_floors_of_others, by_own_floors, processes

from warpwright.benchmark.decision import Rank


def row(effect: float, floor: float, *, rank: str = "tie", series: str = "aa_100us") -> Row:
    """Ten rounds that agree."""
    rounds = [effect + 1e-5 * number for number in range(10)]
    return {"series": series, "rank": rank, "floor": floor, "rounds_log": rounds, "rounds": 10, "flags": [], "seconds": 0.1,
            "incumbent_us": 100.0, "contender_us": 100.0}  # fmt: skip


def test_a_small_loss_that_was_called_slower_is_a_tie_today() -> None:
    rows = [row(-0.004, 0.001, rank="slower"), row(0.0, 0.001), row(-0.01, 0.001, rank="slower")]
    groups = processes(rows)
    assert [len(group) for group in groups] == [3]
    assert by_own_floors(groups, Rank.TIE) == 2
    assert by_floors_of_others(groups, Rank.TIE) is None


def test_a_comparison_is_judged_by_the_floors_of_other_processes() -> None:
    groups = processes([row(0.02, 0.001), row(0.02, 0.001), row(0.02, 0.03), row(0.02, 0.004)])
    assert [len(group) for group in groups] == [2, 1, 1]
    assert by_own_floors(groups, Rank.IMPROVED) == 3, "the third has a floor of its own that hides the gain"
    assert by_floors_of_others(groups, Rank.IMPROVED) == pytest.approx(5 / 8)


def test_the_page_shows_both() -> None:
    rows = [row(-0.004, 0.001, rank="slower"), row(0.0, 0.002)]
    text = results_page.page({"aa_study": {"study": "aa_study", "protocol": "P.", "machines": [], "rows": rows}}, {})
    assert "| aa_100us | 2 | 100 | 97% | 1 | 50.0% | 2 | 100.0% | 100.0% | 1.0000 | 0 | 0 | 0.15% |" in text
    assert "*right then*: as decided when the study ran." in text
