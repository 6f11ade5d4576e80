"""The user's own key is hidden wherever it stands, in part or in another form; nothing else of a reply changes."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from model_server import Answer, ModelServer
from proposer.model.client.asking import OPTIONS, QUESTION, client_of
from warpwright.proposer.conversation import ModelFault, Reply, ToolCall
from warpwright.proposer.model.client.faults import failure_of
from warpwright.proposer.model.client.scrubbing.scrub import HIDDEN, TELLING_CHARS, scrub, scrub_reply

KEYS = st.text(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_+/=", min_size=TELLING_CHARS, max_size=60
)
KEY = "aB3+dE/gH5=jK7lmN9=="
LETTERS = "mysecretgatewaykeywithoutanydigitsoranythingelse"


def shows(text: str, key: str) -> bool:
    """Whether the text has so much of the key, one after another, as tells it."""
    parts = {key[at : at + TELLING_CHARS] for at in range(len(key) - TELLING_CHARS + 1)}
    return any(part in piece for piece in text.split(HIDDEN) for part in parts)


@given(st.text(), KEYS, st.text())
def test_a_known_key_is_hidden_wherever_it_stands(before: str, key: str, after: str) -> None:
    assert not shows(scrub(f"{before}{key}{after}", (key,)), key)


@given(st.text(), KEYS.filter(lambda key: len(key) > TELLING_CHARS), st.data())
def test_a_part_of_a_known_key_is_hidden(before: str, key: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(key) - TELLING_CHARS))
    end = data.draw(st.integers(start + TELLING_CHARS, len(key)))
    assert not shows(scrub(f"{before}{key[start:end]}...", (key,)), key)


@given(KEYS, st.integers(0, 400), st.sampled_from(["{}", "<html>{}</html>", "x  {}\n y"]), st.booleans())
def test_no_part_of_a_key_is_left_where_a_quote_is_cut(key: str, words: int, around: str, again: bool) -> None:
    text = around.format(f"{'so long ' * (words // 8)}{'.' * (words % 8)} {key} {key * again}")
    failure = failure_of(ValueError(text), None, (key,))
    assert not shows(failure.what, key)
    assert len(failure.what) < 450


@pytest.mark.parametrize("at", range(16384 - 70, 16384, 3))
def test_no_part_of_a_key_is_left_where_the_search_for_it_ends(at: int) -> None:
    """So many keys stand before that what is left of the text is shorter than a quote."""
    text = LETTERS * 400
    assert not shows(failure_of(ValueError(text[-at:]), None, (LETTERS,)).what, LETTERS)


@pytest.mark.parametrize("words", [200, 240, 262, 264, 266, 268])
def test_the_message_of_a_fault_shows_no_part_of_the_key(words: int) -> None:
    error = f"upstream said: {('the request could not be routed; ' * 20)[:words]} header x-gw {LETTERS} was refused"
    with ModelServer([Answer(status=400, error=error)]) as server:
        client, _ = client_of(server, options=replace(OPTIONS, api_key=SecretStr(LETTERS), stream=False, retries=0))
        outcome = client.ask(QUESTION)
    assert isinstance(outcome, ModelFault)
    assert "upstream said" in outcome.message
    assert LETTERS[:3] not in outcome.message


def in_json(key: str) -> str:
    return json.dumps(key)[1:-1].replace("/", "\\/").replace("+", "\\u002b").replace("=", "\\u003D")


FORMS: dict[str, Callable[[str], str]] = {
    "JSON": in_json,
    "JSON in JSON": lambda key: in_json(in_json(key)),
    "address": partial(quote, safe=""),
    "address in address": lambda key: quote(quote(key, safe=""), safe=""),
    "address in lower case": lambda key: key.replace("+", "%2b").replace("/", "%2f"),
    "HTML": lambda key: key.replace("+", "&#43;").replace("=", "&#x3D;"),
}
forms = pytest.mark.parametrize("form", list(FORMS))


@pytest.mark.parametrize("key", ['abc\\def"ghi/jkl', "a%41b%2541cdefgh", "two  words here"])
@pytest.mark.parametrize("form", [str, *FORMS.values(), lambda key: " ".join(key.split())])
def test_a_key_that_has_escapes_of_its_own_is_hidden(form: Callable[[str], str], key: str) -> None:
    assert scrub(f"sent ({form(key)}) in vain", (key,)) == f"sent ({HIDDEN}) in vain"


@forms
@given(key=KEYS)
def test_a_known_key_is_hidden_with_escapes(form: str, key: str) -> None:
    assert scrub(f"sent ({FORMS[form](key)}) in vain", (key,)) == f"sent ({HIDDEN}) in vain"


@forms
def test_a_reply_loses_a_key_with_escapes_and_no_other_text(form: str) -> None:
    key = FORMS[form](KEY)
    source = f'printf("%20d\\n", a&amp;b); // aB3+dE/gH5 \u00e9 Bearer abcdefgh12345678 {key[:-4]}'
    reply = Reply(f"{source} {key}!", (ToolCall("1", "look_up", {"at": [key]}),))
    expected = Reply(f"{source} {HIDDEN}!", (ToolCall("1", "look_up", {"at": [HIDDEN]}),))
    assert scrub_reply(reply, (KEY,)) == expected
    assert scrub_reply(expected, (KEY,)) == expected


@given(KEYS, st.text("abcdefghijklmnopqrstuvwxyz:", max_size=9), st.text("!abc:", max_size=5), st.booleans())
def test_a_known_key_is_hidden_in_base64(key: str, user: str, after: str, safe: bool) -> None:
    encode = base64.urlsafe_b64encode if safe else base64.b64encode
    credential = encode(f"{user}{key}{after}".encode()).decode()
    hidden = scrub(f"sent {credential} in vain", (key,))
    assert HIDDEN in hidden
    # What is left of either end: the user, what follows, and the two digits that hold some of the key's bits and others.
    assert len(hidden.replace(HIDDEN, "")) - len("sent  in vain") <= -(-(len(user) + len(after)) * 4 // 3) + 6


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_both_alphabets_of_base64_are_known(encode: Callable[[bytes], bytes]) -> None:
    assert scrub(f"sent {encode(b'ab~' * 6).decode()} in vain", ("ab~" * 6,)) == f"sent {HIDDEN} in vain"


def test_a_key_in_base64_is_taken_out_of_a_reply() -> None:
    credential = base64.b64encode(f"user:{KEY}".encode()).decode()
    text = scrub_reply(Reply(f"curl -H 'Basic {credential}'"), (KEY,)).text
    assert text == f"curl -H 'Basic dXNlcjp{HIDDEN}Q=='"


def test_a_short_key_is_hidden_as_a_whole_alone() -> None:
    assert scrub("key tile7, tiles of tile", ("tile7",)) == f"key {HIDDEN}, tiles of tile"
