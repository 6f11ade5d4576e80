"""Killed at any moment, a description goes on: no reply is paid for twice, and nobody's file is taken for another's."""

from pathlib import Path

import pytest

from loop.describing.kills import Reached, every_kill, goes_on, killed_at
from loop.describing.writers import Attempt, description
from warpwright.errors import RecordError
from warpwright.loop.describing.draft import AUTHOR_FILES, SECOND, Assignment, Draft

CHECKING, SECOND_ASKED, COMPARING = "checking", "a second implementation is asked for", "comparing"


@pytest.fixture(scope="module")
def inspected(tmp_path_factory: pytest.TempPathFactory) -> Attempt:
    """A draft whose second implementation is to be asked for."""
    attempt = Attempt(tmp_path_factory.mktemp("inspected") / "w", "silu", approved=False)
    with pytest.raises(Reached):
        goes_on(attempt, SECOND_ASKED)
    return attempt


def test_the_author_is_paid_once(tmp_path: Path) -> None:
    start = Attempt(tmp_path / "start" / "w", "silu", approved=False)
    for attempt in every_kill(start, tmp_path, CHECKING):
        assert [exchange.verdict for exchange in attempt.draft.exchanges()] == ["used"]
        assert attempt.draft.edited() == []
        assert attempt.draft.assignment.supplied == ()
        assert sorted(attempt.draft.digests()) == sorted(AUTHOR_FILES)


def test_the_second_is_paid_once_and_its_file_is_its_own(tmp_path: Path, inspected: Attempt) -> None:
    for attempt in every_kill(inspected, tmp_path, COMPARING):
        assert [exchange.verdict for exchange in attempt.draft.exchanges()] == ["used", "used"]
        assert attempt.draft.edited() == []
        assert attempt.draft.assignment.supplied == ()
        assert sorted(attempt.draft.digests()) == sorted((*AUTHOR_FILES, SECOND))


def test_an_edit_is_examined_and_not_written_again(tmp_path: Path, inspected: Attempt) -> None:
    def edit(draft: Draft) -> None:
        path = draft.files / "reference.py"
        path.write_text(path.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")

    for attempt in every_kill(inspected, tmp_path, CHECKING, edit):
        assert attempt.author.asked == []
        assert attempt.draft.assignment.supplied == ("reference.py",)
        assert (attempt.draft.text("reference.py") or "").endswith("# mine\n")


def test_a_draft_is_begun_whole_or_not_at_all(tmp_path: Path) -> None:
    assignment = Assignment(description("silu"), "test:author", "test:second", "emulator:h200")
    supplied = {"reference.py": "def reference(x):\n    return x\n", "kernel.cu": "// mine\n"}
    for at in range(1, 200):
        target = tmp_path / f"{at}"
        if not killed_at(at, lambda t=target: Draft.create(t, assignment, supplied)):  # type: ignore[misc]
            break
        with pytest.raises(RecordError, match=r"no draft there; begin with"):
            Draft.open(target)
        draft = Draft.create(target, assignment, supplied)
        assert Draft.open(target).assignment.supplied == ("kernel.cu", "reference.py")
        assert draft.edited() == []
    assert at > 10


def test_what_is_no_draft_is_not_written_over(tmp_path: Path) -> None:
    other = tmp_path / "w.draft" / "notes.txt"
    other.parent.mkdir()
    other.write_text("mine", encoding="utf-8")
    with pytest.raises(RecordError, match=r"no draft there \(something else is; move it away\)"):
        Draft.open(tmp_path / "w")
    with pytest.raises(RecordError, match=r"w\.draft: is not empty; move it away"):
        Draft.create(tmp_path / "w", Assignment("x", "m", "m", "emulator"), {})
    assert other.read_text(encoding="utf-8") == "mine"
