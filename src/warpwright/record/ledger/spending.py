"""What a session spent, summed up; what is unknown is counted, never taken for nothing."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Self

from warpwright.evaluation.outcome import Evaluation
from warpwright.record.event import LedgerEntry

_DEVICE_STAGES = ("verify", "time")


@dataclass(frozen=True, slots=True)
class Spending:
    """Sums over some spends. tokens, money_usd: of the requests that say so; without_tokens, without_price: of the others,
    how many. most_tokens, most_usd: what those were reckoned at; unreckoned_tokens, unreckoned_usd: how many were not.
    device_seconds: where the device is a GPU. seconds: wall time, waiting for the model included.
    """

    calls: int = 0
    faults: int = 0
    look_ups: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    without_tokens: int = 0
    money_usd: float = 0.0
    without_price: int = 0
    device_seconds: float = 0.0
    model_seconds: float = 0.0
    seconds: float = 0.0
    most_tokens: int = 0
    most_usd: float = 0.0
    unreckoned_tokens: int = 0
    unreckoned_usd: int = 0

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    @property
    def tokens(self) -> int:
        """Read and written, as far as known."""
        return self.tokens_in + self.tokens_out


def spending(entries: Iterable[LedgerEntry]) -> Spending:
    """The sum of some lines of a ledger."""
    return sum((_one(entry) for entry in entries), Spending())


def spending_by_attempt(entries: Iterable[LedgerEntry]) -> dict[int | None, Spending]:
    """The same by attempt; None: what no attempt was charged with."""
    sums: dict[int | None, Spending] = {}
    for entry in entries:
        sums[entry.attempt] = sums.get(entry.attempt, Spending()) + _one(entry)
    return sums


def device_stages_s(evaluation: Evaluation) -> float:
    """Wall seconds of the stages of an evaluation that hold the device."""
    return sum(evaluation.seconds.get(stage, 0.0) for stage in _DEVICE_STAGES)


def _one(entry: LedgerEntry) -> Spending:
    device_seconds = entry.device_seconds or 0.0
    if entry.kind != "model":
        looked_up = int(entry.kind == "tool")
        return Spending(look_ups=looked_up, device_seconds=device_seconds, seconds=entry.seconds)
    fault = entry.outcome.startswith(FAULT)
    no_tokens, no_price = entry.tokens_in is None or entry.tokens_out is None, entry.money_usd is None
    return Spending(
        calls=1,
        faults=int(fault),
        tokens_in=entry.tokens_in or 0,
        tokens_out=entry.tokens_out or 0,
        without_tokens=int(no_tokens),
        money_usd=entry.money_usd or 0.0,
        without_price=int(no_price),
        model_seconds=entry.seconds,
        seconds=entry.seconds,
        most_tokens=(entry.most_tokens or 0) if no_tokens else 0,
        most_usd=(entry.most_usd or 0.0) if no_price else 0.0,
        unreckoned_tokens=int(no_tokens and entry.most_tokens is None),
        unreckoned_usd=int(no_price and entry.most_usd is None),
    )


FAULT = "fault"
"""How the outcome of a request that brought no reply begins."""
