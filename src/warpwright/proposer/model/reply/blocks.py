"""A reply as text: what is thinking, what is prose, what stands in fenced blocks."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_OPENING = re.compile(r"(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)")
_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:\+\+)?")
_THINKING = re.compile(r"<(?P<close>/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_WRAPPERS = frozenset({"markdown", "md"})
_MAX_WRAPPERS = 3

REPLACED = "\N{REPLACEMENT CHARACTER}"
"""Stands for what is no text."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block. language: lower case, empty if none is named. closed: its end stands in the text.

    before: the prose between the block before it and this one.
    """

    language: str
    body: str
    closed: bool
    before: str


@dataclass(frozen=True, slots=True)
class ReplyText:
    """A reply without its thinking. prose: the lines outside blocks. unfinished: its thinking never came to an answer."""

    blocks: Sequence[Block]
    prose: str
    unfinished: bool


def read_text(text: str) -> ReplyText:
    """Take a reply apart. Line ends, byte order mark, kind and length of fences and their indentation do not matter."""
    plain = _SURROGATE.sub(REPLACED, text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
    read = _Reader(_after_orphan(plain)).read()
    unfinished = read.unfinished
    for _ in range(_MAX_WRAPPERS):
        inner = [block for block in read.blocks if block.language in _WRAPPERS and block.closed]
        if len(read.blocks) != 1 or not inner:
            break
        read = _Reader(inner[0].body).read()
        unfinished = unfinished or read.unfinished
    return ReplyText(read.blocks, read.prose, unfinished)


def _after_orphan(text: str) -> str:
    """Some servers keep the tag that opens the thinking to themselves: then it ends at the first tag, which closes it."""
    first = _THINKING.search(text)
    return text[first.end() :] if first is not None and first["close"] else text


class _Reader:
    """Goes through the lines once."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._at = 0
        self._prose: list[str] = []
        self._before: list[str] = []
        self._unfinished = False

    def read(self) -> ReplyText:
        """The blocks and the rest."""
        blocks = list(self._blocks())
        return ReplyText(blocks, "\n".join(self._prose), self._unfinished)

    def _blocks(self) -> Iterator[Block]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            opening = _opening(line)
            tag = _THINKING.search(line)
            if opening is not None:
                yield self._block(opening)
            elif tag is not None and not tag["close"]:
                self._skip_thinking(line, tag)
            else:
                self._say(line)
                self._at += 1

    def _say(self, line: str) -> None:
        self._prose.append(line)
        self._before.append(line)

    def _block(self, opening: re.Match[str]) -> Block:
        """A fence with a language ends the block before it too: that one's own end was forgotten."""
        fence = opening["fence"]
        closing = re.compile(rf"[ \t]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*")
        body: list[str] = []
        closed = False
        self._at += 1
        while self._at < len(self._lines) and not closed:
            line = self._lines[self._at]
            closed = closing.fullmatch(line) is not None
            if not closed:
                inner = _opening(line)
                if inner is not None and inner["fence"].startswith(fence) and _LANGUAGE.search(inner["info"]):
                    break
                body.append(line)
            self._at += 1
        language = _LANGUAGE.search(opening["info"])
        before, self._before = "\n".join(self._before), []
        text = _unindented(body, len(opening["indent"]))
        return Block(language[0].lower() if language else "", text, closed, before)

    def _skip_thinking(self, line: str, tag: re.Match[str]) -> None:
        """What follows the closing tag on its line is read again as a line; without one, nothing is left."""
        self._say(line[: tag.start()])
        rest = line[tag.end() :]
        while True:
            end = next((m for m in _THINKING.finditer(rest) if m["close"]), None)
            if end is not None:
                self._lines[self._at] = rest[end.end() :]
                return
            self._at += 1
            if self._at >= len(self._lines):
                self._unfinished = True
                return
            rest = self._lines[self._at]


def _opening(line: str) -> re.Match[str] | None:
    """A fence; a line with backticks after it is inline code."""
    found = _OPENING.fullmatch(line)
    return None if found is None or (found["fence"][0] == "`" and "`" in found["info"]) else found


def _unindented(lines: Sequence[str], indent: int) -> str:
    """The lines without the indentation of their fence, if all of them have it."""
    full = [line for line in lines if line.strip()]
    if all(not line[:indent].strip() and len(line) - len(line.lstrip()) >= indent for line in full):
        lines = [line[indent:] for line in lines]
    return "".join(f"{line}\n" for line in lines)
