"""`warpwright new --describe` as it is typed: a real server behind --base-url, and every way to ask for it wrongly."""

import json
from io import StringIO
from pathlib import Path

import pytest

from loop.describing.writers import Attempt, description, prepared
from model_server import Answer, ModelServer, Request
from warpwright.cli.main import run
from warpwright.loop.describing.reply import Written, read_files
from warpwright.proposer.conversation import Reply

KEY = "test-key-3f81c0d2a9"
SECOND = "You write a second, independent implementation"


def answer(request: Request) -> Answer:
    """What the prepared author or second says; the preflight gets a word."""
    if "Answer with the word ready" in request.prompt:
        return Answer("ready")
    who = "second" if SECOND in request.prompt else "author"
    return Answer(prepared("label_counts", who)[0], tokens=(1000, 500, 0))


def assert_no_key_in(folder: Path) -> None:
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert written
    assert not [path for path in written if KEY.encode() in path.read_bytes()]


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WARPWRIGHT_API_KEY", KEY)
    monkeypatch.setenv("WARPWRIGHT_CACHE", str(tmp_path / "cache"))
    for variable in (
        "OPENAI_API_KEY",
        "http_proxy",
        "https_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "all_proxy",
    ):
        monkeypatch.delenv(variable, raising=False)


def test_a_described_workload_waits_is_shown_and_is_approved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "counts"
    with ModelServer(answer) as server:
        words = ["new", str(target), "--describe", description("label_counts"), "--device", "emulator:h200"]
        code = run([*words, "--model", "openai:any", "--base-url", server.base_url])
    out = capsys.readouterr()
    assert code == 130
    assert "Small cases to work out by hand" in out.out
    assert "-> counts = [" in out.out
    assert "2 requests, 2000 tokens in, 1000 out, cost unknown" in out.out
    assert f"warpwright new {target} --resume" in out.err
    assert not target.exists()
    assert all(request.headers["authorization"] == f"Bearer {KEY}" for request in server.requests)
    assert_no_key_in(tmp_path)
    assert run(["evaluate", str(tmp_path / "counts.draft")]) == 2  # no workload for anybody
    capsys.readouterr()

    assert run(["new", str(target), "--resume", "--json"]) == 130  # the server is gone, and not needed
    assert json.loads(capsys.readouterr().out) == {
        "status": "waiting",
        "directory": None,
        "draft": f"{target}.draft",
        "supplied": [],
        "account": out.out.rstrip("\n"),
    }
    assert run(["new", str(target), "--resume", "--yes"]) == 0
    assert capsys.readouterr().out == f"{out.out}{target}: a workload, frozen by describe.json\n"
    assert json.loads((target / "describe.json").read_text(encoding="utf-8"))["approved"]["by"] == "--yes"
    assert_no_key_in(tmp_path)
    assert KEY not in out.out + out.err


def test_with_every_file_supplied_no_model_is_needed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = {
        "workload.toml": "--workload-toml",
        "reference.py": "--oracle",
        "kernel.cu": "--kernel",
        "reference.cu": "--reference-kernel",
    }
    words = ["new", str(tmp_path / "w"), "--describe", description("silu"), "--device", "emulator:h200"]
    replies = [Reply(text) for who in ("author", "second") for text in prepared("silu", who)]
    known = [("workload.toml", "reference.py", "kernel.cu"), ("reference.cu",)]
    for reply, files in zip(replies, known, strict=True):
        found = read_files(reply, files, files, may_stand=False)
        assert isinstance(found, Written)
        for name, text in found.files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
            words += [names[name], str(tmp_path / name)]
    assert run([*words, "--yes"]) == 0
    out = capsys.readouterr()
    assert "yours, and not generated: kernel.cu, reference.cu, reference.py, workload.toml" in out.err
    assert f"{tmp_path / 'w'}: a workload, frozen by describe.json" in out.out
    assert json.loads((tmp_path / "w" / "describe.json").read_text(encoding="utf-8"))["exchanges"] == []


def test_a_server_that_is_down_costs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ModelServer([Answer(status=401, error="no such key")]) as server:
        words = ["new", str(tmp_path / "w"), "--describe", "x", "--model", "openai:any", "--base-url", server.base_url]
        assert run(words) == 4
    err = " ".join(capsys.readouterr().err.split())
    assert f"asking openai:any at {server.base_url} whether it answers (2 times, 30 s at most)" in err
    assert "(authentication). Nothing was begun." in err
    assert list(tmp_path.iterdir()) == []


def test_a_second_try_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ModelServer(lambda request: Answer(status=500)) as server:
        words = ["new", str(tmp_path / "w"), "--describe", "x", "--model", "openai:any", "--base-url", server.base_url]
        assert run(words) == 4
    assert "; trying again in " in capsys.readouterr().err
    assert len(server.requests) == 2


def test_a_model_that_is_away_at_a_resume_leaves_the_draft(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft = Attempt(tmp_path / "w", "silu", approved=False).draft
    with ModelServer(lambda request: Answer(status=401)) as server:
        words = ["new", str(tmp_path / "w"), "--resume", "--model", "openai:any", "--base-url", server.base_url]
        assert run(words) == 4
    err = " ".join(capsys.readouterr().err.split())
    assert f"asking openai:any at {server.base_url} whether it answers" in err
    assert "(authentication). The draft stays as it is." in err
    assert draft.directory.is_dir()


@pytest.mark.parametrize("target", [".", "..", "a/.."])
@pytest.mark.parametrize("way", [("--describe", "x", "--model", "openai:a"), ("--resume",)], ids=["begin", "resume"])
def test_a_path_without_a_name_is_refused(
    target: str,
    way: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", target, *way]) == 2
    err = " ".join(capsys.readouterr().err.split())
    assert (
        f"new {target}: the draft lies beside DIR under its name, and this path has none; write a name, such as" in err
    )
    assert list(tmp_path.iterdir()) == []


class Terminal(StringIO):
    """A person who leaves: Ctrl-D where there is no more text, Ctrl-C if told so."""

    leaves = False

    def isatty(self) -> bool:
        return True

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        if self.leaves:
            raise KeyboardInterrupt
        return super().readline(size)


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The target of a draft that waits for a person."""
    target = tmp_path_factory.mktemp("waiting") / "w"
    Attempt(target, "label_counts", approved=False).run(answer=False)
    return target


@pytest.mark.parametrize("way", ["no", "Ctrl-C", "Ctrl-D"])
def test_who_does_not_say_yes_keeps_the_draft(
    way: str, waiting: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Terminal("n\n" if way == "no" else "")
    person.leaves = way == "Ctrl-C"
    monkeypatch.setattr("sys.stdin", person)
    assert run(["new", str(waiting), "--resume"]) == 130
    out = capsys.readouterr()
    assert f"interrupted: not approved, so there is no {waiting} yet." in out.err
    assert f"warpwright new {waiting} --resume (with --yes" in out.err
    assert "Aborted" not in out.err
    assert not waiting.exists()


RESUMED = {
    "a key in the address": (["--base-url", "http://me:secret@host/v1"], "--base-url holds a password or key"),
    "another device": (
        ["--device", "emulator:h100"],
        "--device emulator:h100: the draft was begun for emulator:h200 and keeps to it",
    ),
    "any device": (["--device", "auto"], "--device auto: the draft was begun for emulator:h200"),
}


@pytest.mark.parametrize("name", RESUMED)
def test_a_draft_goes_on_with_what_it_was_begun_with(
    name: str, waiting: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, text = RESUMED[name]
    before = Path(f"{waiting}.draft", "draft.json").read_bytes()
    assert run(["new", str(waiting), "--resume", *words]) == 2
    assert text in capsys.readouterr().err
    assert Path(f"{waiting}.draft", "draft.json").read_bytes() == before


OWN = {
    "no CUDA": ("--reference-kernel", "# Title\n\nWords.\n", "(as reference.cu): "),
    "no kernel": ("--kernel", "__device__ int f() { return 1; }\n", "(as kernel.cu): no __global__ function in it"),
    "a type that is none": (
        "--reference-kernel",
        'extern "C" __global__ void k(flaot* y) { y[0] = 1; }\n',
        "(as reference.cu): syntax: reference.cu(1): error: ",
    ),
    "two kernels": (
        "--reference-kernel",
        "__global__ void a() {}\n__global__ void b() {}\n",
        "(as reference.cu): kernels found: a, b; give one",
    ),
    "no Python": ("--oracle", "def reference(x:\n", "(as reference.py): reference.py:1: not valid Python"),
    "no reference": ("--oracle", "def other(x):\n    return x\n", "(as reference.py): defines no reference(...)"),
    "no TOML": ("--workload-toml", "name = silu\n", "(as workload.toml): workload.toml: not valid TOML"),
    "hidden": (
        "--oracle",
        "# \u202e\ndef reference(x):\n    return x\n",
        "reference.py:1: a character that hides or turns",
    ),
}


@pytest.mark.parametrize("name", OWN)
def test_files_of_ones_own_are_looked_at_before_a_model_is_paid(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    option, content, text = OWN[name]
    file = tmp_path / "mine"
    file.write_text(content, encoding="utf-8")
    with ModelServer(answer) as server:
        words = ["new", str(tmp_path / "w"), "--describe", "x", "--model", "openai:any", "--base-url", server.base_url]
        assert run([*words, "--device", "emulator:h200", option, str(file)]) == 2
    err = capsys.readouterr().err
    assert f"{file} (as " in err
    assert text in err
    assert server.requests == []
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("w")]


TOML = {
    "a second of its own": ("[reference]\nentry = 'r'\ngrid = [1]\nblock = [1]\n", "[reference] without reference.cu"),
    "another file": ("[kernel]\nsource = 'mine.cu'\n", "mine.cu: no such file"),
    "too few cases": (None, "cases: found 2; at least 3: "),
}


@pytest.mark.parametrize("name", TOML)
def test_a_workload_toml_of_ones_own_must_fit_what_will_be_there(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, text = TOML[name]
    read = read_files(Reply(prepared("silu", "author")[0]), ("workload.toml",), ("workload.toml",), may_stand=False)
    assert isinstance(read, Written)
    toml = read.files["workload.toml"]
    if table is None:
        first, *cases = toml.split("[[cases]]\n")
        toml = "[[cases]]\n".join([first, cases[0], *(case for case in cases if '"perf"' in case)][:3])
    else:
        toml = toml.replace("[kernel]\n", table if "[kernel]" in table else f"{table}[kernel]\n", 1)
    (tmp_path / "mine.toml").write_text(toml, encoding="utf-8")
    with ModelServer(answer) as server:
        words = ["new", str(tmp_path / "w"), "--describe", "x", "--model", "openai:any", "--base-url", server.base_url]
        words += ["--device", "emulator:h200", "--workload-toml", str(tmp_path / "mine.toml")]
        assert run(words) == 2
    assert f"{tmp_path / 'mine.toml'} (as workload.toml): " in (err := capsys.readouterr().err)
    assert text in err
    assert server.requests == []


BAD = {
    "nothing": ([], "new takes one of --from-kernel F.cu, --describe TEXT, --resume; found none of them."),
    "two ways": (["--describe", "x", "--resume"], "found --describe and --resume."),
    "no model": (["--describe", "x"], "--from-kernel F.cu` makes a workload from a kernel"),
    "a model without use": (["--from-kernel", "k.cu", "--model", "openai:a"], "--model: only with --describe"),
    "an oracle of the other way": (["--describe", "x", "--oracle", "kernel"], "with --describe, --oracle names a file"),
    "no words": (["--describe", " ", "--model", "openai:a"], "say what is to be computed"),
    "too many words": (["--describe", "x" * 8001, "--model", "openai:a"], "8001 characters; at most 8000"),
    "a recorded session": (["--describe", "x", "--model", "replay:last"], "has no replies for a description"),
    "no draft": (["--resume"], "no draft there; begin with"),
    "a file that is not": (["--describe", "x", "--model", "openai:a", "--kernel", "no.cu"], "no.cu: no such file"),
    "a key in the address": (
        ["--describe", "x", "--model", "openai:a", "--base-url", "http://me:secret@host/v1"],
        "--base-url holds a password or key",
    ),
    "no address": (
        ["--describe", "x", "--model", "openai:a", "--base-url", "localhost:8111"],
        "--base-url 'localhost:8111' is no address of a server: write http://HOST:PORT/v1",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_done_is_said_before_anything_is_written(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, text = BAD[name]
    assert run(["new", str(tmp_path / "w"), *words]) == 2
    assert text in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
