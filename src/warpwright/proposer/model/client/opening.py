"""A chat model by the words of `--model`."""

from collections.abc import Callable
from pathlib import Path

from warpwright.errors import UsageError
from warpwright.proposer.conversation import ModelClient
from warpwright.proposer.model.client.address import checked_address
from warpwright.proposer.model.client.options import ModelOptions
from warpwright.proposer.model.client.providers import known_names, provider


def open_model(
    words: str, options: ModelOptions | None = None, tell: Callable[[str], None] | None = None
) -> ModelClient:
    """The client for `PROVIDER:NAME`, or `replay:SESSION` for the replies recorded in a session directory.

    Nothing is sent. tell: hears why a request is tried again. Raises: UsageError for words that name no provider and for an
    address that is none, ModelUnavailable with the remedy if its package or key is missing, RecordError if the session cannot
    be read.
    """
    settings = options or ModelOptions()
    if settings.base_url is not None:
        checked_address(settings.base_url)
    prefix, colon, name = words.partition(":")
    if not colon or not prefix or not name:
        raise UsageError(f"--model {words}: a model is named PROVIDER:NAME, such as openai:gpt-5. {_known()}")
    if prefix == "replay":
        from warpwright.proposer.model.client.replay import ReplayClient

        return ReplayClient.of_session(Path(name), settings.replayed)
    row = provider(prefix)
    if row is None:
        raise UsageError(f"--model {words}: there is no provider {prefix}. {_known()}")
    from warpwright.proposer.model.client.chat import ChatClient
    from warpwright.proposer.model.client.construction import make_chat_model

    return ChatClient(words, make_chat_model(row, name, settings), settings, tell=tell)


def _known() -> str:
    return (
        f"Known providers: {known_names()}; a server that speaks OpenAI's protocol (vLLM, llama.cpp, LM Studio) is openai:NAME "
        "with its address (--base-url); any other chat model of LangChain is MODULE.CLASS:NAME."
    )
