"""`warpwright profile` on the emulator."""

import json
from pathlib import Path

import pytest

from loop.tiny import write_tiny
from warpwright.cli.main import run


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WARPWRIGHT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("WARPWRIGHT_DOCS", str(tmp_path / "docs"))


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write_tiny(tmp_path / "tiny")


def test_says_what_limits_the_kernel_and_marks_estimates(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profile", str(tiny), "--device", "emulator:h200"]) == 0
    text = capsys.readouterr().out
    assert "est. " in text
    assert "of the floor" in text
    assert "evidence:" in text


def test_json_holds_counters_findings_and_advice(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profile", str(tiny), "--device", "emulator:h200", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["outcome"] == "passed"
    for case in document["cases"]:
        assert case["time_estimated"] is True
        assert case["counters_estimated"] is True
        assert case["launches"][0]["counters"]["global_load_sectors"]["quality"] == "exact"


def test_counts_that_are_scaled_from_some_blocks_say_so(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (tiny / "workload.toml").read_text(encoding="utf-8")
    text = text.replace("4096", "40960").replace("n = 2048", "n = 40960")
    (tiny / "workload.toml").write_text(text, encoding="utf-8")
    assert run(["profile", str(tiny), "--device", "emulator:h200"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "counts are exact for the blocks that ran" in told
    assert "note: counts of scale are scaled from " in told
    assert "blocks: a block that differs may be missed." in told
    assert run(["profile", str(tiny), "--device", "emulator:h200", "--json"]) == 0
    (case,) = json.loads(capsys.readouterr().out)["cases"]
    counted = {name: found["quality"] for name, found in case["launches"][0]["counters"].items()}
    assert (counted["grid_blocks"], counted["global_load_sectors"]) == ("exact", "sampled")
    assert any("a block that differs may be missed" in note for note in case["notes"])


def test_options_for_nsight_compute_are_not_ignored_without_a_word(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep = tmp_path / "reports"
    assert run(["profile", str(tiny), "--device", "emulator", "--detail", "--keep", str(keep)]) == 0
    assert "--detail and --keep: no effect here" in capsys.readouterr().err
    assert not keep.exists()
    assert run(["profile", str(tiny), "--device", "emulator"]) == 0
    assert "no effect here" not in capsys.readouterr().err


def test_an_unknown_case_is_bad_input_before_anything_runs(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profile", str(tiny), "--device", "emulator", "--case", "none"]) == 2
    assert "there is no perf case none" in capsys.readouterr().err


def test_a_kernel_that_is_wrong_is_not_profiled(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = tmp_path / "wrong.cu"
    source = (tiny / "kernel.cu").read_text(encoding="utf-8")
    wrong.write_text(source.replace("a * x[i]", "a + x[i]"), encoding="utf-8")
    assert wrong.read_text(encoding="utf-8") != source
    assert run(["profile", str(tiny), "--device", "emulator", "--kernel", str(wrong)]) == 3
    captured = capsys.readouterr()
    assert "wrong_result" in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("damage", ["a file in the way", "a damaged list"])
def test_documents_that_cannot_be_used_are_done_without(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    folder = tmp_path / "broken"
    if damage == "a file in the way":
        folder.write_text("no folder", encoding="utf-8")
        monkeypatch.setenv("WARPWRIGHT_DOCS", str(folder / "documents"))
    else:
        folder.mkdir()
        (folder / "sources.json").write_text("{", encoding="utf-8")
        monkeypatch.setenv("WARPWRIGHT_DOCS", str(folder))
    assert run(["profile", str(tiny), "--device", "emulator:h200"]) == 0
    captured = capsys.readouterr()
    assert "evidence:" in captured.out
    assert captured.err.count("no documents, so advice cites NVIDIA's public pages: ") == 1
    assert str(folder) in captured.err


def test_addresses_are_not_broken_in_a_pipe(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["profile", str(tiny), "--device", "emulator:h200", "--json"]) == 0
    advice = json.loads(capsys.readouterr().out)["cases"][0]["advice"]
    addresses = [c["url"] for each in advice[:3] for c in each["citations"] if c["url"]]
    assert run(["profile", str(tiny), "--device", "emulator:h200"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert max(map(len, addresses)) > 80
    assert set(addresses) <= set(lines)
