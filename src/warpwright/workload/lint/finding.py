"""One thing that the lint says about a workload."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """`error`: a wrong kernel could be kept. `warning`: the check is weaker than it looks. `note`: worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class LintFinding:
    """case: the one case it concerns, None for the whole workload."""

    severity: Severity
    message: str
    case: str | None = None
