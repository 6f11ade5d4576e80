"""The committed rows of the studies are what the classes of today make of their counters, and their README says the same."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from benchmarks.diagnosis import real, rejudge

from warpwright.hardware import load_gpu

STUDY = Path(__file__).resolve().parents[3] / "benchmarks" / "diagnosis"


def document(file: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((STUDY / "results" / f"{file}.json").read_text(encoding="utf-8"))
    return found


ROWS: dict[str, dict[str, Any]] = {
    f"{file}/{name}": row for file in ("h200", "emulator_h200") for name, row in document(file)["rows"].items()
}
PAIRS: dict[str, dict[str, Any]] = {
    f"{file}/{name}": row
    for file in ("real_h200", "real_emulator_h200")
    for name, row in document(file)["rows"].items()
}


def test_both_devices_are_there() -> None:
    assert len([name for name in ROWS if name.startswith("emulator_h200/")]) == 15
    assert len([name for name in ROWS if name.startswith("h200/")]) == 15
    assert len(PAIRS) == 10


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_committed_row_is_judged_as_it_says(name: str) -> None:
    row = ROWS[name]
    again = rejudge.rejudged(row, STUDY / "kernels" / name.partition("/")[2], load_gpu("h200"))
    _same(again, row)
    assert row["right"]


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_a_committed_pair_is_judged_as_it_says(name: str) -> None:
    row = PAIRS[name]
    again = rejudge.rejudged_pair(name.partition("/")[2], row, load_gpu("h200"))
    for side in ("before", "after"):
        _same(again[side], row[side])
    assert {key: row[key] for key in ("case", "speedup", "moved")}.items() <= again.items()


@pytest.mark.parametrize("file", ["h200", "emulator_h200", "real_h200", "real_emulator_h200"])
def test_a_file_that_is_judged_again_has_the_summary_of_its_rows(file: str) -> None:
    committed = document(file)
    again = rejudge.of_today(committed, load_gpu("h200"))
    assert {key: again[key] for key in ("what", "summary")} == {key: committed[key] for key in ("what", "summary")}
    assert again["rows"].keys() == committed["rows"].keys()


def test_findings_of_before_a_change_are_replaced_and_counters_kept() -> None:
    committed = document("real_h200")
    stale = json.loads(json.dumps(committed))
    for row in stale["rows"].values():
        row["after"]["findings"] = [{"bottleneck": "barrier", "hint": False, "hot_lines": [7]}]
    stale["summary"] = {}
    again = rejudge.of_today(stale, load_gpu("h200"))
    assert again["summary"] == committed["summary"]
    for name, row in again["rows"].items():
        assert row["after"]["counters"] == committed["rows"][name]["after"]["counters"]


@pytest.mark.parametrize("file", ["real_h200", "real_emulator_h200"])
def test_the_readme_names_what_was_found(file: str) -> None:
    readme = (STUDY / "README.md").read_text(encoding="utf-8").partition(f"`results/{file}.json`")[2]
    table = readme.partition("\n\n")[2].partition("\n\n")[0].splitlines()[2:]
    told = {re.split(r"[ |]+", line)[1]: [cell.strip() for cell in line.split("|")[2:4]] for line in table}
    rows = document(file)["rows"]
    assert told == {
        name: [real.first_findings(row[side]) for side in ("before", "after")] for name, row in rows.items()
    }


def _same(again: dict[str, Any], row: dict[str, Any]) -> None:
    assert [_told(finding) for finding in again["findings"]] == [_told(finding) for finding in row["findings"]]
    assert again["not_evaluated"] == row["not_evaluated"]


def _told(finding: dict[str, Any]) -> dict[str, Any]:
    """Without the last digits: a row keeps six of each counter."""
    kept = {key: finding[key] for key in ("bottleneck", "hint", "text")}
    amounts = {
        key: None if finding[key] is None else pytest.approx(finding[key], rel=1e-3)
        for key in ("score", "bound", "about")
    }
    return kept | amounts | {"lines": finding["hot_lines"]}
