"""A source as the preprocessor may see it: line splices joined, and comments that are certain to be comments taken out.

Where the text leaves a doubt (a quote earlier on the line, a raw string), it stays in: a reader of this text can refuse
too much, never too little.
"""

import re

_STRICT_SPLICE = re.compile(r"\\\r?\n")
_LENIENT_SPLICE = re.compile(r"\\[ \t\v\f]*\r?\n")
_RAW_STRING = re.compile(r'R"')


def readings(source: str) -> tuple[str, ...]:
    """Every way of joining lines that a compiler uses (as written, strict, white space after the backslash), uncommented."""
    variants = {source, _STRICT_SPLICE.sub("", source), _LENIENT_SPLICE.sub("", source)}
    return tuple(sorted(without_comments(variant) for variant in variants))


def without_comments(text: str) -> str:
    """Comments become one space (block comments keep their line ends), as far as they are certain.

    A comment is certain while no quote stands before it on its line. A block comment behind a quote leaves open what is
    comment from there on, so everything after it stays.
    """
    if _RAW_STRING.search(text):
        return text
    kept: list[str] = []
    position = 0
    while position < len(text):
        end = _line_end(text, position)
        quote = _first(text, position, end, '"', "'")
        comment = _first(text, position, end, "//", "/*")
        if quote < comment:
            if text.find("/*", quote, end) >= 0:
                kept.append(text[position:])
                break
            kept.append(text[position:end])
            position = end
        elif comment == end:
            kept.append(text[position:end])
            position = end
        else:
            kept.append(text[position:comment] + " ")
            position = _comment_end(text, comment, end, kept)
    return "".join(kept)


def _comment_end(text: str, start: int, line_end: int, kept: list[str]) -> int:
    if text.startswith("//", start):
        if text[line_end - 1] == "\n":
            kept.append("\n")
        return line_end
    close = text.find("*/", start + 2)
    stop = len(text) if close < 0 else close + 2
    kept.append("\n" * text.count("\n", start, stop))
    return stop


def _line_end(text: str, start: int) -> int:
    newline = text.find("\n", start)
    return len(text) if newline < 0 else newline + 1


def _first(text: str, start: int, end: int, *needles: str) -> int:
    found = [at for at in (text.find(needle, start, end) for needle in needles) if at >= 0]
    return min(found, default=end)
