"""A chat model of LangChain as a `ModelClient`: one request at a time, with our retries, nothing raised."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.runnables import Runnable, RunnableLambda

from warpwright.proposer.conversation import REFUSED, FaultKind, Forbids, Message, ModelFault, Reply, ToolSpec, Tries
from warpwright.proposer.model.client.construction import keys_of
from warpwright.proposer.model.client.faults import Failure, failure_of
from warpwright.proposer.model.client.messages import to_langchain, to_tool
from warpwright.proposer.model.client.options import ModelOptions
from warpwright.proposer.model.client.reading import read_reply, tells_end
from warpwright.proposer.model.client.scrubbing.scrub import scrub, scrub_reply

_FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 60.0
"""A server that asks for a longer pause gets no other try: the session has better to do."""


class NothingInStream(ValueError):
    """The server ended a stream without a single piece of a reply."""


class CutStream(ConnectionError):
    """A stream ended without the word that the reply has ended."""


class ChatClient:
    """`ModelClient` over a LangChain chat model. Safe to use from several threads."""

    def __init__(
        self,
        name: str,
        model: BaseChatModel,
        options: ModelOptions,
        pause: Callable[[float], None] = time.sleep,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        """name: as `--model` gives it. pause: waits that many seconds between tries. tell: hears why there is another try."""
        self._name = name
        self._model = model
        self._options = options
        self._pause = pause
        self._tell = tell
        self._keys = keys_of(model, options)
        self._takes_tools = options.tools and (model.profile or {}).get("tool_calling") is not False
        self._streams = options.stream

    @property
    def name(self) -> str:
        """`openai:gpt-5`, as `--model` names it."""
        return self._name

    @property
    def takes_tools(self) -> bool:
        """False once it is known that the model or its server does not take tools."""
        return self._takes_tools

    @property
    def streams(self) -> bool:
        """False once it is known that the server does not send replies piece by piece."""
        return self._streams

    def ask(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), forbids: Forbids | None = None
    ) -> Reply | ModelFault:
        """One request with its retries: after a fault that may pass, after a pause that grows or that the server names.

        A model that turns out not to take tools is asked once more without, and a server that cannot stream without streams;
        neither counts as a retry. forbids: asked before each of these, too.
        """
        start = time.monotonic()
        conversation = to_langchain(messages)
        tries = failed = refused = 0
        streams = self._streams
        while True:
            tries += 1
            offered = tools if self._takes_tools else ()
            outcome = self._request(conversation, offered, streams)
            if isinstance(outcome, AIMessage):
                self._streams = self._streams and streams
                reply = read_reply(outcome, time.monotonic() - start)
                return scrub_reply(replace(reply, tries=tries, refused=refused), self._keys)
            failure = failure_of(outcome, self._options.base_url, self._keys)
            last, pause_s = False, None
            if offered and failure.tools_refused:
                self._takes_tools = False
            elif streams and (
                failure.stream_refused or failure.kind is FaultKind.REPLY or (failed and _is_cut(outcome))
            ):
                # Whole it either works, or brings the server's words, which a stream loses. Cut twice: a server that never
                # says that a reply has ended.
                streams = False
            else:
                failed += 1
                pause_s = self._pause_s(failure, failed)
                last = pause_s is None
            before = Tries(tries, refused + (failure.kind in REFUSED))
            forbidden = None if last else self._hold(forbids or _allow, before, failure, pause_s)
            if last or forbidden is not None:
                why = "" if forbidden is None else f" Not tried again: {forbidden}"
                message = scrub(f"{self._name}: {failure.message}{why}", self._keys)
                return ModelFault(failure.kind, message, tries, time.monotonic() - start, refused)
            refused = before.refused

    def _hold(self, forbids: Forbids, tries: Tries, failure: Failure, pause_s: float | None) -> str | None:
        """Wait before another try, if it must be waited for; why there must be none, also then: time may be up."""
        forbidden = forbids(tries)
        if forbidden is None and pause_s is not None:
            self._say_again(failure, pause_s)
            self._pause(pause_s)
            forbidden = forbids(tries)
        return forbidden

    def _pause_s(self, failure: Failure, failed: int) -> float | None:
        """How long to wait before another try; None where there is none. failed: tries so far that count as such."""
        pause_s = failure.wait_s if failure.wait_s is not None else _FIRST_WAIT_S * 2 ** (failed - 1)
        if not failure.may_pass or failed > self._options.retries or pause_s > _LONGEST_WAIT_S:
            return None
        return pause_s

    def _request(self, messages: list[BaseMessage], tools: Sequence[ToolSpec], streams: bool) -> AIMessage | Exception:
        """One request; what the provider's library raises comes back as data, whatever its class."""

        def send(conversation: list[BaseMessage]) -> AIMessage:
            model: Runnable[Any, Any] = (
                self._model.bind_tools([to_tool(tool) for tool in tools]) if tools else self._model
            )
            message = self._streamed(model, conversation) if streams else model.invoke(conversation)
            if not isinstance(message, AIMessage):
                raise TypeError(f"the chat model gave a {type(message).__name__}, not a message")
            return message

        (outcome,) = RunnableLambda(send).batch([messages], return_exceptions=True)
        return outcome

    def _streamed(self, model: Runnable[Any, Any], conversation: list[BaseMessage]) -> AIMessageChunk:
        """The whole of a reply that comes in pieces."""
        total_s = max(self._options.total_s, self._options.timeout_s)
        end = time.monotonic() + total_s
        pieces: list[AIMessageChunk] = []
        for piece in model.stream(conversation):
            pieces.append(piece)
            if time.monotonic() > end:
                raise TimeoutError(f"the reply had not ended after {total_s:g} s")
        # At once: one by one takes time with the square of their number.
        whole = pieces[0] + pieces[1:] if pieces else None
        if not isinstance(whole, AIMessageChunk) or not _says_anything(whole):
            raise NothingInStream("the server's answer holds no piece of a reply")
        if not tells_end(whole):
            raise CutStream("the reply broke off: the connection ended before it did")
        return whole

    def _say_again(self, failure: Failure, wait_s: float) -> None:
        if self._tell is not None:
            self._tell(scrub(f"{self._name}: {failure.what}; trying again in {wait_s:g} s", self._keys))


def _allow(_: Tries) -> None:
    """Nothing forbids another try."""


def _is_cut(error: Exception) -> bool:
    return isinstance(error, CutStream)


def _says_anything(message: AIMessageChunk) -> bool:
    """A chunk that LangChain makes up where the server sent none has neither content nor a reason for its end."""
    return bool(
        message.content
        or message.tool_call_chunks
        or message.additional_kwargs
        or message.usage_metadata
        or tells_end(message)
    )
