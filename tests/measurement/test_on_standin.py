"""The studies on the real harness and a driver that is played: that they run, resume and judge, not what they measure."""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.measurement import aa_study, faults, leaks, roundtrip, run_all, waiting
from benchmarks.measurement.study import load_kernels
from benchmarks.measurement.tools import plain, record

from harness.building import BuildUnavailable, build
from warpwright.cli.bench_options import bench_options
from warpwright.compiler.compiler import Compiler
from warpwright.evaluation.bench import open_bench


@pytest.fixture(scope="module", autouse=True)
def standin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    try:
        built = build()
    except BuildUnavailable as error:
        pytest.skip(str(error))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARPWRIGHT_HARNESS", str(built.harness))
        patch.setenv("WARPWRIGHT_DRIVER", str(built.driver))
        patch.setenv("WARPWRIGHT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def arguments(patch: pytest.MonkeyPatch, output: Path, *more: str) -> None:
    patch.setattr(sys, "argv", ["study", "--output", str(output), *more])


def result(output: Path, name: str) -> dict[str, object]:
    document: dict[str, object] = json.loads((output / f"{name}.json").read_text(encoding="utf-8"))
    return document


def test_round_trip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(roundtrip, "BEATS", 100)
    monkeypatch.setattr(roundtrip, "LIMIT_MS", 1e3)  # how quick this machine is today is not the question
    arguments(monkeypatch, tmp_path)
    assert roundtrip.main() == 0
    assert "heartbeat_median_ms" in capsys.readouterr().out
    assert result(tmp_path, "roundtrip")["machines"]


@pytest.mark.skipif(sys.platform == "win32", reason="the harness is wrapped in a shell script")
def test_candidates_pass_with_a_harness_that_starts_slowly(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    arguments(monkeypatch, tmp_path, "--count", "2", "--cases", "one", "--start", "0.3", "--end", "0.01")
    assert waiting.main() == 0
    document = json.loads((tmp_path / "waiting.json").read_text(encoding="utf-8"))
    assert [row["label"] for row in document["rows"]] == ["passed", "passed"]
    assert "begins 0.3 s after it is started and ends 0.01 s late" in document["protocol"]


def test_twenty_candidates_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    arguments(monkeypatch, tmp_path, "--count", "20", "--cases", "one")
    assert leaks.main() == 0


def test_an_attempt_is_lost_and_the_next_is_as_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    arguments(monkeypatch, tmp_path, "--cases", "one", "small", "--only", "block_too_large", "too_much_scratch")
    monkeypatch.setattr(faults, "SAME_RATIO", 2.0)
    assert faults.main() == 0
    began = time.monotonic()
    assert faults.main() == 0  # both rows are there: nothing is attempted again
    assert time.monotonic() - began < 60
    assert result(tmp_path, "faults")["summary"] == {"faults": 2, "right": 2, "next_unhurt": 2}


def test_a_kernel_ties_with_itself(tmp_path: Path) -> None:
    workload = load_kernels("steady", argparse.Namespace(cases=["ragged", "chain"]))
    with open_bench(workload, "gpu:0", "3" * 64, bench_options()) as bench, Compiler(None) as compiler:
        stand = aa_study.stand_of(bench, compiler, "3" * 64)
        side = stand.course("chain", 100)
        figure = aa_study.decided(stand.gate(), side, side)
    assert figure.rank.value == "tie"
    assert figure.rounds in (10, 20)


def test_a_recorded_job_runs_again(tmp_path: Path) -> None:
    with Compiler(None) as compiler:
        job = record("gpu:0", compiler, "clean", tmp_path / "job")
    row = plain(job)
    assert row["right"], row["detail"]


def test_a_study_that_hangs_or_fails_does_not_cost_the_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    studies = (run_all.Planned("no_such_study", 10), run_all.Planned("roundtrip", 10))
    monkeypatch.setattr(run_all, "STUDIES", studies)
    monkeypatch.setattr(sys, "argv", ["run_all", "--output", str(tmp_path), "--minutes", "2"])
    assert run_all.main() == 1
    shown = capsys.readouterr().out.splitlines()
    assert any(line.startswith("no_such_study  1") and line.endswith("no results") for line in shown)
    assert any(line.startswith("roundtrip") and "heartbeat_median_ms" in line for line in shown)
