"""Sources that stand for more than they say: `// ... same as before`, a diff, a placeholder."""

import re

from warpwright.proposer.model.reply.lexical import Lexed

_WORDS = r"(?:code|kernel|body|function|implementation|source|loop|logic|part|lines?|above|before|file|definitions?)"
_COMMENT = re.compile(
    r"\s*[\[({<]?\s*(?:"
    r"(?:\.\.\.|…)"
    rf"|(?:the\s+)?(?:rest|remainder|remaining|previous|existing|original)\b(?:\s+(?:of\s+)?(?:the\s+)?\w+){{0,3}}?\s+{_WORDS}"
    r"\b[^.;]{0,30}(?:\.\.\.|…|\b(?:unchanged|same|here|as\s+(?:before|above|is)|goes|stays|omitted|identical)\b|[\])}>]?\s*$)"
    r"|(?:the\s+)?(?:rest|remainder)\b[^;]{0,60}(?:\.\.\.|…|\b(?:unchanged|same|as\s+(?:before|above|is)|omitted|identical)\b)"
    r"|(?:(?:is|are|stays?|remains?|everything|all|code|kernel|body|function)\s+)*(?:unchanged|same\s+as\s+(?:before|above|in\b))"
    r"|(?:\w+\s+){0,4}omitted\b|as\s+(?:before|above)\s*[\])}>]?\s*$"
    r"|(?:your|insert|put|add|copy|paste)\b[^;]{0,30}\b(?:code|implementation|kernel|body)\b[^;]{0,20}\b(?:here|above|below)\b"
    r")",
    re.IGNORECASE,
)
_ENDS_OPEN = re.compile(
    r"\b(?:rest|remaining|same as before|unchanged|and so on|etc)\b[^;]*(?:\.\.\.|…)\s*[\])}>]?\s*$", re.IGNORECASE
)
_BARE = re.compile(r"^[ \t]*\.\.\.[ \t]*;?[ \t]*$|\{\s*\.\.\.|…", re.MULTILINE)
_DIFF = re.compile(r"^(?:@@ .*@@|diff --git |--- \S|\+\+\+ \S|<{7} |={7}$|>{7} )", re.MULTILINE)
_READ_CHARS = 400
"""Of a comment at its beginning and at its end: what is left out is said in few words."""
_SHOWN_LENGTH = 80


def elided(lexed: Lexed, source: str, shown: frozenset[str]) -> str | None:
    """What the source leaves out, with its line; None if nothing. shown: comments that the model was given, no elisions."""
    if found := _DIFF.search(source):
        return f"line {_line(source, found.start())} is of a diff ({_short(_line_text(source, found.start()))})"
    if found := _BARE.search(lexed.code):
        dots = found.end() - 1
        return f"line {_line(source, dots)} is {_short(_line_text(source, dots))}"
    for line, comment in lexed.comments:
        inside = comment[2:].removesuffix("*/") if comment.startswith("/*") else comment[2:]
        if comment not in shown and (_COMMENT.match(inside[:_READ_CHARS]) or _ENDS_OPEN.search(inside[-_READ_CHARS:])):
            return f"line {line} says {_short(comment)}"
    return None


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _line_text(text: str, offset: int) -> str:
    end = text.find("\n", offset)
    return text[text.rfind("\n", 0, offset) + 1 : len(text) if end < 0 else end].strip()


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return repr(flat if len(flat) <= _SHOWN_LENGTH else flat[: _SHOWN_LENGTH - 3] + "...")
