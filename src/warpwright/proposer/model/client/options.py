"""How a model is asked."""

from dataclasses import dataclass

from pydantic import SecretStr


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Settings of a chat model, the same for every provider.

    base_url: of a server that speaks the provider's protocol (`http://localhost:8000/v1`); None = the provider's own.
    timeout_s: longest silence of the server. total_s: longest time from a request to the end of its reply.
    retries: requests after the first that failed in a way that may pass. max_output_tokens, temperature: None = the provider's.
    api_key: sent to `base_url`, which never gets the key of the provider itself; None = that server wants none.
    api_key_variable: where `api_key` was read from, for messages. stream: receive replies piece by piece, so that `timeout_s`
    can be short for long replies. tools: False = the model is never offered look-ups. context_tokens: what a local server
    that must be told (Ollama) reserves for prompt and reply. replayed: recorded replies that `replay:` leaves out, being those
    that a session which goes on has had.
    """

    base_url: str | None = None
    timeout_s: float = 120.0
    total_s: float = 1200.0
    retries: int = 2
    max_output_tokens: int | None = None
    temperature: float | None = None
    api_key: SecretStr | None = None
    api_key_variable: str | None = None
    stream: bool = True
    tools: bool = True
    context_tokens: int = 32768
    replayed: int = 0
