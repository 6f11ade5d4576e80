"""What `ncu --import` prints, read from a program: pages that are refused, broken or too long cost themselves alone."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from profiler.nsight_compute.conftest import MakeNcu
from profiler.nsight_compute.fake_ncu import MAGIC
from warpwright.profiler.nsight_compute.locate import Ncu
from warpwright.profiler.nsight_compute.reading import read as read_module
from warpwright.profiler.nsight_compute.reading.hot_lines import hot_lines
from warpwright.profiler.nsight_compute.reading.read import Reading, read_report
from warpwright.profiler.nsight_compute.reading.report import Report, UnreadableReport
from warpwright.profiler.profile import RawMetric

Printed = Callable[..., Report]


@pytest.fixture
def printed(make_ncu: MakeNcu, tmp_path: Path) -> Printed:
    """The report of one launch as the invented ncu prints it with those settings."""

    def run(**settings: Any) -> Report:
        path = tmp_path / "x.ncu-rep"
        path.write_text(
            MAGIC + json.dumps([{"symbol": "k", "metrics": {"a__b.sum": (1234.5, "ns")}}]), encoding="utf-8"
        )
        how = Reading(
            Ncu(make_ncu(**settings), "2025.1"), dict(os.environ), source=True, source_name="kernel.cu", printed=True
        )
        return read_report(path, how)

    return run


def test_all_three_pages(printed: Printed) -> None:
    found = printed()
    (launch,) = found.launches
    assert launch.raw == {"a__b.sum": RawMetric(1234.5, "ns")}
    assert (len(launch.rules), found.notes) == (3, ())
    assert next(hot.line for hot in hot_lines(launch.lines) if hot.counter == "global_excess_ratio") == 3


@pytest.mark.parametrize("fault", ["refused_page", "broken_page"])
@pytest.mark.parametrize(
    ("page", "note"), [("source", "source lines could not be read"), ("details", "own rules say could not be read")]
)
def test_a_page_that_cannot_be_printed_or_read_costs_no_counters(
    printed: Printed, fault: str, page: str, note: str
) -> None:
    found = printed(**{fault: page})
    (launch,) = found.launches
    assert launch.raw == {"a__b.sum": RawMetric(1234.5, "ns")}
    assert len(found.notes) == 1
    assert note in found.notes[0]
    assert not (launch.lines if page == "source" else launch.rules)


@pytest.mark.parametrize("limit", [150, 400, 1500])
def test_a_page_that_is_cut_is_not_believed(printed: Printed, monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    """The rows that fit would name the wrong line as the hottest. Raw is the shortest page, source the longest."""
    monkeypatch.setattr(read_module, "_MOST_BYTES", limit)
    if limit == 150:
        with pytest.raises(
            UnreadableReport, match=r"printed more than .* the page raw of x\.ncu-rep; ncu-report reads"
        ):
            printed(more_lines=300)
        return
    found = printed(more_lines=300)
    (launch,) = found.launches
    assert launch.raw == {"a__b.sum": RawMetric(1234.5, "ns")}
    assert (len(launch.rules), launch.lines) == (3 if limit == 1500 else 0, ())
    assert all("printed more than" in note for note in found.notes)
    assert len(found.notes) == (1 if limit == 1500 else 2)
