"""What a session was asked to do."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """Options of one `optimize`, frozen in `session.json`.

    workload_path: as the user gave it. iterations: attempts at most, the initial kernel included; None = no limit.
    device: as asked for (`auto`, `emulator:h200`). tuning_budget: points per tuning search.
    max_repairs: repairs within one attempt's hypothesis.
    """

    workload_path: str
    proposer: str = "builtin"
    iterations: int | None = None
    time_limit_s: float | None = None
    seed: int = 0
    device: str = "auto"
    tuning_budget: int = 100
    max_repairs: int = 2
