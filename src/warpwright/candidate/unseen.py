"""Characters that nobody sees: they steer a terminal, turn the direction of a text, or hide in it."""

import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path

from warpwright.errors import InputError

_KINDS = {
    "Cc": "a control character",
    "Cf": "a character that hides or turns text",
    "Cs": "half a character",
    "Zl": "an unseen line end",
    "Zp": "an unseen line end",
}
"""By general category of Unicode. `Cf` has the bidirectional and the zero-width marks, soft hyphens and language tags."""
_LAYOUT = "\n\t"
BYTE_ORDER_MARK = "\ufeff"
"""What some editors begin a file with: there it hides nothing."""


def first_unseen(text: str, also: str = "") -> tuple[int, str] | None:
    """Offset and kind of the first one; None if there is none. Newlines and tabs are seen, and those in `also`."""
    found = {c for c in set(text) if unicodedata.category(c) in _KINDS and c not in _LAYOUT and c not in also}
    if not found:
        return None
    offset = min(text.index(character) for character in found)
    return offset, _KINDS[unicodedata.category(text[offset])]


def escaped(text: str) -> str:
    """For a person's eyes: each such character as its code, `\\x1b` or `\\u202e`."""
    if first_unseen(text) is None:
        return text
    return "".join(_code(c) if unicodedata.category(c) in _KINDS and c not in _LAYOUT else c for c in text)


def check_text(path: Path, text: str, error: type[InputError]) -> None:
    """Raises: `error` with line and code of the first character of a file that nobody sees; a byte-order mark may begin it."""
    shown = text.removeprefix(BYTE_ORDER_MARK)
    found = first_unseen(shown)
    if found is not None:
        offset, kind = found
        line = shown.count("\n", 0, offset) + 1
        raise error(f"{path}:{line}: {kind} ({_name(shown[offset])}) is not allowed; take it out")


def check_strings(path: Path, table: Mapping[str, object], error: type[InputError]) -> None:
    """The same for every key and string of a TOML file, whatever escapes spell it."""
    for key, text in _strings("", table):
        found = first_unseen(text)
        if found is not None:
            raise error(f"{path}: {escaped(key)}: {found[1]} ({_name(text[found[0]])}) is not allowed; take it out")


def _strings(key: str, value: object) -> Iterator[tuple[str, str]]:
    """Key and text of every string, the keys themselves among them."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            inside = f"{key}.{name}" if key else str(name)
            yield inside, str(name)
            yield from _strings(inside, inner)
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from _strings(f"{key}[{position}]", inner)


def _code(character: str) -> str:
    """`\\x1b`, `\\u202e`, as Python writes it."""
    return character.encode("unicode_escape").decode("ascii")


def _name(character: str) -> str:
    return f"U+{ord(character):04X}"
