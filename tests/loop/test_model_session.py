"""A session with a model: it takes the good replies, repairs or discards the others, and stays within its caps."""

from pathlib import Path

import pytest

from loop.model_session import (
    PREFLIGHT,
    REPLIES,
    Script,
    as_json,
    command,
    essence,
    exchanges,
    holds,
    only_session,
    optimize,
    outcomes,
    prepared,
    small_workload,
)
from loop.row_sums import write_row_sums
from loop.shared import Shared
from loop.tiny import KERNEL, write_tiny
from model_server.answer import Answer
from model_server.server import ModelServer, Request
from warpwright.proposer.conversation import ModelFault, Purpose
from warpwright.record.session import Session

SECRET = "sk-thekeyofthistest0123456789"
OTHER_SECRET = "sk-anotherkeyofthistest98765"
ENTRY = ("--tuning-points", "6", "--max-model-calls")


@pytest.fixture(autouse=True)
def _own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, on_shared: None) -> None:
    own_state(monkeypatch, tmp_path)


def own_state(patch: pytest.MonkeyPatch, root: Path) -> None:
    patch.setenv("XDG_STATE_HOME", str(root / "state"))
    patch.setenv("WARPWRIGHT_API_KEY", SECRET)
    patch.setenv("OPENAI_API_KEY", OTHER_SECRET)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        patch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def matmul(tmp_path_factory: pytest.TempPathFactory, shared: Shared) -> Session:
    """A session with the prepared replies for matmul."""
    root = tmp_path_factory.mktemp("matmul")
    with pytest.MonkeyPatch.context() as patch:
        own_state(patch, root)
        shared.serve(patch)
        workload = small_workload(root / "matmul", "matmul")
        assert optimize(workload, root / "s", prepared("matmul"), *ENTRY, "10") == 0
    return only_session(root / "s")


def prepared_source(name: str) -> str:
    text = (REPLIES / name).read_text(encoding="utf-8")
    return text.rpartition("cuda\n")[2].rpartition("\n```")[0].strip()


def verdicts(session: Session) -> list[str]:
    """What was wrong with each reply, in a word; `fault` where there was none."""
    return [
        "fault" if isinstance(exchange.outcome, ModelFault) else exchange.verdict.partition(":")[0]
        for exchange in exchanges(session)
    ]


def test_softmax_ends_with_the_best_prepared_kernel_tuned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = prepared("softmax")
    assert optimize(small_workload(tmp_path / "softmax", "softmax"), tmp_path / "s", script, *ENTRY, "12") == 0
    session = only_session(tmp_path / "s")
    assert outcomes(session) == [
        ("workload", "", "passed"),
        ("tuner", "tuning", "improved"),
        ("model", "warp per row", "improved"),
        ("model", "block per row", "compile_error"),
        ("model", "block per row", "wrong_result"),
        ("model", "block per row", "tie"),
        ("builtin", "unroll", "tie"),
        ("tuner", "tuning", "improved"),
        ("builtin", "launch_bounds", "tie"),
        ("model", "row in registers", "tie"),
        ("tuner", "tuning", "improved"),
    ]
    assert verdicts(session) == [
        "",
        "no_code",
        "",
        "",
        "",
        "",
        "truncated",
        "elided",
        "policy",
        "fault",
        "duplicate",
        "",
    ]
    best = session.attempt(session.best())
    assert best.candidate.source.strip() == prepared_source("softmax/12-row-in-registers.md")
    assert best.candidate.values() != session.attempt(10).candidate.values()
    summary = session.summary()
    assert summary is not None
    assert summary.stop == "budget: model calls: 12 of 12 used"
    assert len(script.asked) == session.spending().calls == 12
    attempt = session.attempt(3)
    assert attempt.fabricated_citations == 1
    assert attempt.hypothesis is not None
    assert attempt.hypothesis.citations == ()
    assert "policy" in session.attempt(7).reason
    assert "401" in session.attempt(9).reason
    assert [session.attempt(number).parent for number in (4, 5, 6)] == [3, 4, 5]
    said = capsys.readouterr()
    for secret in (SECRET, OTHER_SECRET, "sk-SECRETSECRETSECRET"):
        assert not holds(tmp_path, secret)
        assert secret not in said.out + said.err
    _the_model_was_told_what_was_wrong(script)


def _the_model_was_told_what_was_wrong(script: Script) -> None:
    prompts = [request.prompt for request in script.asked]
    assert "the arguments are no JSON object" in prompts[1]  # a look-up that cannot be answered is answered in words
    assert "no block of CUDA source" in prompts[2]
    assert 'expected a ";"' in prompts[4]
    assert "y[0, 0]" in prompts[5]
    assert "cut off at the output limit" in prompts[7]
    assert "attempt 3 was this kernel" in prompts[11]
    assert all(request.headers["authorization"] == f"Bearer {SECRET}" for request in script.asked)


def test_matmul_ends_with_the_best_prepared_kernel(matmul: Session) -> None:
    session = matmul
    assert outcomes(session)[:4] == [
        ("workload", "", "passed"),
        ("model", "shared tiles", "wrong_result"),
        ("model", "shared tiles", "improved"),
        ("model", "tiles of a tunable size", "improved"),
    ]
    assert verdicts(session) == [
        *("header", "entry_not_found", "", "", "no_code", ""),
        *("limits", "no_code", "header", "fault"),
    ]
    assert session.best() == 4
    assert session.attempt(4).candidate.source.strip() == prepared_source("matmul/06-tunable-tiles.md")
    assert len(session.tuning(4)) == 3
    assert {a.proposer for a in session.attempts()[4:]} == {"builtin"}
    assert session.spending().calls == 10


def test_recorded_replies_give_the_same_result_without_a_server(
    matmul: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, workload = matmul, small_workload(tmp_path / "matmul", "matmul")
    model = f"replay:{first.directory}"
    assert command(workload, tmp_path / "again", "--model", model, "--json", *ENTRY, "10") == 0
    again = only_session(tmp_path / "again")
    assert essence(again) == essence(first)
    document = as_json(capsys.readouterr().out)
    assert document["spending"]["model_calls"] == 10
    assert document["spending"]["money_usd"] == 0.0
    assert document["spending"]["device_s"] is None  # emulated
    assert {row["name"] for row in document["proposers"]} == {f"replay:{first.directory.name}", "builtin"}


def test_a_conversation_holds_what_the_model_said_and_the_answers_of_look_ups(tmp_path: Path) -> None:
    script = prepared("softmax")
    workload = small_workload(tmp_path / "softmax", "softmax")
    assert optimize(workload, tmp_path / "s", script, "--tuning-points", "0", "--max-model-calls", "3") == 0
    session = only_session(tmp_path / "s")
    assert [exchange.purpose for exchange in exchanges(session)] == [Purpose.PROPOSE, Purpose.TOOL, Purpose.RE_ASK]
    roles = [message["role"] for message in script.asked[2].body["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "tool", "assistant", "user"]
    assert session.spending().look_ups == 2
    folder = session.attempt_directory(2) / "proposal"
    assert sorted(path.name for path in folder.iterdir()) == [
        *(f"exchange-{n:02d}.json" for n in (1, 2, 3)),
        "proposal.json",
        *(f"tool-{n:02d}.json" for n in (1, 2)),
    ]


def duplicate_reply(kernel: str = KERNEL) -> Answer:
    return Answer(f'```json\n{{"technique": "none", "hypothesis": "it is fine"}}\n```\n```cuda\n{kernel}\n```\n')


def test_replies_that_only_repeat_end_the_search(tmp_path: Path) -> None:
    script = Script([duplicate_reply()])
    workload = write_tiny(tmp_path / "tiny")
    assert optimize(workload, tmp_path / "s", script, "--tuning-points", "0") == 0
    session = only_session(tmp_path / "s")
    summary = session.summary()
    assert summary is not None
    assert summary.stop == "6 replies in a row repeated earlier attempts"
    assert len(script.asked) == 6
    assert [attempt.proposer for attempt in session.attempts()] == ["workload", "builtin", "builtin"]


class Parrot(Script):
    """Gives back the kernel to start from, whichever that is by now."""

    def __init__(self, root: Path) -> None:
        super().__init__([])
        self.root = root

    def __call__(self, request: Request) -> Answer:
        if PREFLIGHT in request.prompt:
            return Answer("ready")
        self.asked.append(request)
        session = only_session(self.root)
        return duplicate_reply(session.attempt(session.incumbent()).candidate.source)


def test_a_gain_in_between_lets_a_model_that_repeats_itself_go_on(tmp_path: Path) -> None:
    """The built-in strategist takes the turns that the model wastes; while those gain, the search goes on."""
    script = Parrot(tmp_path / "s")
    options = ("--tuning-points", "0", "--iterations", "6")
    assert optimize(write_row_sums(tmp_path / "rows"), tmp_path / "s", script, *options) == 0
    session = only_session(tmp_path / "s")
    assert all(exchange.verdict.startswith("duplicate") for exchange in exchanges(session))
    assert session.incumbents()[:2] == (1, 2)
    assert {attempt.proposer for attempt in session.attempts()[1:]} == {"builtin"}
    assert len(script.asked) >= 9  # three before the gain, and six more
    assert session.attempt_count >= 4


def prices(directory: Path) -> Path:
    path = directory / "prices.toml"
    path.write_text('[[price]]\nmodels = ["openai:prepared"]\nin = 100.0\nout = 1000.0\n', encoding="utf-8")
    return path


def test_money_is_capped_before_it_is_spent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARPWRIGHT_PRICES", str(prices(tmp_path)))
    script = Script([Answer("prose", tokens=(2000, 300, 0))])  # 0.50 USD a request
    options = ("--budget-usd", "1.7", "--max-output-tokens", "300", "--tuning-points", "0")
    assert optimize(write_tiny(tmp_path / "tiny"), tmp_path / "s", script, *options) == 0
    session = only_session(tmp_path / "s")
    summary = session.summary()
    assert summary is not None
    assert summary.stop.startswith("budget: money: 1.5000 of 1.7 USD used, and the next request may cost 0.")
    assert len(script.asked) == 3
    assert session.spending().money_usd == pytest.approx(1.5)
    assert all(request.body["max_completion_tokens"] == 300 for request in script.asked)


def test_a_money_cap_needs_a_price(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = Script([Answer("prose")])
    workload = write_tiny(tmp_path / "tiny")
    assert optimize(workload, tmp_path / "s", script, "--budget-usd", "1") == 2
    assert "the price of openai:prepared is unknown" in capsys.readouterr().err
    assert not (tmp_path / "s").exists()
    allowed = ("--budget-usd", "1", "--allow-unknown-price", "--max-model-calls", "1", "--tuning-points", "0")
    assert optimize(workload, tmp_path / "s", script, *allowed) == 0


def test_tokens_are_capped_where_the_server_tells_no_usage(tmp_path: Path) -> None:
    script = Script([Answer("prose", tokens=None)])
    options = ("--max-tokens", "9000", "--max-output-tokens", "300", "--tuning-points", "0")
    assert optimize(write_tiny(tmp_path / "tiny"), tmp_path / "s", script, *options) == 0
    summary = only_session(tmp_path / "s").summary()
    assert summary is not None
    assert "tokens" in summary.stop
    assert "is unknown" in summary.stop
    assert 1 <= len(script.asked) <= 4


@pytest.mark.parametrize(
    ("cap", "sent", "stop"),
    [
        (("--max-model-calls", "2"), 2, "budget: model calls: 2 of 2 used"),
        (
            ("--max-tokens", "9000", "--max-output-tokens", "3000"),
            1,
            "budget: tokens: 0 of 9000 used and what 1 requests",
        ),
    ],
)
def test_no_retry_goes_beyond_a_cap(tmp_path: Path, cap: tuple[str, ...], sent: int, stop: str) -> None:
    script = Script([Answer(status=500, error="down")])
    assert optimize(write_tiny(tmp_path / "tiny"), tmp_path / "s", script, *cap, "--tuning-points", "0") == 0
    session = only_session(tmp_path / "s")
    summary = session.summary()
    assert summary is not None
    assert (len(script.asked), session.spending().calls) == (sent, sent)
    assert summary.stop.startswith(stop)
    (fault,) = (exchange.outcome for exchange in exchanges(session))
    assert isinstance(fault, ModelFault)
    assert ". Not tried again: budget: " in fault.message


def test_a_model_that_cannot_be_used_is_known_before_anything_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workload = write_tiny(tmp_path / "tiny")
    with ModelServer([Answer(status=401, error="no such key")]) as server:
        model = ("--model", "openai:prepared", "--base-url", server.base_url)
        assert command(workload, tmp_path / "s", *model) == 4
    said = capsys.readouterr().err
    assert "authentication" in said
    assert SECRET not in said
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--beam", "4"), "--beam 4: linear search has no beam. Add --strategy beam, or leave this out."),
        (
            ("--bottlenecks", "1", "--beam", "2", "--strategy", "linear"),
            "--beam 2, --bottlenecks 1: linear search has no",
        ),
        (("--max-model-calls", "3"), "asks no model"),
        (("--model", "builtin", "--base-url", "http://localhost:1/v1"), "asks no model"),
        (("--model", "nobody"), "no such proposer"),
        (("--model", "nobody:x"), "no provider nobody"),
        (("--model", "openai:x", "--base-url", f"http://me:{SECRET}@localhost:1/v1"), "holds a password or key"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], words: str
) -> None:
    assert command(write_tiny(tmp_path / "tiny"), tmp_path / "s", *options) == 2
    said = capsys.readouterr().err
    assert words in " ".join(said.split())
    assert SECRET not in said
    assert not (tmp_path / "s").exists()


def test_a_dry_run_prints_the_first_prompt_and_keeps_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workload = small_workload(tmp_path / "softmax", "softmax")
    assert command(workload, tmp_path / "s", "--model", "openai:prepared", "--dry-run", "--json") == 0
    document = as_json(capsys.readouterr().out)
    assert document["size_chars"] == sum(len(message["text"]) for message in document["messages"])
    assert "grid_too_small" in document["messages"][1]["text"]  # the initial kernel was evaluated and diagnosed
    assert not (tmp_path / "s").exists()
    assert not list((tmp_path / "state").rglob("*-softmax"))
