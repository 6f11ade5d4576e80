"""Reads the cards: one TOML file each in `cards/`, named by its id."""

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from warpwright.conditions.language import parse_condition
from warpwright.errors import WarpwrightError
from warpwright.knowledge.books import reference
from warpwright.knowledge.field_guide.card import Card

EXPERIENCE = "experience"
"""Basis of every gain that was not measured here."""
_FOLDER = files("warpwright.knowledge.field_guide") / "cards"
_SUFFIX = ".toml"
_REQUIRED = ("name", "classes", "when", "change", "risk", "check", "refs")
_OPTIONAL = ("gain", "min_arch", "max_arch", "host", "accuracy", "expects", "cures")


@cache
def cards() -> Mapping[str, Card]:
    """Every card by its id, in the order of the ids. Raises: WarpwrightError for a file that is wrong, naming the key."""
    names = sorted((entry.name for entry in _FOLDER.iterdir() if entry.name.endswith(_SUFFIX)), key=_number)
    found = {
        name.removesuffix(_SUFFIX): read_card(name.removesuffix(_SUFFIX), (_FOLDER / name).read_text(encoding="utf-8"))
        for name in names
    }
    return MappingProxyType(found)


def read_card(identity: str, text: str) -> Card:
    """One card from the text of its file. Raises: WarpwrightError naming file and key."""
    try:
        row = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise WarpwrightError(f"{identity}{_SUFFIX}: {error}.") from error
    missing = [key for key in _REQUIRED if key not in row]
    strange = [key for key in row if key not in _REQUIRED + _OPTIONAL]
    for key, fault in [*((k, "is missing") for k in missing), *((k, "is not a key of cards") for k in strange)]:
        allowed = f"needed: {', '.join(_REQUIRED)}; allowed: {', '.join(_OPTIONAL)}"
        raise WarpwrightError(f"{identity}{_SUFFIX}: {key!r} {fault}; {allowed}.")
    low, high = _gain(identity, row.get("gain"))
    return Card(
        id=identity,
        name=row["name"],
        classes=tuple(row["classes"]),
        when=_at(identity, "when", lambda: _prose(parse_condition(row["when"]).text)),
        change=_prose(row["change"]),
        gain_low=low,
        gain_high=high,
        gain_basis=EXPERIENCE,
        risk=_prose(row["risk"]),
        check=_prose(row["check"]),
        references=_at(identity, "refs", lambda: tuple(reference(name) for name in row["refs"])),
        **_limits(row),
    )


def _gain(identity: str, ends: list[float] | None) -> tuple[float | None, float | None]:
    """Both ends of a speed-up; the upper one is 0 in a file where only the class's bound is known."""
    if ends is None:
        return None, None
    if len(ends) != 2 or ends[0] <= 0 or 0 < ends[1] < ends[0]:
        raise WarpwrightError(f"{identity}{_SUFFIX}, gain: {ends} is no range; write [low, high], high 0 = not known.")
    return ends[0], ends[1] or None


def _limits(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "min_arch": row.get("min_arch"),
        "max_arch": row.get("max_arch"),
        "host": row.get("host", False),
        "accuracy": row.get("accuracy", False),
        "cures": tuple(row.get("cures", ())),
        "expects": {name: float(ratio) for name, ratio in row.get("expects", {}).items()},
    }


def _at[T](identity: str, key: str, read: Callable[[], T]) -> T:
    try:
        return read()
    except WarpwrightError as error:
        raise WarpwrightError(f"{identity}{_SUFFIX}, {key}: {error}") from error


def _prose(text: str) -> str:
    """Lines of a file are for its reader; a card's text is one paragraph."""
    return " ".join(text.split())


def _number(name: str) -> int:
    return int(name.removesuffix(_SUFFIX).partition("-")[2])
