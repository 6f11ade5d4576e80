"""Clients against the test server."""

import gc
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

from pydantic import SecretStr

from model_server import Answer, ModelServer
from warpwright.proposer.conversation import Message, ModelFault, Reply, Role, ToolSpec
from warpwright.proposer.model.client.chat import ChatClient
from warpwright.proposer.model.client.opening import open_model
from warpwright.proposer.model.client.options import ModelOptions

KEY = "sk-test-0123456789abcdefghijklmnop"
QUESTION = (Message(Role.USER, "hello"),)
LOOK_UP = ToolSpec("look_up", "Looks up.", {"type": "object", "properties": {"at": {"type": "integer"}}})
OPTIONS = ModelOptions(timeout_s=0.4, retries=1, api_key=SecretStr(KEY))


def client_of(
    server: ModelServer, words: str = "openai:m", options: ModelOptions = OPTIONS
) -> tuple[ChatClient, list[float]]:
    """A client of the server and the pauses that it made instead of waiting."""
    base = server.base_url if words.startswith("openai") else server.address
    client = cast("ChatClient", open_model(words, replace(options, base_url=base)))
    pauses: list[float] = []
    client._pause = pauses.append
    return client, pauses


@contextmanager
def closing(client: ChatClient) -> Iterator[ChatClient]:
    """Google's library leaves its connections, after a time-out open ones, to the garbage collector, which would tell tests."""
    yield client
    transport = getattr(getattr(client._model, "client", None), "transport", None)
    if transport is not None:
        transport.close()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()


def ask(
    *script: Answer, words: str = "openai:m", options: ModelOptions = OPTIONS, tools: Sequence[ToolSpec] = ()
) -> tuple[Reply | ModelFault, ModelServer]:
    """One question against a script."""
    with ModelServer(script) as server, closing(client_of(server, words, options)[0]) as client:
        return client.ask(QUESTION, tools), server


def reply_to(
    *script: Answer, words: str = "openai:m", options: ModelOptions = OPTIONS, tools: Sequence[ToolSpec] = ()
) -> Reply:
    """One question that must be answered."""
    outcome, _ = ask(*script, words=words, options=options, tools=tools)
    assert isinstance(outcome, Reply), outcome
    return outcome


def fault_of(*script: Answer, words: str = "openai:m", options: ModelOptions = OPTIONS) -> ModelFault:
    """One question that must fail, without the key."""
    outcome, _ = ask(*script, words=words, options=options)
    assert isinstance(outcome, ModelFault), outcome
    assert KEY not in outcome.message
    return outcome
