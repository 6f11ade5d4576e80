"""How long the parts of a prompt may be: `limits.toml`."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

CHARACTERS_PER_TOKEN = 3.4
"""A rough mean over prose, C++ and numbers; every tokenizer differs, so what comes of it is called an estimate."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Characters of each part, then how many of a kind are shown."""

    contract: int
    device: int
    diagnosis: int
    counters: int
    advice: int
    hints: int
    refuted: int
    source: int
    launch: int
    attempts: int
    evidence: int
    line: int
    title: int
    card_text: int
    cases_shown: int
    attempts_shown: int
    refuted_shown: int
    hints_shown: int
    cards_with_tools: int
    cards_without_tools: int
    counters_with_tools: int
    counters_without_tools: int
    diagnostics_shown: int
    wrong_shown: int
    answer: int
    reply: int


@cache
def limits() -> Limits:
    """The limits in force."""
    return Limits(**tomllib.loads(files(__package__).joinpath("limits.toml").read_text(encoding="utf-8")))


def tokens_estimate(characters: int) -> int:
    """About how many tokens a text of that length is."""
    return round(characters / CHARACTERS_PER_TOKEN)
