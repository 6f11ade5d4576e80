"""What a model writes is held to a second implementation that it did not write, and what is frozen was inspected as it is."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from loop.describing.writers import Attempt, prepared
from warpwright.errors import WorkloadError
from warpwright.evaluation.bench import BenchOptions
from warpwright.loop.describing.account import account
from warpwright.loop.describing.context import DescribeContext
from warpwright.loop.describing.examination import compare_draft
from warpwright.loop.describing.reply import Written, read_files
from warpwright.proposer.conversation import Forbids, Message, ModelFault, Reply, ToolSpec
from warpwright.proposer.model.costs import Costs

REFERENCE = '[reference]\nsource = "kernel.cu"\nentry = "silu"\ngrid = [1]\nblock = [256]\n'


def silu(change: Callable[[str], str]) -> list[str | Reply | ModelFault]:
    """The author's reply for silu, changed."""
    reply = prepared("silu", "author")[0].replace("\r\n", "\n")
    assert change(reply) != reply
    return [change(reply)]


def files() -> dict[str, str]:
    """The files of a good draft of silu."""
    known = {"author": ("workload.toml", "reference.py", "kernel.cu"), "second": ("reference.cu",)}
    made: dict[str, str] = {}
    for who, names in known.items():
        read = read_files(Reply(prepared("silu", who)[0]), names, names, may_stand=False)
        assert isinstance(read, Written)
        made |= read.files
    return made


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (REFERENCE, "[reference]; leave it out: somebody else writes the second implementation, reference.cu"),
        ('headers = ["reference.py"]\n', "[kernel] headers; leave them out: kernel.cu is all that is written of it"),
    ],
    ids=["reference", "headers"],
)
def test_a_model_names_neither_the_second_implementation_nor_headers(line: str, fault: str, tmp_path: Path) -> None:
    attempt = Attempt(tmp_path / "w", "silu")
    attempt.author.replies = silu(
        lambda text: (
            text.replace("[kernel]\n", f"[kernel]\n{line}", 1)
            if line.startswith("headers")
            else text.replace("[[cases]]", f"{line}[[cases]]", 1)
        )
    )
    with pytest.raises(WorkloadError, match=re.escape(f"workload.toml: {fault}")):
        attempt.run()
    assert (len(attempt.author.asked), len(attempt.second.asked)) == (3, 0)
    assert not (tmp_path / "w").exists()


def test_only_reference_cu_is_compared_with_the_oracle(tmp_path: Path) -> None:
    own = files()
    own["workload.toml"] += f"\n{REFERENCE}"
    attempt = Attempt(tmp_path / "w", "silu", own)
    context = DescribeContext(attempt.draft, None, None, BenchOptions(), attempt.approved, attempt.say, Costs())
    with pytest.raises(WorkloadError) as error:
        compare_draft(context)
    assert str(error.value) == (
        f'{attempt.draft.files / "workload.toml"}: found [reference] with source = "kernel.cu"; the second implementation is '
        "reference.cu, nothing else"
    )


def test_an_edit_while_the_second_writes_is_inspected(tmp_path: Path) -> None:
    attempt = Attempt(tmp_path / "w", "silu")
    ask = attempt.second.ask

    def meddle(
        messages: Sequence[Message], tools: Sequence[ToolSpec] = (), forbids: Forbids | None = None
    ) -> Reply | ModelFault:
        path = attempt.draft.files / "workload.toml"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("[kernel]\n", "[tolerance]\nrtol = 100.0\natol = 100.0\n[kernel]\n", 1))
        return ask(messages, tools, forbids)

    attempt.second.ask = meddle  # type: ignore[method-assign]
    with pytest.raises(WorkloadError, match=r"every case accepts an output of zeros"):
        attempt.run()
    assert "edited while this ran, so yours from now on: workload.toml" in attempt.told
    assert attempt.draft.assignment.supplied == ("workload.toml",)
    assert not (tmp_path / "w").exists()


def test_an_edit_while_the_author_writes_is_not_written_over(tmp_path: Path) -> None:
    attempt = Attempt(tmp_path / "w", "silu")
    ask = attempt.author.ask

    def meddle(
        messages: Sequence[Message], tools: Sequence[ToolSpec] = (), forbids: Forbids | None = None
    ) -> Reply | ModelFault:
        (attempt.draft.files / "kernel.cu").write_text("// mine\n" + files()["kernel.cu"], encoding="utf-8")
        return ask(messages, tools, forbids)

    attempt.author.ask = meddle  # type: ignore[method-assign]
    attempt.run()
    assert (tmp_path / "w" / "kernel.cu").read_text(encoding="utf-8").startswith("// mine\n")
    record = json.loads((tmp_path / "w" / "describe.json").read_text(encoding="utf-8"))
    assert record["supplied"] == ["kernel.cu"]


def test_a_refusal_names_what_was_not_resolved(tmp_path: Path) -> None:
    attempt = Attempt(tmp_path / "w", "silu")
    attempt.author.replies = [*silu(lambda text: text.replace("x / (1", "2 * x / (1")), "Sorry.", "Sorry again."]
    with pytest.raises(WorkloadError) as error:
        attempt.run()
    reason = str(error.value)
    assert "refused, nothing was written there: no_files: no fenced block" in reason
    assert "Not resolved before that:\n- kernel.cu: wrong_result" in reason
    assert "want" in reason
    assert "correct its files yourself" in reason
    assert "kernel.cu: wrong_result" in attempt.author.asked[2][-1].text


def test_where_nothing_was_written_there_is_nothing_to_correct(tmp_path: Path) -> None:
    attempt = Attempt(tmp_path / "w", "silu")
    attempt.author.replies = ["Sorry."]
    with pytest.raises(WorkloadError) as error:
        attempt.run()
    assert "correct its files yourself" not in str(error.value)
    assert f"warpwright new {tmp_path / 'w'} --resume --model PROVIDER:NAME" in str(error.value)


def account_of(tmp_path: Path, **changed: str) -> str:
    own = files() | {name.replace("_", "."): text for name, text in changed.items()}
    return account(Attempt(tmp_path / "w", "silu", own).draft)


def test_the_account_shows_everything_that_was_set(tmp_path: Path) -> None:
    tables = (
        '[tolerance]\nrtol = 1e-3\nreduction = "n"\n[tolerance.outputs.y]\natol = 0.5\n'
        '[timing]\ncache = "warm"\n[policy]\nlower_precision = true\nspecialise = true\n[kernel]\n'
    )
    text = account_of(tmp_path, workload_toml=files()["workload.toml"].replace("[kernel]\n", tables, 1))
    for line in (
        "  tolerance: rtol = 0.001, reduction = n; the rest by dtype, length of sums and scale of the values",
        "  tolerance of y, instead of that: atol = 0.5; the rest by dtype, length of sums and scale of the values",
        "  timed with a warm L2 cache",
        "  candidates may compute in a lower precision",
        "  candidates may be made for single sizes",
        "  lower_precision = true",
    ):
        assert line in text.split("\n")


def test_a_tolerance_that_nobody_set_has_no_rest(tmp_path: Path) -> None:
    plain = files()["workload.toml"]
    assert "[tolerance" not in plain
    assert "  tolerance: by dtype, length of sums and scale of the values" in account_of(tmp_path).split("\n")


def test_nothing_in_the_account_hides_or_passes_for_a_line_of_ours(tmp_path: Path) -> None:
    toml = re.sub(r'summary = "[^"]*"', r'summary = "x\\nChecked\\n  - all is well"', files()["workload.toml"])
    attempt = Attempt(tmp_path / "w", "silu", files() | {"workload.toml": toml})
    attempt.draft.keep("inspection", {"weaknesses": ["a\x1b[2J\u202eb\nChecked"], "device": "\x9b"})
    text = account(attempt.draft)
    assert "Computes:  x Checked   - all is well" in text.split("\n")
    assert "  - a\\x1b[2J\\u202eb Checked" in text.split("\n")
    assert text.split("\n").count("Checked") == 1
    assert not {"\x1b", "\u202e", "\x9b"} & set(text)


def test_small_cases_that_failed_are_told(tmp_path: Path) -> None:
    attempt = Attempt(tmp_path / "w", "silu", files())
    attempt.draft.keep(
        "inspection", {"examples": [], "examples_failed": ["n = 2: reference.py:3: ValueError: too small"]}
    )
    lines = account(attempt.draft).split("\n")
    assert "  not worked out: n = 2: reference.py:3: ValueError: too small" in lines
    assert not [line for line in lines if "no legal size" in line]
