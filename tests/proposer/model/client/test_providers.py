"""The real classes of the other providers, each against a server of its protocol, and any other chat model of LangChain."""

from dataclasses import replace
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatResult

from model_server import Answer, Call, ModelServer
from proposer.model.client.asking import KEY, LOOK_UP, OPTIONS, QUESTION, client_of, closing, fault_of, reply_to
from warpwright.proposer.conversation import FaultKind, Message, ModelFault, Reply, Role, Stop, ToolCall, Usage
from warpwright.proposer.model.client.chat import ChatClient
from warpwright.proposer.model.client.construction import LEAST_OUTPUT_TOKENS
from warpwright.proposer.model.client.options import ModelOptions

WORDS = ("anthropic:claude-x", "ollama:qwen", "google:gemini-x")
every = pytest.mark.parametrize("words", WORDS)
both = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
OPTIONS = replace(OPTIONS, timeout_s=5)


@every
@both
def test_a_reply_with_its_usage(words: str, stream: bool) -> None:
    reply = reply_to(Answer("hello", tokens=(10, 5, 3)), words=words, options=replace(OPTIONS, stream=stream))
    cached = None if words.startswith("ollama") else 3
    assert (reply.text, reply.stop, reply.usage) == ("hello", Stop.END, Usage(10, 5, cached))


@every
@both
def test_a_cut_reply_says_so(words: str, stream: bool) -> None:
    options = replace(OPTIONS, stream=stream)
    assert reply_to(Answer("half", stop="length"), words=words, options=options).stop is Stop.LENGTH


@pytest.mark.parametrize("words", ["anthropic:claude-x", "google:gemini-x"])
@both
def test_a_refused_reply_says_so(words: str, stream: bool) -> None:
    options = replace(OPTIONS, stream=stream)
    assert reply_to(Answer("no", stop="content_filter"), words=words, options=options).stop is Stop.REFUSED


@every
@both
def test_tools_go_out_and_calls_come_in(words: str, stream: bool) -> None:
    messages = (
        *QUESTION,
        Message(Role.MODEL, "", (ToolCall("c0", "look_up", {"at": 1}),)),
        Message(Role.TOOL, "one", call_id="c0"),
    )
    with ModelServer([Answer("", (Call("look_up", {"at": 2}),))]) as server:
        client, _ = client_of(server, words, replace(OPTIONS, stream=stream))
        with closing(client):
            reply = client.ask(messages, (LOOK_UP,))
    assert isinstance(reply, Reply), reply
    assert reply.stop is Stop.TOOL_CALLS
    assert [(call.name, call.arguments) for call in reply.calls] == [("look_up", {"at": 2})]
    assert "look_up" in str(server.requests[0].body["tools"])
    assert "one" in str(server.requests[0].body)


@every
@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(status=401, error=f"invalid key {KEY}"), FaultKind.AUTHENTICATION),
        (Answer(status=400, error="prompt is too long: 300000 tokens"), FaultKind.REQUEST),
        (Answer(status=404, error="no such model"), FaultKind.REQUEST),
        (Answer(status=429, error="slow down"), FaultKind.RATE_LIMIT),
        (Answer(status=500, error="boom"), FaultKind.SERVER),
        (Answer(raw="<html>log in</html>", content_type="text/html"), FaultKind.REPLY),
        (Answer(raw='{"a": '), FaultKind.REPLY),
        (Answer(hang_up=True), FaultKind.CONNECTION),
    ],
)
@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # Google's library, of answers it refuses
def test_faults_have_a_kind(words: str, answer: Answer, kind: FaultKind) -> None:
    fault = fault_of(answer, words=words, options=replace(OPTIONS, retries=0))
    assert fault.kind is kind, fault


@every
def test_a_server_that_is_silent_is_a_timeout(words: str) -> None:
    options = replace(OPTIONS, timeout_s=0.4, retries=0)
    assert fault_of(Answer("late", delay_s=3), words=words, options=options).kind is FaultKind.TIMEOUT


@pytest.mark.parametrize("words", ["anthropic:claude-x", "google:gemini-x"])
def test_the_pause_that_a_server_names_is_kept(words: str) -> None:
    with ModelServer([Answer(status=429, headers={"retry-after": "7"}), Answer("ok")]) as server:
        client, pauses = client_of(server, words)
        with closing(client):
            assert isinstance(client.ask(QUESTION), Reply)
    assert pauses == [7.0]


def test_ollama_is_told_how_much_context_to_keep_since_it_would_cut_prompts_silently() -> None:
    with ModelServer([Answer("ok")]) as server:
        client, _ = client_of(server, "ollama:qwen", replace(OPTIONS, context_tokens=50_000, max_output_tokens=900))
        client.ask(QUESTION)
    assert server.requests[0].body["options"] == {"num_ctx": 50_000, "num_predict": 900}
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_an_unknown_model_of_anthropic_may_write_a_whole_kernel() -> None:
    with ModelServer([Answer("ok")]) as server:
        client_of(server, "anthropic:claude-x")[0].ask(QUESTION)
        client_of(server, "anthropic:claude-x", replace(OPTIONS, max_output_tokens=100))[0].ask(QUESTION)
    assert [request.body["max_tokens"] for request in server.requests] == [LEAST_OUTPUT_TOKENS, 100]


class Broken(GenericFakeChatModel):
    """Raises what no library should."""

    def _generate(self, *arguments: Any, **named: Any) -> ChatResult:
        raise ZeroDivisionError("division by zero")


def other(model: BaseChatModel, options: ModelOptions = OPTIONS) -> ChatClient:
    return ChatClient("some.Class:m", model, options, pause=lambda _: None)


def test_any_chat_model_of_langchain_will_do() -> None:
    client = other(GenericFakeChatModel(messages=iter([AIMessage("hello world")])), replace(OPTIONS, stream=False))
    reply = client.ask(QUESTION)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.stop, reply.usage) == ("hello world", Stop.UNKNOWN, Usage())


def test_a_chat_model_that_cannot_bind_tools_is_asked_without() -> None:
    client = other(GenericFakeChatModel(messages=iter([AIMessage("hello")])), replace(OPTIONS, stream=False))
    assert isinstance(client.ask(QUESTION, (LOOK_UP,)), Reply)
    assert not client.takes_tools


def test_whatever_a_library_raises_is_a_fault() -> None:
    outcome = other(Broken(messages=iter([]))).ask(QUESTION)
    assert isinstance(outcome, ModelFault)
    assert "division by zero" in outcome.message
