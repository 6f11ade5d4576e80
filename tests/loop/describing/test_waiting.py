"""Nothing is used before a person said yes; what was approved is what is used; a kill or a missing model loses nothing."""

import json
from pathlib import Path

import pytest

from loop.describing.writers import Attempt, prepared
from warpwright.cli.main import run
from warpwright.errors import ModelUnavailable, RecordError, WorkloadError
from warpwright.loop.describing.account import account
from warpwright.loop.describing.draft import Draft
from warpwright.loop.describing.graph import build
from warpwright.proposer.conversation import FaultKind, ModelFault, Reply
from warpwright.workload.approval import read_approval
from warpwright.workload.loader import load_workload

FAULT = ModelFault(FaultKind.RATE_LIMIT, "the server asks to wait.", tries=3, seconds=1.0)


def test_the_draft_waits_and_is_examined_again_after_an_edit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "w"
    attempt = Attempt(target, "silu", approved=False)
    first = attempt.run(answer=False)
    assert (first.directory, first.draft.is_dir(), target.exists()) == (None, True, False)
    assert len(attempt.shown) == 1
    text = account(attempt.draft)
    for part in (
        "Described: SiLU of a float32 vector.",
        "-> y = [",
        "holds: y is permuted",
        "NOT run here: large",
        "2 requests",
    ):
        assert part in text

    again = Attempt.__new__(Attempt)
    told: list[str] = []
    again.__dict__.update({**attempt.__dict__, "draft": Draft.open(target), "told": told, "say": told.append})
    assert again.run(answer=False).directory is None
    assert (len(again.shown), again.told) == (2, [])  # nothing was done again

    path = first.draft / "workload" / "reference.py"
    path.write_text(path.read_text(encoding="utf-8").replace("x / (1", "2 * x / (1"), encoding="utf-8")
    with pytest.raises(WorkloadError, match=r"kernel.cu: wrong_result"):
        again.run()
    assert Draft.open(target).assignment.supplied == ("reference.py",)
    assert "- `reference.py`" not in again.author.asked[-1][0].text
    assert "def reference" not in again.author.asked[-1][2].text
    assert "__global__ void silu" in again.author.asked[-1][2].text

    path.write_text(path.read_text(encoding="utf-8").replace("2 * x", "x"), encoding="utf-8")
    assert again.run(answer=True).directory == target
    assert not first.draft.exists()
    approval = read_approval(load_workload(target))
    assert approval is not None
    assert (approval.by, approval.valid, approval.origin["supplied"]) == ("a person", True, ["reference.py"])

    kernel = target / "kernel.cu"
    kernel.write_text(kernel.read_text(encoding="utf-8") + "// mine\n", encoding="utf-8")
    assert run(["check", str(target), "--device", "emulator:h200", "--json"]) == 2
    out = capsys.readouterr()
    assert json.loads(out.out)["approval"]["changed"] == ["kernel.cu"]
    assert "APPROVAL VOID" in out.err


def test_own_files_replace_generated_ones_and_stay_as_they_are(tmp_path: Path) -> None:
    made = Attempt(tmp_path / "source", "silu", approved=False)
    made.run(answer=False)
    texts = {name: made.draft.text(name) or "" for name in ("kernel.cu", "reference.cu")}
    texts["kernel.cu"] = "// by hand\n" + texts["kernel.cu"]
    attempt = Attempt(tmp_path / "w", "silu", texts)
    attempt.run()
    asked = attempt.author.asked[0]
    assert "- `kernel.cu`" not in asked[0].text
    assert "// by hand" in asked[1].text
    assert attempt.second.asked == []
    assert (tmp_path / "w" / "kernel.cu").read_text(encoding="utf-8") == texts["kernel.cu"]
    record = json.loads((tmp_path / "w" / "describe.json").read_text(encoding="utf-8"))
    assert record["supplied"] == ["kernel.cu", "reference.cu"]


def test_a_model_that_is_away_leaves_a_draft_that_goes_on(tmp_path: Path) -> None:
    attempt = Attempt(tmp_path / "w", "row_variance")
    attempt.author.replies = [FAULT]
    with pytest.raises(ModelUnavailable, match=r"asks to wait.*--resume"):
        attempt.run()
    attempt.author.replies = [FAULT, "no files today"]
    with pytest.raises(WorkloadError, match=r"no_files: no fenced block that is one of workload.toml"):
        attempt.run()
    verdicts = [exchange.verdict for exchange in attempt.draft.exchanges()]
    assert verdicts[0] == "fault: rate limit"
    assert len(verdicts) == 4


def test_a_reply_that_was_paid_for_is_not_asked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = Attempt(tmp_path / "w", "damp")
    attempt.author.replies = [*prepared("damp", "author"), FAULT]

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Draft, "judge", killed)
        with pytest.raises(KeyboardInterrupt):
            attempt.run()
    assert len(attempt.author.asked) == 1
    with pytest.raises(ModelUnavailable):
        attempt.run()
    assert [isinstance(e.outcome, Reply) for e in attempt.draft.exchanges()] == [True, False]
    assert "sent back to the model: - every case accepts an output of zeros" in attempt.told[-1]


def test_nodes_keep_their_names() -> None:
    """A renamed node ends a resume silently: raise DESCRIBE_GRAPH_VERSION with it."""
    names = ["approve", "compare", "freeze", "inspect", "refuse", "second_opinion", "specify"]
    assert sorted(build().nodes) == names


def test_a_draft_begun_before_its_files_changed_is_refused(tmp_path: Path) -> None:
    """Version 1 kept no digests of what was inspected: the model's files passed for the person's own."""
    target = tmp_path / "w"
    path = Attempt(target, "silu", approved=False).draft.directory / "draft.json"
    head = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**head, "version": 1}), encoding="utf-8")
    with pytest.raises(RecordError) as error:
        Draft.open(target)
    assert str(error.value) == (
        f"{path.parent}: made by version 1 of describing; this Warpwright has version 2. Begin anew, with --workload-toml and "
        "the other files of the draft."
    )
