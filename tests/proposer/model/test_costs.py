"""What requests cost and may cost."""

import pytest

from warpwright.proposer.conversation import Estimate, FaultKind, ModelFault, Reply, Usage
from warpwright.proposer.model.costs import EXPECTED_REPLY_TOKENS, Costs
from warpwright.proposer.model.prices import Price

PRICE = Price(("openai:mine",), 1.0, 10.0, 0.1, 0, "", "")
COSTS = Costs((PRICE,), max_output_tokens=1000)


def test_a_reply_costs_what_it_read_and_wrote() -> None:
    assert COSTS.of("openai:mine", Reply("x", usage=Usage(1_000_000, 100_000, 0))) == pytest.approx(2.0)
    assert COSTS.of("openai:mine", Reply("x", usage=Usage(1_000_000, 0, 1_000_000))) == pytest.approx(0.1)


def test_unknown_tokens_and_unknown_prices_stay_unknown() -> None:
    assert COSTS.of("openai:mine", Reply("x")) is None
    assert COSTS.of("openai:nobodys-model", Reply("x", usage=Usage(1, 1))) is None
    assert not COSTS.known("openai:nobodys-model")


@pytest.mark.parametrize("kind", list(FaultKind))
def test_only_requests_that_were_not_taken_up_are_known_to_cost_nothing(kind: FaultKind) -> None:
    free = kind in (FaultKind.AUTHENTICATION, FaultKind.RATE_LIMIT, FaultKind.REQUEST)
    assert COSTS.of("openai:mine", ModelFault(kind, "no", 1, 0.0)) == (0.0 if free else None)


def test_recorded_replies_cost_nothing() -> None:
    assert COSTS.of("replay:/some/session", Reply("x", usage=Usage(100, 100))) == 0.0
    assert COSTS.known("replay:/some/session")


def test_the_next_request_is_reckoned_at_its_most() -> None:
    most = COSTS.next_request("openai:mine", 3400)
    assert most.tokens == 1000 + 1000
    assert most.money_usd == pytest.approx((1000 * 1.0 + 1000 * 10.0) / 1e6)
    assert Costs().next_request("openai:nobodys-model", 340) == Estimate(100 + EXPECTED_REPLY_TOKENS)
    assert COSTS.next_request("replay:s", 3400) == Estimate(0, 0.0)
