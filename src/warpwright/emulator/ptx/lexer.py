"""PTX text to tokens. Source: PTX ISA, chapter Syntax."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from warpwright.errors import WarpwrightError


class Kind(StrEnum):
    """Kind of token."""

    WORD = "word"
    """Identifier, register or opcode without its dots: `ld`, `%rd1`, `$L__BB0_2`."""
    DOT = "dot"
    """A word with its leading dot: `.global`, `.L2::128B`."""
    INTEGER = "integer"
    FLOAT = "float"
    STRING = "string"
    MARK = "mark"
    """Punctuation."""
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """A token and the 1-based line it stands on."""

    kind: Kind
    text: str
    line: int


class PtxSyntaxError(WarpwrightError):
    """PTX that cannot be read; the message names the PTX line. NVRTC writes none, so it is a fault of the parser or a
    damaged file."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"PTX line {line}: {message}")
        self.line = line


_PATTERN = re.compile(
    r"""
    (?P<space>[ \t\r\n]+|//[^\n]*|/\*.*?\*/)
  | (?P<float>0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)
  | (?P<integer>0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|\d+U?)
  | (?P<dot>\.[A-Za-z_0-9$]+(?:::[A-Za-z_0-9]+)*)
  | (?P<word>[A-Za-z_$%][A-Za-z_0-9$]*)
  | (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<mark>[{}()\[\]<>,;:|!@=+\-*/~&^?])
    """,
    re.VERBOSE | re.DOTALL,
)


_BAD_OCTAL = re.compile(r"0\d*[89]\d*U?")


def tokens_of(text: str) -> Iterator[Token]:
    """All tokens, ended by one END.

    Raises: PtxSyntaxError at a character that begins no token.
    """
    position, line = 0, 1
    while position < len(text):
        match = _PATTERN.match(text, position)
        if match is None or match.lastgroup is None:
            raise PtxSyntaxError(line, f"unexpected character {text[position]!r}")
        if match.lastgroup == "integer" and _BAD_OCTAL.fullmatch(match.group()):
            raise PtxSyntaxError(line, f"octal number {match.group()!r} has a digit above 7")
        if match.lastgroup != "space":
            yield Token(Kind(match.lastgroup), match.group(), line)
        line += text.count("\n", position, match.end())
        position = match.end()
    yield Token(Kind.END, "", line)


def integer_value(text: str) -> int:
    """Value of an INTEGER token: decimal, `0x`, `0b`, octal with a leading 0."""
    digits = text.rstrip("U").lower()
    if digits.startswith("0x"):
        return int(digits, 16)
    if digits.startswith("0b"):
        return int(digits, 2)
    return int(digits, 8) if digits.startswith("0") and len(digits) > 1 else int(digits)
