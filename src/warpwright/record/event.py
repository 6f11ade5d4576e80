"""What happens during a session, as the live view, the log and later readers see it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

Scalar = str | int | float | bool | None

EventKind = Literal[
    "lint",  # a finding about the workload; the run goes on
    "proposed",  # an attempt has begun; the text is its hypothesis
    "stage",  # a stage of the attempt has begun, named by the text: `compile`, `verify n=1000`, `time`
    "finished",  # an attempt has its outcome; the text is the evidence. values: label, geomean_us, incumbent
    "tuning",  # a tuning point is on disk. values: points, geomean_us
    "tuned",  # a tuning search is at its end
    "diagnosed",  # an attempt's counters were judged; the text is the target finding. values: case, bottleneck, verdict
    "researched",  # guidance on the bottleneck was looked up; the text names the cards. values: rung
    "note",  # something a person should know; the run goes on
    "stopped",  # nothing more is tried; the text is the reason
    "ended",  # the session is summed up. attempt: the best one, 0 = none
]
LedgerKind = Literal["propose", "model", "tool", "evaluate", "tune", "profile", "hidden", "sanitize", "publish"]


def now() -> str:
    """The time as records keep it: ISO 8601, UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(frozen=True, slots=True)
class Event:
    """One event. attempt: number, None where it concerns the session. time: ISO 8601."""

    kind: EventKind
    attempt: int | None = None
    text: str = ""
    values: Mapping[str, Scalar] = field(default_factory=dict)
    time: str = field(default_factory=now)


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One spend. seconds: wall time; device_seconds: time the device was held. None is unknown, not zero.

    tokens_cached: part of tokens_in that the provider had kept. outcome: of a request to a model: `reply`, `fault: timeout`.
    most_tokens, most_usd: what a request was reckoned at, read and written; None where it was not.
    """

    kind: LedgerKind
    attempt: int | None
    seconds: float
    device_seconds: float | None = None
    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    money_usd: float | None = None
    tokens_cached: int | None = None
    outcome: str = ""
    most_tokens: int | None = None
    most_usd: float | None = None
    time: str = field(default_factory=now)
