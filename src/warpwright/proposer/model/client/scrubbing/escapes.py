"""Texts with their escapes undone: JSON's, those of addresses and of HTML, also nested, as in a text quoted by another."""

import html
import re
from bisect import bisect_right
from dataclasses import dataclass

type Span = tuple[int, int]
"""Where a piece of a text begins and ends."""

_ESCAPE = re.compile(
    r"\\+(?:u(?P<four>[0-9A-Fa-f]{4})|(?P<sign>.))"
    r"|%(?:25)*(?P<two>[0-9A-Fa-f]{2})"
    r"|(?P<entity>&(?:amp|lt|gt|quot|apos|#[0-9]{1,5}|#x[0-9A-Fa-f]{1,4});)",
    re.DOTALL,
)
"""What stands for one character. Every repetition takes all it can at once and none holds another: time grows with the text."""
_BLANKS = "nrtbf"


@dataclass(frozen=True, slots=True)
class Unescaped:
    """A text without its escapes. places: pairs of (where a piece begins in `text`, where in the original), in order.

    Within a piece both go on alike.
    """

    text: str
    places: tuple[Span, ...]

    def original(self, span: Span) -> Span:
        """What a span of `text` is in the original."""
        return self._place(span[0]), self._place(span[1])

    def _place(self, position: int) -> int:
        here, there = self.places[bisect_right(self.places, position, key=lambda place: place[0]) - 1]
        return there + position - here


def unescaped(text: str) -> Unescaped:
    """The text with one character for each escape in it."""
    pieces, places, length, end = [], [(0, 0)], 0, 0
    for found in _ESCAPE.finditer(text):
        pieces += [text[end : found.start()], _character(found)]
        length += found.start() - end
        places += [(length, found.start()), (length + 1, found.end())]
        length, end = length + 1, found.end()
    return Unescaped("".join((*pieces, text[end:])), tuple(places))


def _character(found: re.Match[str]) -> str:
    digits = found["four"] or found["two"]
    if digits:
        return chr(int(digits, 16))
    if found["sign"]:
        return " " if found["sign"] in _BLANKS else found["sign"]
    return html.unescape(found["entity"]) or " "
