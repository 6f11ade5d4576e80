"""One fact about this machine, as `doctor` shows it."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """`ok`; `warning`: works, but less is possible; `missing`: something that is needed here is absent."""

    OK = "ok"
    WARNING = "warning"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact. remedy: what to do about it; None where nothing is to be done."""

    name: str
    status: Status
    detail: str
    remedy: str | None = None
