"""docs/results.md is what the committed results say."""

import sys
from pathlib import Path

import pytest
from benchmarks.measurement import results_page

ATTACK = {"name": "a|b", "honest": False, "idea": "i", "label": "wrong_result", "right": False, "time_ratio": None}
MACHINE = {"gpu": "G", "driver": "CUDA 13.0", "harness_build": "0123456789abcdef", "date": "2026-01-02"}


def test_the_page_is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["results_page", "--check"])
    assert results_page.main() == 0, "run python -m benchmarks.measurement.results_page"


def test_a_stale_page_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stale = tmp_path / "results.md"
    stale.write_text("old")
    monkeypatch.setattr(sys, "argv", ["results_page", "--check"])
    monkeypatch.setattr(results_page, "PAGE", stale)
    assert results_page.main() == 1


def test_a_study_is_shown_with_its_protocol_and_machine() -> None:
    document = {"study": "attacks", "protocol": "How it was done.", "machines": [MACHINE], "rows": [ATTACK]}
    text = results_page.page({"attacks": document}, {})
    assert "How it was done. ([attacks.json](../benchmarks/measurement/results/attacks.json); G, CUDA 13.0, " in text
    assert "harness build 0123456789ab, 2026-01-02)" in text
    assert "| a\\|b | cheat | i | `wrong_result` | **no** | - |" in text


def test_examples_show_the_published_speedup_and_failures() -> None:
    good = {
        "example": "softmax", "exit_code": 0, "time_limit": "60s", "seconds": 61.0, "floor_ratio": 0.5, "attempts": 7,
        "published": {"speedup": 12.345, "low": 12.0, "high": 12.5}, "initial": {"geomean_us": 100.0},
        "best": {"geomean_us": 8.1},
    }  # fmt: skip
    bad = {"example": "matmul", "exit_code": 4, "message": "m", "seconds": 1.0}
    document = {"what": "w", "date": "2026-01-02", "identity": None, "runs": [good, bad]}
    text = results_page.page({}, {"gpu_h200.json": document})
    assert "| softmax | 100 | 8.1 | 12.35x | 12.00 to 12.50 | 50.0% | 7 | 60s | 61 |" in text
    assert "| matmul | - | - | exit code 4 | - | - | - | - | 1 |" in text


def test_a_target_is_shown_with_whether_it_is_met() -> None:
    rows = [
        {"part": part, "label": "passed", "seconds": seconds, "stages": {"compile": 0.1}}
        for part, seconds in (("example", 0.6), ("mib64", 1.019), ("logits", 14.7))
    ]
    text = results_page.page(
        {"turnaround": {"study": "turnaround", "protocol": "P.", "machines": [], "rows": rows}}, {}
    )
    assert "| part | candidates | passed | median s | target | met | least | most | compile |" in text
    assert "| example | 1 | 1 | 0.6 | below 1.0 s | yes | 0.6 | 0.6 | 0.1 |" in text
    assert "| mib64 | 1 | 1 | 1.019 | below 1.0 s | **no** | 1.019 | 1.019 | 0.1 |" in text
    assert "| logits | 1 | 1 | 14.7 | - | - | 14.7 | 14.7 | 0.1 |" in text


def test_a_run_on_the_standin_is_called_so() -> None:
    machine = MACHINE | {"gpu": "NVIDIA Stand-in GPU"}
    document = {"study": "leaks", "protocol": "P.", "machines": [machine], "rows": [], "summary": {"candidates": 1000}}
    text = results_page.page({"leaks_standin": document}, {})
    assert "## Do a thousand candidates leave anything behind? On the stand-in driver, no GPU" in text
    assert (
        "P. ([leaks_standin.json](../benchmarks/measurement/results/leaks_standin.json); **stand-in driver, no GPU**, "
        in text
    )
    assert "| candidates | 1000 |" in text
