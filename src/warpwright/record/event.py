"""What happens during a session, as the live view, the log and later readers see it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Scalar = str | int | float | bool | None


class EventKind(StrEnum):
    """The closed set of events; `values` of each are listed with it."""

    SESSION = "session"
    """Begun or resumed. values: device, gpu, iterations, time_limit_s, elapsed_s, resumed."""
    ATTEMPT = "attempt"
    """An attempt has begun. values: proposer, parent, technique."""
    STAGE = "stage"
    """A stage of the attempt has begun (`compile`, `verify n=1000`, `time`), named by the text."""
    TUNING = "tuning"
    """A tuning point is recorded. values: label, geomean_us, done, budget."""
    FINISHED = "finished"
    """An attempt has its outcome; the text is the evidence. values: see `finished_values`."""
    PROMOTED = "promoted"
    """An attempt became the incumbent. values: as `finished`."""
    NOTICE = "notice"
    """Something a person should know; the run goes on."""
    STOPPED = "stopped"
    """The loop ended; the text is the reason (`budget:iterations`, `exhausted`, `interrupted`)."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event. time: ISO 8601 with offset. attempt: number, None where it concerns the session."""

    kind: EventKind
    time: str
    attempt: int | None
    text: str
    values: Mapping[str, Scalar] = field(default_factory=dict)


class LedgerKind(StrEnum):
    """What was paid for."""

    MODEL = "model"
    TOOL = "tool"
    COMPILE = "compile"
    VERIFY = "verify"
    MEASURE = "measure"
    PROFILE = "profile"
    TUNE = "tune"
    PROPOSE = "propose"


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One spend. seconds: wall time; device_seconds: time the device was held. None is unknown, not zero."""

    kind: LedgerKind
    time: str
    attempt: int | None
    seconds: float
    device_seconds: float | None = None
    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    money_usd: float | None = None
