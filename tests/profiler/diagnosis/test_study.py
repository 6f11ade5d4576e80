"""The committed rows of the study are what the classes of today make of their counters."""

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.diagnosis.rejudge import rejudged

from warpwright.hardware import load_gpu

STUDY = Path(__file__).resolve().parents[3] / "benchmarks" / "diagnosis"
ROWS: dict[str, dict[str, Any]] = {
    f"{file}/{name}": row
    for file in ("h200", "emulator_h200")
    for name, row in json.loads((STUDY / "results" / f"{file}.json").read_text(encoding="utf-8"))["rows"].items()
}


def test_both_devices_are_there() -> None:
    assert len([name for name in ROWS if name.startswith("emulator_h200/")]) == 15
    assert len([name for name in ROWS if name.startswith("h200/")]) == 15


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_committed_row_is_judged_as_it_says(name: str) -> None:
    row = ROWS[name]
    again = rejudged(row, STUDY / "kernels" / name.partition("/")[2], load_gpu("h200"))
    assert [_told(finding) for finding in again["findings"]] == [_told(finding) for finding in row["findings"]]
    assert again["not_evaluated"] == row["not_evaluated"]
    assert row["right"]


def _told(finding: dict[str, Any]) -> dict[str, Any]:
    """Without the last digits: a row keeps six of each counter."""
    kept = {key: finding[key] for key in ("bottleneck", "hint", "text")}
    return kept | {"score": pytest.approx(finding["score"], rel=1e-3), "lines": finding["hot_lines"]}
