"""Numbers as Nsight Compute prints them, whatever the locale of whoever printed them."""

import re
from collections.abc import Iterable
from enum import StrEnum

_SPACES = re.compile(r"(?<=\d)[\u00a0\u202f\u2009' \u2019](?=\d{3}(?:\D|$))")
_NUMBER = re.compile(r"[+-]?[\d.,]*\d[\d.,]*(?:[eE][+-]?\d+)?")
_UNKNOWN = frozenset({"", "n/a", "na", "nan", "-nan", "+nan", "nan(ind)", "-nan(ind)", "inf", "-inf", "(null)", "none"})


class Convention(StrEnum):
    """What stands before the decimals."""

    POINT = "point"
    COMMA = "comma"


class UnclearNumbers(Exception):
    """Numbers of one file that can be read in two ways; the text has an example."""


def convention_of(cells: Iterable[str], presumed: Convention | None = Convention.POINT) -> Convention:
    """The convention of one file; `presumed` where nothing proves one. None: nothing may be presumed.

    Raises: UnclearNumbers if cells prove different ones, or nothing may be presumed and a cell has two readings.
    """
    proofs: dict[Convention, str] = {}
    unclear = ""
    for cell in cells:
        readings = {each: number for each in Convention if (number := parse_number(cell, each)) is not None}
        if len(readings) == 1:
            proofs.setdefault(next(iter(readings)), cell)
        elif len(set(readings.values())) > 1:
            unclear = unclear or cell
    if len(proofs) > 1:
        point, comma = proofs[Convention.POINT], proofs[Convention.COMMA]
        raise UnclearNumbers(f"{point} has its decimals behind a point, {comma} behind a comma")
    if not proofs and presumed is None and unclear:
        raise UnclearNumbers(f"{unclear} may have decimals or thousands, and no other number tells which")
    return next(iter(proofs), presumed or Convention.POINT)


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
    """Digits in groups of three, or without groups. A leading zero has no groups behind it, an exponent none before it."""
    first, *groups = whole.lstrip("+-").split(separator)
    if not groups:
        return True
    return 1 <= len(first) <= 3 and not first.startswith("0") and all(len(g) == 3 and g.isdecimal() for g in groups)
