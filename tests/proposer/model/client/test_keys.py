"""Keys never reach a reply; what only looks like one of ours stays, since a reply holds source."""

from dataclasses import replace
from typing import cast

import pytest
from pydantic import SecretStr

from model_server import Answer, Call, ModelServer, Request
from proposer.model.client.asking import KEY, LOOK_UP, OPTIONS, QUESTION, client_of, closing
from warpwright.errors import UsageError
from warpwright.proposer.conversation import ModelFault, Reply
from warpwright.proposer.model.client.address import checked_address, shown_address
from warpwright.proposer.model.client.options import ModelOptions
from warpwright.proposer.model.client.scrubbing.scrub import HIDDEN

SOURCE = "constexpr int none = 0; // none of the rows is read twice; a key of 4 x 4 tiles\n"
GATEWAY = "mysecretgatewaykey-42"
both = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])


def echo(request: Request) -> Answer:
    """What the server was sent as its key, in everything that a reply has."""
    key = request.headers["authorization"].removeprefix("Bearer ")
    calls = (Call("look_up", {"at": 1, "deep": [{key: f"x {key} y"}]}, "c1"), Call("look_up", {"at": 2}, f"id-{key}"))
    return Answer(f"{SOURCE}{key}", calls)


def echoed(words: str, options: ModelOptions) -> Reply:
    with ModelServer(echo) as server, closing(client_of(server, words, options)[0]) as client:
        outcome = client.ask(QUESTION, (LOOK_UP,))
    assert isinstance(outcome, Reply), outcome
    return outcome


@both
@pytest.mark.parametrize("words", ["openai:m", "ollama:m"])
@pytest.mark.parametrize("key", [KEY, GATEWAY])
def test_a_key_is_taken_out_of_text_and_arguments(words: str, key: str, stream: bool) -> None:
    reply = echoed(words, replace(OPTIONS, timeout_s=5, api_key=SecretStr(key), stream=stream))
    assert key not in repr(reply)
    assert reply.text == SOURCE + HIDDEN
    assert reply.calls[0].arguments == {"at": 1, "deep": [{HIDDEN: f"x {HIDDEN} y"}]}


@both
def test_without_a_key_a_reply_is_as_the_model_wrote_it(stream: bool) -> None:
    reply = echoed("openai:m", replace(OPTIONS, timeout_s=5, api_key=None, stream=stream))
    assert reply.text == f"{SOURCE}none"
    assert reply.calls[0].arguments == {"at": 1, "deep": [{"none": "x none y"}]}


@pytest.mark.parametrize("key", ["none", "tile", "EMPTY", "elevenchars"])
def test_a_key_that_may_be_a_word_of_the_source_changes_no_reply(key: str) -> None:
    reply = echoed("openai:m", replace(OPTIONS, timeout_s=5, api_key=SecretStr(key)))
    assert reply.text == SOURCE + key


def test_a_short_key_is_taken_out_of_error_messages() -> None:
    with ModelServer([Answer(status=401, error="the key tile7 is not known")]) as server:
        client, _ = client_of(server, options=replace(OPTIONS, api_key=SecretStr("tile7")))
        outcome = client.ask(QUESTION)
    assert "tile7" not in cast("ModelFault", outcome).message


@pytest.mark.parametrize(
    "query",
    ["token", "access_token", "subscription-key", "code", "key", "api_key", "sig", "client_secret", "Ocp-Api-Key"],
)
def test_an_address_with_a_secret_in_it_is_refused(query: str) -> None:
    with pytest.raises(UsageError, match="holds a password or key") as caught:
        checked_address(f"https://host/v1?version=2&{query}=abc123")
    assert "abc123" not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "http://h/v1#key=abcdefgh",
        "http://h/v1/sk-proj-abcdefgh12345678",
        "http://h/v1?x=sk-proj-abcdefgh12345678",
        "http://me:abcdefgh@h/v1",
        "http://abcdefgh@hf-inference.example.com/v1",
        "me:abcdefgh@host",
        "me:abcdefgh@host:8000/v1",
        "http:me:abcdefgh@host/v1",
        "http://me:abcd/abcdefgh@host/v1",
        "http://me:abcd abcdefgh@host/v1",
        "https://me:12345/abcdefgh@host/v1",
        "https://me%3Aabcdefgh%40host/v1",
        "https%3A%2F%2Fme%3Aabcdefgh%40host",
    ],
)
def test_a_secret_is_found_in_every_part_but_the_host(address: str) -> None:
    with pytest.raises(UsageError, match="holds a password or key") as caught:
        checked_address(address)
    assert "abcdefgh" not in str(caught.value)


@pytest.mark.parametrize("address", ["localhost:8111", "", "ftp://x/v1", "http://", "http://[::1/v1", "http://a b/v1"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(UsageError) as caught:
        checked_address(address)
    assert f"--base-url {address!r} is no address of a server: write http://HOST:PORT/v1" in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "http://localhost:8000/v1",
        "https://h/v1?api-version=2024-10",
        "HTTP://[::1]:80",
        "https://skynet.internal.example/v1",
        "https://hf-inference.example.com/v1",
        "http://pk-models.corp.example:8000/v1",
        "https://sk-models2024.example.com/pk-models/v1",
        "https://host.example/v1/@cf/model",
        "http://localhost:8000/v1/@cf/model",
    ],
)
def test_addresses_of_servers_are_taken(address: str) -> None:
    assert checked_address(address) == address


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://me:abcdefgh@host/v1?key=abcdefgh", "https://host/v1"),
        ("me:abcdefgh@host/v1", "host/v1"),
        ("http://me:abcd abcdefgh@host/v1?key=abcdefgh", "host/v1"),
        ("https://host.example:8000/v1/@cf/model", "https://host.example:8000/v1/@cf/model"),
    ],
)
def test_a_shown_address_has_no_user_and_no_query(address: str, shown: str) -> None:
    assert shown_address(address) == shown
