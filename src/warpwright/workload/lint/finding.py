"""One thing that the lint says about a workload."""

from dataclasses import dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """`error`: a wrong kernel could be kept. `warning`: the check is weaker than it looks. `note`: worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class LintFinding:
    """case: the one case it concerns, None for the whole workload. rule: name of what is broken, where callers ask for it."""

    severity: Severity
    message: str
    case: str | None = None
    rule: str = field(default="", compare=False)
