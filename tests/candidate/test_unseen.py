"""Characters that nobody sees: which they are, and how a person is shown them."""

import pytest

from warpwright.candidate.unseen import escaped, first_unseen

UNSEEN = {
    "escape": ("a\x1b[2J", 1, "a control character", "a\\x1b[2J"),
    "carriage return": ("yes\rno", 3, "a control character", "yes\\rno"),
    "delete": ("\x7f", 0, "a control character", "\\x7f"),
    "control of eight bits": ("a\x9b2J", 1, "a control character", "a\\x9b2J"),
    "right to left": ("x \u202e y", 2, "a character that hides or turns text", "x \\u202e y"),
    "isolate": ("\u2066", 0, "a character that hides or turns text", "\\u2066"),
    "zero width": ("ab\u200bc", 2, "a character that hides or turns text", "ab\\u200bc"),
    "tag": ("\U000e0041", 0, "a character that hides or turns text", "\\U000e0041"),
    "line separator": ("a\u2028b", 1, "an unseen line end", "a\\u2028b"),
    "half a pair": ("\ud800", 0, "half a character", "\\ud800"),
    "the first of several": ("\u200b\x1b", 0, "a character that hides or turns text", "\\u200b\\x1b"),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_what_nobody_sees_is_found_and_shown_as_its_code(name: str) -> None:
    text, offset, kind, shown = UNSEEN[name]
    assert first_unseen(text) == (offset, kind)
    assert escaped(text) == shown


def test_writing_of_every_kind_is_seen() -> None:
    text = "tab\t, line\n, Ünïcode, 文字, عربي, ⚠️, no\u00a0break, \\x1b"
    assert first_unseen(text) is None
    assert escaped(text) == text
    assert first_unseen("a\r\n", also="\r") is None
