"""Six descriptions with prepared replies: four become workloads that `check` accepts, two are refused with the reason."""

import functools
import json
from collections.abc import Callable

import pytest

from loop.describing.writers import Attempt
from warpwright.cli.main import run
from warpwright.errors import WorkloadError
from warpwright.loop.describing.run import Described

GOOD = {
    "logsumexp": (1, 1, "y grows by the constant that is added to x"),
    "silu": (1, 1, "y is permuted along axis 0 as x along axis 0"),
    "centre_rows": (2, 2, "y sums to 0 along axis 1"),
    "label_counts": (1, 1, "counts does not depend on the order of labels along axis 0"),
}
"""Requests to the author and to the second that it takes, and a law that was tried."""


Ended = Callable[[str], tuple[Attempt, Described | WorkloadError]]


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """Takes a description to its end, once for whoever asks."""

    @functools.cache
    def ended(name: str) -> tuple[Attempt, Described | WorkloadError]:
        attempt = Attempt(tmp_path_factory.mktemp(name) / name, name)
        try:
            return attempt, attempt.run()
        except WorkloadError as refused:
            return attempt, refused

    return ended


@pytest.mark.parametrize("name", GOOD)
def test_a_good_description_ends_as_a_workload_that_check_accepts(
    name: str, ended: Ended, capsys: pytest.CaptureFixture[str]
) -> None:
    attempt, described = ended(name)
    target = attempt.draft.target
    asked_author, asked_second, law = GOOD[name]
    assert isinstance(described, Described)
    assert described.directory == target
    assert (len(attempt.author.asked), len(attempt.second.asked)) == (asked_author, asked_second)
    assert [path.name for path in target.parent.iterdir()] == [name]
    record = json.loads((target / "describe.json").read_text(encoding="utf-8"))
    assert law in record["inspection"]["laws"]
    assert len(record["exchanges"]) == asked_author + asked_second
    assert record["inspection"]["examples"][0]["outputs"]
    assert record["comparison"]["evaluation"]["outcome"] == "passed"
    assert run(["check", str(target), "--device", "emulator:h200", "--json"]) == 0
    checked = json.loads(capsys.readouterr().out)
    assert checked["approval"] == {"valid": True, "by": "--yes", "at": record["approved"]["at"], "changed": []}
    assert [finding for finding in checked["lint"] if finding["severity"] != "note"] == []


def test_a_compile_error_and_a_wrong_second_kernel_went_back_with_their_evidence(ended: Ended) -> None:
    attempt, _ = ended("centre_rows")
    folder = str(attempt.draft.target.parent)
    assert "compile_error" in attempt.author.asked[1][-1].text
    assert "flaot" in attempt.author.asked[1][-1].text
    assert "reference.py and reference.cu disagree: wrong_result" in attempt.second.asked[1][-1].text
    assert "STANDS" in attempt.second.asked[1][-1].text
    assert not any("reference(x)" in message.text for said in attempt.second.asked for message in said)
    assert not any(folder in message.text for w in (attempt.author, attempt.second) for s in w.asked for message in s)


def test_a_wrong_oracle_is_refused_because_the_second_implementation_stands(ended: Ended) -> None:
    attempt, refused = ended("row_variance")
    assert isinstance(refused, WorkloadError)
    text = str(refused)
    assert "refused, nothing was written there: reference.py and reference.cu disagree: wrong_result" in text
    assert "divided by cols - 1" in text
    assert "want" in text
    assert not attempt.draft.target.exists()
    assert len(attempt.author.asked) == 3


def test_the_author_is_not_shown_the_table_of_the_second(ended: Ended) -> None:
    """Else it would be copied, and refused."""
    attempt, _ = ended("row_variance")
    assert "[reference]" in (attempt.draft.text("workload.toml") or "")
    assert not any("[reference]" in said[-2].text for said in attempt.author.asked[1:])


def test_a_tolerance_that_lets_zeros_pass_is_refused(ended: Ended) -> None:
    attempt, refused = ended("damp")
    assert isinstance(refused, WorkloadError)
    assert "every case accepts an output of zeros: tighten [tolerance]" in str(refused)
    assert not attempt.draft.target.exists()
    assert (len(attempt.author.asked), len(attempt.second.asked)) == (3, 0)
