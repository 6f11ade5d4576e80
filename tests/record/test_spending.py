"""Sums of a ledger: what is unknown is counted, never taken for nothing."""

import pytest

from warpwright.record.event import LedgerEntry
from warpwright.record.ledger.spending import Spending, spending, spending_by_attempt

ENTRIES = [
    LedgerEntry("model", 2, 3.0, model="m", tokens_in=100, tokens_out=20, money_usd=0.5, outcome="reply"),
    LedgerEntry("model", 2, 1.0, model="m", outcome="reply"),
    LedgerEntry("model", 3, 60.0, model="m", money_usd=0.0, outcome="fault: timeout"),
    LedgerEntry("tool", 2, 0.5),
    LedgerEntry("evaluate", 2, 8.0, device_seconds=2.0),
    LedgerEntry("hidden", None, 4.0),
]


def test_unknown_tokens_and_prices_are_counted() -> None:
    total = spending(ENTRIES)
    assert (total.calls, total.faults, total.look_ups) == (3, 1, 1)
    assert (total.tokens, total.without_tokens) == (120, 2)
    assert (total.money_usd, total.without_price) == (0.5, 1)
    assert total.device_seconds == 2.0
    assert total.model_seconds == 64.0
    assert total.seconds == pytest.approx(76.5)


def test_attempts_add_up_to_the_whole() -> None:
    by_attempt = spending_by_attempt(ENTRIES)
    assert set(by_attempt) == {2, 3, None}
    assert by_attempt[2].calls == 2
    assert sum(by_attempt.values(), Spending()) == spending(ENTRIES)
