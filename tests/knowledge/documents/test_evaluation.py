"""The retrieval gate: known questions over the synthetic corpus."""

from pathlib import Path

import pytest

from warpwright.errors import InputError
from warpwright.knowledge.books import books
from warpwright.knowledge.documents.evaluation import evaluate, read_questions
from warpwright.knowledge.documents.library import Library


def test_hit_rates_on_the_synthetic_corpus(library: Library) -> None:
    found = evaluate(library, read_questions())
    assert not found.missing
    assert found.total is not None
    assert found.total.questions == 30
    assert found.total.hit_1 >= 0.9
    assert found.total.hit_3 >= 0.95
    assert all(group.hit_3 >= 0.8 for group in found.groups)


def test_nothing_is_relevant_to_questions_out_of_scope(library: Library) -> None:
    found = evaluate(library, read_questions())
    assert found.out_of_scope == 5
    assert found.false_finds == ()


def test_missing_books_are_reported_and_not_scored(tmp_path: Path) -> None:
    with Library(tmp_path) as library:
        found = evaluate(library, read_questions())
    assert (found.total, len(found.missing)) == (None, 30)


def test_the_questions_name_known_books_and_mark_a_hold_out() -> None:
    asked = read_questions().questions
    assert [question.id for question in asked] == list(range(1, 31))
    assert {question.book for question in asked} <= set(books())
    assert [question.id for question in asked if question.hold_out] == [26, 27, 28, 29, 30]


@pytest.mark.parametrize(
    ("text", "words"),
    [("[[question", "Expected"), ("[[question]]\nid = 1", "'text'"), ("x = 1", "'question'")],
)
def test_a_file_that_is_no_set_of_questions_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "q.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=rf"(?s){words}.*Each \[\[question\]\] has id"):
        read_questions(path)
