"""What is known and guessed of a workload before it is written: parameters, dims, launch, cases."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Question:
    """Something the kernel's source does not say. key: stable name (`dims.n`, `shape.x`). guess: used without an answer."""

    key: str
    text: str
    guess: str


Ask = Callable[[Question], str | None]
"""Answers a question; None or an empty text takes the guess."""


@dataclass(slots=True)
class Draft:
    """The parts of workload.toml as they become known. guesses: what a person should check, in words."""

    ask: Ask | None
    guesses: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def decide(self, question: Question) -> tuple[str, bool]:
        """The answer and whether it is only a guess; a guess is noted."""
        answer = None if self.ask is None else self.ask(question)
        if answer:
            return answer, False
        self.guesses.append(f"{question.key} = {question.guess}: {question.text}")
        return question.guess, True


@dataclass(frozen=True, slots=True)
class Field:
    """A value for workload.toml; guessed values get a comment."""

    value: str
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class DraftArray:
    """An array parameter."""

    name: str
    role: Field
    dtype: str
    shape: Field
    zeroed: bool
    values: Field | None
    align_bytes: int | None


@dataclass(frozen=True, slots=True)
class DraftScalar:
    """A scalar parameter; value: an expression over dims or a number."""

    name: str
    dtype: str
    value: Field


@dataclass(frozen=True, slots=True)
class DraftLaunch:
    """Launch sizes as plan expressions; tunables that they use."""

    grid: tuple[str, ...]
    block: tuple[str, ...]
    shared: str
    tunables: dict[str, tuple[int, ...]]
    guessed: bool
