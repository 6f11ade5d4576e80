"""What requests to a model cost and may cost, in tokens and USD."""

from dataclasses import dataclass

from warpwright.proposer.conversation import REFUSED, Estimate, ModelFault, Reply, Usage
from warpwright.proposer.model.prices import Price, price_usd
from warpwright.proposer.model.prompt.limits import tokens_estimate

EXPECTED_REPLY_TOKENS = 8192
"""What a reply is reckoned at where no limit was set: longer than nearly every kernel with its reasons. Under a cap on money or
tokens the provider is given it as limit, too.
"""
_FREE = "replay:"


@dataclass(frozen=True, slots=True)
class Costs:
    """Reckons for one model. prices: of the user, before ours. max_output_tokens: limit of a reply, None = the provider's."""

    prices: tuple[Price, ...] = ()
    max_output_tokens: int | None = None

    def known(self, model: str) -> bool:
        """True if a price of this model is known; recorded replies cost nothing."""
        return self._price(model, Usage(1, 1)) is not None

    def of(self, model: str, outcome: Reply | ModelFault) -> float | None:
        """What the last request of an outcome cost, in USD; None is unknown. One that the server refused costs nothing."""
        if isinstance(outcome, ModelFault):
            return 0.0 if outcome.kind in REFUSED or model.startswith(_FREE) else None
        return self._price(model, outcome.usage)

    def next_request(self, model: str, characters: int) -> Estimate:
        """What a request of that length may take. A recorded reply takes nothing: its request was admitted when it was sent."""
        if model.startswith(_FREE):
            return Estimate(0, 0.0)
        written = self.max_output_tokens or EXPECTED_REPLY_TOKENS
        read = tokens_estimate(characters)
        return Estimate(read + written, self._price(model, Usage(read, written)))

    def _price(self, model: str, usage: Usage) -> float | None:
        return 0.0 if model.startswith(_FREE) else price_usd(model, usage, self.prices)
