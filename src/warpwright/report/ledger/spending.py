"""What a session spent, in words: a sum with unknown parts says so, and never passes for the whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from warpwright.record.attempt import Attempt
from warpwright.record.ledger.spending import Spending
from warpwright.record.session import Session
from warpwright.report.words import duration_text

_REPLAY = "replay:"
"""How the proposer of a session begins that was given recorded replies."""


@dataclass(frozen=True, slots=True)
class ProposerRow:
    """What became of one proposer's attempts. gains: how many became the incumbent."""

    name: str
    attempts: int
    correct: int
    gains: int


def spending_lines(session: Session) -> tuple[tuple[str, str], ...]:
    """What was spent, by heading; empty where it was wall time alone. A model that was chosen and never asked is told, too."""
    spent = session.spending()
    lines = []
    if spent.calls or session.options.asks_model:
        faults = f", {spent.faults} of them without a reply" if spent.faults else ""
        look_ups = f", {spent.look_ups} look-ups" if spent.look_ups else ""
        waiting = duration_text(spent.model_seconds)
        if session.options.proposer.startswith(_REPLAY):
            look_ups, waiting = f"{look_ups}; recorded ones, none was sent", "none: its replies were recorded"
        lines = [
            ("Requests to the model", f"{spent.calls}{faults}{look_ups}"),
            ("Tokens", tokens_text(spent)),
            ("Money", money_text(spent)),
            ("Waiting for the model", waiting),
        ]
    if spent.device_seconds:
        lines.append(("GPU time", duration_text(spent.device_seconds)))
    return (*lines, ("Wall time", duration_text(spent.seconds))) if lines else ()


def tokens_text(spent: Spending) -> str:
    """`12340 read, 5678 written`, with what is unknown."""
    if spent.without_tokens == spent.calls or not (spent.without_tokens or spent.tokens):
        return "unknown" if spent.without_tokens else "none"
    text = f"{spent.tokens_in} read, {spent.tokens_out} written"
    return f"at least {text}; unknown for {spent.without_tokens} requests" if spent.without_tokens else text


def money_text(spent: Spending) -> str:
    """`0.3100 USD`, with what is unknown."""
    if spent.calls and spent.without_price == spent.calls:
        return "unknown"
    text = f"{spent.money_usd:.4f} USD"
    return f"at least {text}; unknown for {spent.without_price} requests" if spent.without_price else text


def proposer_rows(attempts: Sequence[Attempt], incumbents: Sequence[int]) -> tuple[ProposerRow, ...]:
    """One row a proposer, in the order of their first attempts; the initial kernel is nobody's."""
    rows = []
    for name in dict.fromkeys(attempt.proposer for attempt in attempts if attempt.number > 1):
        own = [attempt for attempt in attempts if attempt.proposer == name and attempt.number > 1]
        correct = sum(attempt.evaluation.outcome.correct for attempt in own)
        rows.append(ProposerRow(name, len(own), correct, sum(attempt.number in incumbents for attempt in own)))
    return tuple(rows)


def spending_to_json(spent: Spending) -> dict[str, Any]:
    """Plain values. Sums are of what is known; `unknown_tokens_calls` and `unknown_price_calls` count the rest."""
    return {
        "model_calls": spent.calls,
        "model_faults": spent.faults,
        "look_ups": spent.look_ups,
        "tokens_in": spent.tokens_in,
        "tokens_out": spent.tokens_out,
        "unknown_tokens_calls": spent.without_tokens,
        "money_usd": None if spent.calls and spent.without_price == spent.calls else spent.money_usd,
        "unknown_price_calls": spent.without_price,
        "model_s": spent.model_seconds,
        "device_s": spent.device_seconds or None,
        "wall_s": spent.seconds,
    }
