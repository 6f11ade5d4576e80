"""What a session was asked to do."""

from dataclasses import dataclass


def names_model(proposer: str) -> bool:
    """True if the words of `--model` name a chat model or recorded replies of one, not a proposer of ours."""
    return ":" in proposer


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """Options of one `optimize`, frozen in `session.json`.

    workload_path: as the user gave it. iterations: attempts at most, the initial kernel included; None = no limit.
    device: as asked for (`auto`, `emulator:h200`). tuning_budget: points per tuning search.
    max_repairs: repairs within one attempt's hypothesis. patience: attempts without a new incumbent; None = the default.

    Of a model: base_url of its server, seconds a request may take, tokens a reply may have, sampling temperature; None leaves
    each to the model's client. budget_usd, max_model_calls, max_tokens (read and written): caps on the session.
    allow_unknown_price: a money cap counts what is known where the model's price is not.
    strategy: `linear`, one fix a round from the incumbent, or `beam`: in each round at most `beam` parents, each for at most
    `bottlenecks` of its findings. history: what other sessions of this user taught is read, and this one's lesson added.
    """

    workload_path: str
    proposer: str = "builtin"
    iterations: int | None = None
    time_limit_s: float | None = None
    seed: int = 0
    device: str = "auto"
    tuning_budget: int = 100
    max_repairs: int = 2
    patience: int | None = None
    base_url: str | None = None
    model_timeout_s: float | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None
    budget_usd: float | None = None
    max_model_calls: int | None = None
    max_tokens: int | None = None
    allow_unknown_price: bool = False
    history: bool = True
    strategy: str = "linear"
    beam: int = 2
    bottlenecks: int = 2

    @property
    def asks_model(self) -> bool:
        """True if a chat model proposes, or recorded replies of one."""
        return names_model(self.proposer)

    @property
    def width(self) -> int:
        """Candidates in hand at a time, at most."""
        return self.beam * self.bottlenecks if self.strategy == "beam" else 1
