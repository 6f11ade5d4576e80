"""CUDA source as far as comments, literals and braces go: enough to tell code from what is said about it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"//(?:\\\n|[^\n])*"
    r"|/\*.*?(?:\*/|\Z)"
    r'|R"(?P<delimiter>[^()\\\s"]{0,16})\(.*?(?:\)(?P=delimiter)"|\Z)'
    r'|"(?:\\.|[^"\\\n])*(?:"|(?=\n)|\Z)'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*(?:'|(?=\n)|\Z)"
    r"|\*/(?!\*)",
    re.DOTALL,
)
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?P<word>\w*)(?:\\\n|[^\n])*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Lexed:
    """code: the source with blanks for comments and literals, line for line. comments: as written, with their lines from 1.

    fault: why the source cannot be whole (`a comment that begins in line 7 does not end`), None if nothing says so.
    """

    code: str
    comments: tuple[tuple[int, str], ...]
    fault: str | None


def lexed(source: str) -> Lexed:
    """Read a source once."""
    pieces: list[str] = []
    comments: list[tuple[int, str]] = []
    fault: str | None = None
    position, line = 0, 1
    for token in _TOKEN.finditer(source):
        text = token[0]
        line += source.count("\n", position, token.start())
        pieces += [source[position : token.start()], re.sub(r"[^\n]", " ", text)]
        position = token.end()
        if text.startswith(("//", "/*")):
            comments.append((line, text))
        if text == "*/":
            fault = fault or f"line {line} ends a comment that does not begin in the block"
        elif text.startswith("/*") and (len(text) < len("/**/") or not text.endswith("*/")):
            fault = fault or f"the comment that begins in line {line} does not end"
        line += text.count("\n")
    code = "".join((*pieces, source[position:]))
    return Lexed(code, tuple(comments), fault or _brace_fault(code))


def _brace_fault(code: str) -> str | None:
    """Braces that do not pair. Undecided where the preprocessor may choose between them."""
    for directive in _DIRECTIVE.finditer(code):
        if directive["word"].startswith("el") or directive[0].count("{") != directive[0].count("}"):
            return None
    depth = 0
    for line, text in _lines(_DIRECTIVE.sub(lambda found: "\n" * found[0].count("\n"), code)):
        for sign in re.findall("[{}]", text):
            depth += 1 if sign == "{" else -1
            if depth < 0:
                return f"the '}}' in line {line} closes nothing: the beginning is missing"
    return f"at its end {depth} '{{' {'is' if depth == 1 else 'are'} still open" if depth else None


def _lines(text: str) -> Iterator[tuple[int, str]]:
    yield from enumerate(text.split("\n"), start=1)
