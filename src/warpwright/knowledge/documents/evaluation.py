"""How well the index answers questions whose sections are known."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from warpwright.errors import InputError
from warpwright.knowledge.documents.library import Found, Library

DEPTH: Final = 5
_FILE: Final = "questions.toml"
_WORDS: Final = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the book that answers it, the titles that are accepted (`A > B` = B under A)."""

    id: int
    text: str
    book: str
    sections: tuple[str, ...]
    hold_out: bool = False


@dataclass(frozen=True, slots=True)
class Questions:
    """A set of questions; out_of_scope: nothing in the documents answers them."""

    questions: tuple[Question, ...]
    out_of_scope: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """rank: place of the first accepted section among the first five, None = not among them. found: ids in order."""

    question: Question
    rank: int | None
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """Shares 0..1 over a group of questions; mrr: mean of 1/rank, 0 for what was not found."""

    name: str
    questions: int
    hit_1: float
    hit_3: float
    hit_5: float
    mrr: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Result of `docs eval`. missing: questions whose book is not indexed, left out of every score.

    false_finds: out-of-scope questions that something was returned for, with its ids.
    """

    answers: tuple[Answer, ...]
    missing: tuple[Question, ...]
    false_finds: tuple[tuple[str, tuple[str, ...]], ...]
    out_of_scope: int

    @property
    def total(self) -> Score | None:
        """Over all questions whose book is indexed; None if there is none."""
        return score("all", self.answers)

    @property
    def groups(self) -> tuple[Score, ...]:
        """Per book, then the questions that may be tuned on and the hold-out."""
        books = dict.fromkeys(answer.question.book for answer in self.answers)
        named = [(book, [a for a in self.answers if a.question.book == book]) for book in books]
        named.append(("tuned on", [a for a in self.answers if not a.question.hold_out]))
        named.append(("hold-out", [a for a in self.answers if a.question.hold_out]))
        return tuple(found for name, answers in named if (found := score(name, answers)) is not None)


def read_questions(path: Path | None = None) -> Questions:
    """A file of questions; those that come with Warpwright if None. Raises: InputError saying what is wrong with it."""
    try:
        source = files(__package__) / _FILE if path is None else path
        document = tomllib.loads(source.read_text(encoding="utf-8"))
        questions = [
            Question(row["id"], row["text"], row["book"], tuple(row["sections"]), row.get("hold_out", False))
            for row in document["question"]
        ]
        return Questions(tuple(questions), tuple(row["text"] for row in document.get("out_of_scope", ())))
    except OSError as error:
        raise InputError(
            f"questions {path}: {error.strerror}. Give a file of [[question]], or none for the questions that come along."
        ) from error
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise InputError(f"questions {path}: {error}. Each [[question]] has id, text, book and sections.") from error


def evaluate(library: Library, questions: Questions) -> Evaluation:
    """Ask every question as it is, without filters or a model."""
    held = {book.key for book in library.status().books}
    asked = [question for question in questions.questions if question.book in held]
    answers = [_answer(question, library.search(question.text, k=DEPTH)) for question in asked]
    strays = [(text, tuple(found.id for found in library.search(text, k=DEPTH))) for text in questions.out_of_scope]
    return Evaluation(
        tuple(answers),
        tuple(question for question in questions.questions if question.book not in held),
        tuple(stray for stray in strays if stray[1]),
        len(questions.out_of_scope),
    )


def score(name: str, answers: Sequence[Answer]) -> Score | None:
    """Of a group of answers; None for an empty one."""
    if not answers:
        return None
    ranks = [answer.rank for answer in answers]
    one, three, five = (sum(rank is not None and rank <= limit for rank in ranks) / len(ranks) for limit in (1, 3, 5))
    return Score(name, len(ranks), one, three, five, mrr=sum(1 / rank for rank in ranks if rank) / len(ranks))


def _answer(question: Question, found: Sequence[Found]) -> Answer:
    rank = next((place for place, item in enumerate(found, 1) if _accepted(question, item)), None)
    return Answer(question, rank, tuple(item.id for item in found))


def _accepted(question: Question, found: Found) -> bool:
    """The book is the expected one and the section's path ends in an accepted title."""
    if re.split(r"[/#]", found.id)[0] != question.book:
        return False
    path = _parts(found.citation.section)
    return any(path[-len(wanted) :] == wanted for wanted in map(_parts, question.sections))


def _parts(path: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(_WORDS.findall(part.lower())) for part in path.split(" > "))
