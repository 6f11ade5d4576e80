"""Numbers as Nsight Compute prints them, whatever the locale of whoever printed them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

_SPACES = re.compile(r"(?<=\d)[\u00a0\u202f\u2009' \u2019](?=\d{3}(?:\D|$))")
_NUMBER = re.compile(r"[+-]?[\d.,]*\d[\d.,]*(?:[eE][+-]?\d+)?")
_UNKNOWN = frozenset({"", "n/a", "na", "nan", "-nan", "+nan", "nan(ind)", "-nan(ind)", "inf", "-inf", "(null)", "none"})


class Convention(StrEnum):
    """What stands before the decimals."""

    POINT = "point"
    COMMA = "comma"


@dataclass(frozen=True, slots=True)
class MixedNumbers(Exception):
    """Numbers of one file that no one convention explains; one example of each."""

    point: str
    comma: str

    def __str__(self) -> str:
        return f"{self.point} has its decimals behind a point, {self.comma} behind a comma"


def convention_of(cells: Iterable[str]) -> Convention:
    """The convention of one file; a point where nothing speaks against it. Raises: MixedNumbers."""
    seen: dict[Convention, str] = {}
    for cell in cells:
        found = _evidence(_plain(cell))
        if found is not None:
            seen.setdefault(found, cell)
    if len(seen) > 1:
        raise MixedNumbers(seen[Convention.POINT], seen[Convention.COMMA])
    return next(iter(seen), Convention.POINT)


def parse_number(text: str, convention: Convention = Convention.POINT) -> float | None:
    """The number; None for what is unknown (`n/a`, NaN) and for what is no number."""
    plain = _plain(text)
    if plain.lower() in _UNKNOWN or _NUMBER.fullmatch(plain) is None:
        return None
    thousands, decimal = (",", ".") if convention is Convention.POINT else (".", ",")
    whole, _, fraction = plain.partition(decimal)
    if thousands in fraction or decimal in fraction or not _grouped(whole, thousands):
        return None
    return float(f"{whole.replace(thousands, '')}.{fraction}" if fraction else whole.replace(thousands, ""))


def _plain(text: str) -> str:
    return _SPACES.sub("", text.strip())


def _grouped(whole: str, separator: str) -> bool:
    """Digits in groups of three, or without groups."""
    digits = re.split(r"[eE]", whole)[0].lstrip("+-").split(separator)
    return len(digits) == 1 or (1 <= len(digits[0]) <= 3 and all(len(group) == 3 for group in digits[1:]))


def _evidence(text: str) -> Convention | None:
    """What a cell proves. `1,234` proves nothing; `12.5`, `0.125` and `1,234,567` do."""
    if _NUMBER.fullmatch(text) is None:
        return None
    body = re.split(r"[eE]", text.lstrip("+-"))[0]
    points, commas = body.count("."), body.count(",")
    if points and commas:
        return Convention.POINT if body.rindex(".") > body.rindex(",") else Convention.COMMA
    if points > 1 or commas > 1:
        return Convention.COMMA if points > 1 else Convention.POINT
    if points + commas == 0:
        return None
    whole, fraction = re.split(r"[.,]", body)
    if len(fraction) == 3 and 1 <= len(whole) <= 3 and not whole.startswith("0"):
        return None
    return Convention.POINT if points else Convention.COMMA
