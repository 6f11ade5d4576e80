"""Requests that fail on the way: they are counted, told, and say where they went."""

from dataclasses import replace
from typing import cast

import pytest

from model_server import Answer, ModelServer, Request
from proposer.model.client.asking import LOOK_UP, OPTIONS, QUESTION, client_of, fault_of
from warpwright.proposer.conversation import FaultKind, ModelFault, Reply, Tries
from warpwright.proposer.model.client.chat import ChatClient
from warpwright.proposer.model.client.opening import open_model

PAGE = "<html><body>log in</body></html>"


def test_a_reply_says_how_many_requests_it_took_and_which_of_them_were_refused() -> None:
    with ModelServer([Answer(status=500), Answer(status=429), Answer("ok")]) as server:
        client, _ = client_of(server, options=replace(OPTIONS, retries=2))
        outcomes = [client.ask(QUESTION), client.ask(QUESTION)]
    replies = [outcome for outcome in outcomes if isinstance(outcome, Reply)]
    assert [(reply.tries, reply.refused) for reply in replies] == [(3, 1), (1, 0)]
    assert len(server.requests) == 4


def test_a_fault_says_the_same() -> None:
    with ModelServer([Answer(status=429), Answer(status=500)]) as server:
        client, _ = client_of(server)
        outcome = cast("ModelFault", client.ask(QUESTION))
    assert (outcome.kind, outcome.tries, outcome.refused) == (FaultKind.SERVER, 2, 1)


def test_what_is_found_out_about_a_server_took_requests_that_it_refused() -> None:
    def without(request: Request) -> Answer:
        return Answer(status=400, error="m does not support tools") if "tools" in request.body else Answer("ok")

    with ModelServer(without) as server:
        client, _ = client_of(server)
        outcome = cast("Reply", client.ask(QUESTION, (LOOK_UP,)))
    assert (outcome.tries, outcome.refused) == (2, 1)


def test_another_try_is_told() -> None:
    told: list[str] = []
    with ModelServer([Answer(status=500, error="boom"), Answer("ok")]) as server:
        client = cast("ChatClient", open_model("openai:m", replace(OPTIONS, base_url=server.base_url), told.append))
        client._pause = lambda _: None
        client.ask(QUESTION)
    assert told == ["openai:m: HTTP 500: boom; trying again in 1 s"]


def test_a_retry_that_is_forbidden_is_not_sent_and_the_fault_says_why() -> None:
    asked: list[Tries] = []

    def forbids(tries: Tries) -> str | None:
        asked.append(tries)
        return "the cap" if tries.sent == 2 else None

    with ModelServer([Answer(status=429), Answer(status=500), Answer("too late")]) as server:
        client, pauses = client_of(server, options=replace(OPTIONS, retries=5))
        outcome = cast("ModelFault", client.ask(QUESTION, (), forbids))
    assert len(server.requests) == 2
    assert asked == [Tries(1, 1), Tries(1, 1), Tries(2, 1)]  # before the pause and behind it
    assert (outcome.kind, outcome.tries, outcome.refused) == (FaultKind.SERVER, 2, 1)
    assert outcome.message.endswith(". Not tried again: the cap")
    assert len(pauses) == 1


def test_time_that_is_up_after_the_pause_forbids_the_retry() -> None:
    with ModelServer([Answer(status=500), Answer("too late")]) as server:
        client, pauses = client_of(server)
        outcome = cast("ModelFault", client.ask(QUESTION, (), lambda _: "time is up" if pauses else None))
    assert len(server.requests) == 1
    assert outcome.message.endswith(" Not tried again: time is up")


def test_the_last_try_asks_for_no_other() -> None:
    asked: list[Tries] = []

    def allows(tries: Tries) -> None:
        asked.append(tries)

    with ModelServer([Answer(status=500), Answer(status=500)]) as server:
        client, _ = client_of(server, options=replace(OPTIONS, retries=1))
        client.ask(QUESTION, (), allows)
    assert asked == [Tries(1, 0)] * 2


def test_a_request_without_tools_or_streams_may_be_forbidden_too() -> None:
    with ModelServer(lambda _: Answer(status=400, error="m does not support tools")) as server:
        client, _ = client_of(server)
        outcome = cast("ModelFault", client.ask(QUESTION, (LOOK_UP,), lambda _: "the cap"))
    assert len(server.requests) == 1
    assert (outcome.kind, outcome.tries, outcome.refused) == (FaultKind.REQUEST, 1, 0)
    assert not client.takes_tools


@pytest.mark.parametrize("words", ["openai:m", "anthropic:m", "ollama:m", "google:m"])
def test_a_server_that_is_not_there_is_named_by_its_address(words: str) -> None:
    with ModelServer([Answer()]) as server:
        client, _ = client_of(server, words, replace(OPTIONS, retries=0))
        address = server.address
    outcome = cast("ModelFault", client.ask(QUESTION))
    assert outcome.kind is FaultKind.CONNECTION
    assert address in outcome.message


def test_a_silent_server_is_named_by_its_address() -> None:
    assert (
        "(asked http://127.0.0.1:" in fault_of(Answer("late", delay_s=3), options=replace(OPTIONS, retries=0)).message
    )


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_a_page_of_html_ends_where_it_ends(stream: bool) -> None:
    options = replace(OPTIONS, retries=0, stream=stream)
    message = fault_of(Answer(raw=PAGE, content_type="text/html"), options=options).message
    assert f"not with a reply: {PAGE} (asked http://127.0.0.1:" in message
