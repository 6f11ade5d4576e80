"""What was spent is shown with what is unknown about it, in tables, JSON and HTML alike."""

from collections.abc import Callable

import pytest

from warpwright.record.event import LedgerEntry
from warpwright.record.ledger.spending import Spending
from warpwright.record.session import Session
from warpwright.report.html import render_report
from warpwright.report.ledger.spending import money_text, proposer_rows, spending_lines, tokens_text
from warpwright.report.summary import session_to_json


@pytest.mark.parametrize(
    ("spent", "tokens", "money"),
    [
        (Spending(calls=2, tokens_in=10, tokens_out=5, money_usd=0.25), "10 read, 5 written", "0.2500 USD"),
        (Spending(calls=2, without_tokens=2, without_price=2), "unknown", "unknown"),
        (
            Spending(calls=3, tokens_in=10, tokens_out=5, without_tokens=1, money_usd=0.1, without_price=1),
            "at least 10 read, 5 written; unknown for 1 requests",
            "at least 0.1000 USD; unknown for 1 requests",
        ),
        (Spending(calls=1, faults=1), "none", "0.0000 USD"),
    ],
)
def test_a_sum_with_unknown_parts_is_never_the_whole(spent: Spending, tokens: str, money: str) -> None:
    assert tokens_text(spent) == tokens
    assert money_text(spent) == money


def test_a_session_without_model_and_gpu_shows_no_table(session: Session) -> None:
    assert spending_lines(session) == ()
    assert 'id="spending"' not in render_report(session)


def test_what_was_spent_is_in_json_and_html(session: Session) -> None:
    session.spend(LedgerEntry("model", 3, 4.0, model="m", tokens_in=100, tokens_out=20, money_usd=0.5, outcome="reply"))
    session.spend(LedgerEntry("model", 3, 2.0, model="m", outcome="fault: timeout"))
    session.spend(LedgerEntry("evaluate", 3, 9.0, device_seconds=3.0))
    document = session_to_json(session)
    assert document["spending"]["model_calls"] == 2
    assert document["spending"]["unknown_price_calls"] == 1
    assert document["attempts"][2]["spending"]["device_s"] == 3.0
    assert document["attempts"][3]["spending"]["model_calls"] == 0
    page = render_report(session)
    assert "at least 0.5000 USD; unknown for 1 requests" in page
    assert "100 read, 20 written" in page


def test_proposers_are_held_against_what_became_of_their_attempts(session: Session) -> None:
    (row,) = proposer_rows(session.attempts(), session.incumbents())
    assert (row.name, row.attempts) == ("builtin", 11)
    assert row.gains == len(session.incumbents()) - 1
    assert row.gains <= row.correct < row.attempts


def test_an_older_ledger_reads_as_nothing_unknown(begin: Callable[[], Session]) -> None:
    session = begin()
    session.charge("evaluate", None, 2.0)
    assert session.spending().without_price == 0
