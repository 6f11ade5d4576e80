import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.proposer.model.client.scrubbing.escapes import unescaped

ASCII = st.text(st.characters(min_codepoint=32, max_codepoint=126))


@given(ASCII.filter(lambda text: "%" not in text))
def test_escapes_of_addresses_are_undone(text: str) -> None:
    assert unescaped(quote(text, safe="")).text == text


@given(ASCII.filter(lambda text: not {*"%&\\"} & {*text}))
def test_escapes_of_json_are_undone(text: str) -> None:
    assert unescaped(json.dumps(text)[1:-1]).text == text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"a\\\"b", 'a"b'),
        (r"a\u002Bb\/c\nd\q", "a+b/c dq"),
        ("a%2Bb%252bc%25252bd%2", "a+b+c+d%2"),
        ("&lt;a&#43;b&#x2b;c&nosuch;&", "<a+b+c&nosuch;&"),
        ("\\", "\\"),
        ("", ""),
    ],
)
def test_escapes_within_escapes_are_undone_and_half_ones_stay(text: str, plain: str) -> None:
    assert unescaped(text).text == plain


@given(st.lists(st.sampled_from(["a", "bc", "%41", "%2541", r"\u0041", r"\/", "&#65;", " "])))
def test_each_character_is_found_again_where_it_stood(pieces: list[str]) -> None:
    text = "".join(pieces)
    plain = unescaped(text)
    spans = [plain.original((at, at + 1)) for at in range(len(plain.text))]
    assert "".join(text[start:end] for start, end in spans) == text
    assert [unescaped(text[start:end]).text for start, end in spans] == list(plain.text)
