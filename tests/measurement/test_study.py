"""What studies share: rows that survive a stop, and summaries of them."""

import argparse
import json
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.measurement import leaks, turnaround
from benchmarks.measurement.aa_study import summarize as summarize_decisions
from benchmarks.measurement.leaks import growth, span
from benchmarks.measurement.processes import Held, descendants
from benchmarks.measurement.study import Row, Study, load_kernels, print_table
from benchmarks.measurement.turnaround import summarize as summarize_turns
from benchmarks.measurement.turnaround import variant

from warpwright.workload.loader import load_workload
from warpwright.workload.shapes import case_bytes


def options(output: Path, **more: object) -> argparse.Namespace:
    return argparse.Namespace(**{"device": "gpu:0", "output": output, "seconds": 60.0, "cases": [], **more})


def test_rows_are_there_again(tmp_path: Path) -> None:
    study = Study("tried", "as  it\nwas", options(tmp_path))
    study.describe({"gpu": "G"})
    study.add({"name": "a", "us": 1.5})
    study.finish({"rows": 1})
    again = Study("tried", "as it was", options(tmp_path))
    assert again.has(name="a")
    assert not again.has(name="b")
    assert again.rows == [{"name": "a", "us": 1.5}]
    document = json.loads((tmp_path / "tried.json").read_text())
    assert document["protocol"] == "as it was"
    assert document["machines"][0]["gpu"] == "G"
    assert document["summary"] == {"rows": 1}


@pytest.mark.parametrize("changed", [{"device": "gpu:1"}, {"protocol": "otherwise"}])
def test_rows_of_another_device_or_protocol_are_not_mixed_in(tmp_path: Path, changed: dict[str, str]) -> None:
    study = Study("tried", "as it was", options(tmp_path))
    study.add({"name": "a"})
    study.finish({})
    other = Study(
        "tried", changed.get("protocol", "as it was"), options(tmp_path, device=changed.get("device", "gpu:0"))
    )
    assert other.rows == []


def test_a_spent_budget_begins_nothing_more(tmp_path: Path) -> None:
    assert Study("tried", "", options(tmp_path)).time_left
    assert not Study("tried", "", options(tmp_path, seconds=-1.0)).time_left


def test_cases_can_be_chosen(tmp_path: Path) -> None:
    assert [c.name for c in load_kernels("axpb", options(tmp_path, cases=["small"])).cases] == ["small"]
    assert len(load_kernels("axpb", options(tmp_path)).cases) == 4


def test_every_turn_has_a_source_of_its_own(tmp_path: Path) -> None:
    initial = load_kernels("softmax", options(tmp_path)).initial
    assert variant(initial, 1).source != variant(initial, 1).source
    assert variant(initial, 1).source.endswith(initial.source)


def test_the_softmax_part_is_the_example_itself(tmp_path: Path) -> None:
    parts = turnaround.workloads(options(tmp_path))
    assert list(parts) == ["softmax", "example", "mib64", "logits"]
    example = load_workload(Path(__file__).parents[2] / "examples" / "softmax")
    found = parts["softmax"]
    assert replace(found, cases=example.cases) == example, "its oracle, its make_inputs, its tolerance"
    left_out = [case for case in example.cases if case not in found.cases]
    assert {case.name for case in left_out} == {"gpu_rows8192", "gpu_long"}
    assert all(case_bytes(example, case) > 64 << 20 for case in left_out)
    assert "softmax" in turnaround.WITHIN_LIMIT
    assert list(turnaround.workloads(options(tmp_path, cases=["one", "logits"]))) == ["logits"]


def test_turns_are_summed_up_by_part() -> None:
    rows = [
        {"part": "small", "label": "passed", "seconds": s, "stages": {"compile": s / 2, "verify": s / 4}}
        for s in (0.5, 0.7, 0.6)
    ]
    found = summarize_turns([*rows, {"part": "logits", "label": "crash", "seconds": 2.0, "stages": {}}])
    assert found["small"] == {
        "candidates": 3,
        "passed": 3,
        "median_s": 0.6,
        "least_s": 0.5,
        "most_s": 0.7,
        "stages_median_s": {"compile": 0.3, "verify": 0.15},
    }
    assert found["logits"]["passed"] == 0


def test_decisions_are_counted_by_series() -> None:
    def row(series: str, rank: str, ratio: float) -> dict[str, object]:
        return {"series": series, "rank": rank, "incumbent_us": 100.0 * ratio, "contender_us": 100.0, "rounds": 10,
                "flags": ["degraded"], "floor": 0.001, "seconds": 0.25}  # fmt: skip

    found = summarize_decisions(
        [row("aa_100us", "tie", 1.0), row("aa_100us", "slower", 0.99), row("gain_100us", "improved", 1.02)]
    )
    assert found["aa_100us"]["right_ratio"] == 0.5
    assert found["aa_100us"]["ranks"] == {"slower": 1, "tie": 1}
    assert found["gain_100us"]["right_ratio"] == 1.0
    assert found["gain_100us"]["measured_gain"] == pytest.approx(1.02)
    assert found["gain_100us"]["degraded"] == 1


def test_a_table_shows_unknown_as_a_dash(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("t", ("name", "us"), [("a", 1.23456), ("long name", None)])
    assert capsys.readouterr().out.splitlines() == ["", "t", "name       us", "a          1.235", "long name  -"]


def test_growth_is_beyond_what_comes_and_goes() -> None:
    def row(*processes: int, descriptors: int = 18) -> Row:
        return span([Held(count, descriptors, 1, 1000) for count in processes])

    restless = [row(7, 9, 8), row(8, 7, 9)]
    assert growth(restless) == {"processes": -2, "descriptors": 0, "temporary": 0, "rss_bytes": 0}
    assert growth([*restless, row(10, 11, 12)])["processes"] == 1
    assert growth([*restless, row(8, descriptors=21)])["descriptors"] == 3


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def test_only_the_processes_of_the_bench_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks, "CLOSED_S", 0.2)
    with subprocess.Popen(["/bin/sleep", "60"]) as other:
        others = descendants()
        assert other.pid in others
        with subprocess.Popen(["/bin/sleep", "60"]) as own:
            assert leaks.left_behind(others) == ["sleep"]
            monkeypatch.setattr(leaks, "CLOSED_S", 10.0)
            ending = threading.Timer(0.2, end, (own,))
            ending.start()
            assert leaks.left_behind(others) == []
            ending.join()
        other.kill()
