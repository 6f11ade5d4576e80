"""The command line as a person uses it: exit codes, messages on stderr, one JSON document on stdout."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.building import BuildUnavailable, build
from loop.tiny import KERNEL, write_tiny
from warpwright.cli.commands.registry import COMMANDS
from warpwright.cli.main import run
from warpwright.record.options import SessionOptions
from warpwright.record.session import Session
from warpwright.workload.loader import load_workload

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WARPWRIGHT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("WARPWRIGHT_SESSIONS", str(tmp_path / "sessions"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_help_names_every_command_and_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(command.name in text for command in COMMANDS)
    assert "130 interrupted" in text


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys; from warpwright.cli.main import run; code = run(['optimize', '--help']);"
        "heavy = {'numpy', 'langgraph', 'langchain_core', 'llvmlite', 'tree_sitter', 'jinja2'} & set(sys.modules);"
        "sys.exit(f'loaded {heavy}' if heavy else code)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "arguments", [["doctor"], ["sessions"], ["show", "last"], ["report", "last"], ["try", "--help"]]
)
def test_only_what_runs_the_loop_loads_langgraph_and_langchain(arguments: list[str], tmp_path: Path) -> None:
    workload = load_workload(write_tiny(tmp_path / "tiny"))
    Session.create(tmp_path / "sessions", workload, SessionOptions("tiny"), {}, "emulator", 1).close()
    program = (
        "import sys; from warpwright.cli.main import run; run(sys.argv[1:]);"
        "heavy = {name.partition('.')[0] for name in sys.modules} & {'langgraph', 'langchain_core', 'langchain_openai'};"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("warpwright ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["optimise"], "No such command"),
        (["optimize"], "Missing argument"),
        (["optimize", "nowhere"], "nowhere"),
        (["optimize", "examples/softmax", "--device", "emulator:gtx9999"], "GPU gtx9999 is not described"),
        (["optimize", "examples/softmax", "--device", "cloud"], "unknown device"),
        (["optimize", "examples/softmax", "--device", "gpu:0,0"], "GPU 0 is named twice"),
        (["optimize", "examples/softmax", "--device", "gpu:0,second"], "second is no GPU"),
        (["optimize", "examples/softmax", "--model", "nobody"], "no such proposer"),
        (["optimize", "examples/softmax", "--time-limit", "soon"], "is no duration"),
        (["optimize", "examples/softmax", "--iterations", "0"], "greater than or equal to 1"),
        (["evaluate", "examples/softmax", "--kernel", "missing.cu"], "missing.cu"),
        (["resume", "last"], "session"),
        (["show", "20200101"], "session"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value[-2:]),
)
def test_bad_input_is_refused_before_anything_runs(
    arguments: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(ROOT)
    assert run(arguments) == 2
    told = capsys.readouterr()
    assert words in told.err
    assert "Traceback" not in told.err
    assert not (tmp_path / "sessions").exists()


def test_a_gpu_that_is_not_here_is_unavailable(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WARPWRIGHT_DRIVER", str(tmp_path / "libcuda.so.1"))
    assert run(["evaluate", str(ROOT / "examples/softmax"), "--device", "gpu:0"]) == 4
    assert "--device gpu:0: NVIDIA's driver is not installed here." in capsys.readouterr().err


@pytest.mark.parametrize("command", ["check", "evaluate"])
def test_auto_says_why_a_gpu_that_is_there_is_not_used(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    try:
        monkeypatch.setenv("WARPWRIGHT_DRIVER", str(build().driver))
    except BuildUnavailable as missing:
        pytest.skip(f"the stand-in driver cannot be built: {missing}")
    monkeypatch.setenv("WARPWRIGHT_HARNESS", str(tmp_path / "none"))
    assert run([command, str(write_tiny(tmp_path / "tiny"))]) == 0
    told = capsys.readouterr().err
    assert "is present but cannot be used" in told
    assert "using the emulator" in told


def test_evaluate_prints_one_json_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workload = write_tiny(tmp_path / "tiny")
    assert run(["evaluate", str(workload), "--json", "--device", "emulator"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["outcome"] == "passed"
    perf = next(case for case in document["cases"] if case["kind"] == "perf")
    assert perf["source"] == "estimated"
    assert perf["median_us"] > perf["floor_us"] * 0.5
    assert document["geomean_us"] == pytest.approx(perf["median_us"])


def test_a_wrong_candidate_ends_with_three(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workload = write_tiny(tmp_path / "tiny")
    wrong = tmp_path / "wrong.cu"
    wrong.write_text(KERNEL.replace("a * x[i]", "a + x[i]"), encoding="utf-8")
    assert run(["evaluate", str(workload), "--kernel", str(wrong), "--json", "--device", "emulator"]) == 3
    document = json.loads(capsys.readouterr().out)
    assert document["outcome"] == "wrong_result"
    assert document["reason"] == "mismatch"


def test_a_whole_session_is_kept_shown_listed_and_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workload = write_tiny(tmp_path / "tiny")
    assert run(["tune", str(workload), "--tuning-points", "3", "--json", "--quiet", "--device", "emulator"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["ended"]
    assert run(["show", "last", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["attempts"] == first["attempts"]
    assert run(["sessions", "--json"]) == 0
    (listing,) = json.loads(capsys.readouterr().out)
    assert listing["state"] == "ended"
    assert run(["report", "last", "--output", str(tmp_path / "r.html"), "--json"]) == 0
    assert "tiny" in (tmp_path / "r.html").read_text(encoding="utf-8")
    capsys.readouterr()
    assert run(["resume", "last", "--json"]) == 0
    told = capsys.readouterr()
    assert "has ended" in told.err
    assert json.loads(told.out)["attempts"] == first["attempts"]


def test_check_says_what_the_cases_cannot_see(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workload = write_tiny(tmp_path / "tiny")
    text = (workload / "reference.py").read_text(encoding="utf-8").replace("a * x", "0 * x")
    (workload / "reference.py").write_text(text, encoding="utf-8")
    assert run(["check", str(workload), "--json", "--device", "emulator"]) == 2
    lint = json.loads(capsys.readouterr().out)["lint"]
    assert any(finding["severity"] == "error" for finding in lint)


def test_doctor_finds_what_a_run_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--json"]) == 0
    findings = {finding["name"]: finding for finding in json.loads(capsys.readouterr().out)["findings"]}
    assert findings["canary kernel"]["status"] == "ok"
    assert findings["nvrtc"]["status"] == "ok"


def test_doctor_says_which_models_have_a_key_and_never_the_key(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-to-be-seen-0123456789")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert run(["doctor", "--no-canary", "--json"]) == 0
    shown = capsys.readouterr()
    found = {finding["name"]: finding["detail"] for finding in json.loads(shown.out)["findings"]}
    assert "openai (key: yes), anthropic (key: no)" in found["models"]
    assert "never-to-be-seen" not in shown.out + shown.err


def test_doctor_says_what_citations_are_taken_from(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WARPWRIGHT_DOCS", str(tmp_path / "documents"))

    def told() -> dict[str, str]:
        assert run(["doctor", "--no-canary", "--json"]) == 0
        findings = json.loads(capsys.readouterr().out)["findings"]
        return next(finding for finding in findings if finding["name"] == "documentation")

    assert told()["status"] == "warning"
    assert "docs sync" in told()["remedy"]
    (tmp_path / "notes.md").write_text("# Tiles\n\n## Padding\n\nOne word more a row.\n", encoding="utf-8")
    assert run(["docs", "add", str(tmp_path / "notes.md")]) == 0
    capsys.readouterr()
    assert told()["status"] == "ok"
    assert "documents 1, sections 2" in told()["detail"]
    (tmp_path / "documents" / "index.sqlite").write_bytes(b"damaged")
    assert "is damaged" in told()["remedy"]


def test_new_makes_a_workload_that_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "scale.cu"
    source.write_text(KERNEL, encoding="utf-8")
    target = tmp_path / "scaled"
    assert run(["new", str(target), "--from-kernel", str(source), "--oracle", "kernel", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["entry"] == "scale"
    assert any(guess.startswith("value.a") for guess in document["guesses"])
    assert run(["check", str(target), "--json", "--device", "emulator"]) == 0
    lint = json.loads(capsys.readouterr().out)["lint"]
    assert any("initial kernel itself" in finding["message"] for finding in lint)


def test_new_with_a_stub_says_what_to_fill_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "scale.cu"
    source.write_text(KERNEL, encoding="utf-8")
    target = tmp_path / "scaled"
    assert run(["new", str(target), "--from-kernel", str(source)]) == 0
    assert "reference.py is a stub" in capsys.readouterr().err
    assert run(["check", str(target), "--device", "emulator"]) == 2
    assert "compute y of shape (n) with NumPy" in capsys.readouterr().err
    assert run(["new", str(target), "--from-kernel", str(source)]) == 2
    assert "is not empty" in capsys.readouterr().err
