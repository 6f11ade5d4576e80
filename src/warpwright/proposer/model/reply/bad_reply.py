"""Why a reply cannot be used, in words that a model can act on."""

from dataclasses import dataclass
from enum import StrEnum


class BadKind(StrEnum):
    """Each is a suffix of `invalid_plan`."""

    TRUNCATED = "truncated"
    NO_CODE = "no_code"
    """No usable block: a refusal, prose, an empty text, tool calls only."""
    HEADER = "header"
    ELIDED = "elided"
    """The source stands for more than it says."""
    ENTRY_NOT_FOUND = "entry_not_found"
    POLICY = "policy"
    LIMITS = "limits"
    EXPRESSION = "expression"
    SIGNATURE = "signature"
    DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class BadReply:
    """kind: what is wrong. detail: exactly what was found and what is allowed, fit for a request to say it again."""

    kind: BadKind
    detail: str

    @property
    def verdict(self) -> str:
        """`header: kernel.grid: found 7.5 ...`."""
        return f"{self.kind.value}: {self.detail}"
