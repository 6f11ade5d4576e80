"""What the server answers to one request: a reply of a model, or one of the ways in which servers fail."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """The model asks for a tool. arguments: an object, or a text that is sent as it is (broken JSON)."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str = "call_1"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer.

    text: None = null content. stop: in OpenAI's words (stop, length, content_filter, tool_calls); other protocols translate;
    None = left out. tokens: (in, out, cached), None = no usage. refusal: OpenAI's field of that name. status: other than 200
    sends `error` in the protocol's form. raw: this body instead of any other, with `content_type`. delay_s: silence before the
    first byte. stall_after: pieces of a stream after which the server falls silent for `stall_s`, then hangs up. piece_pause_s:
    between pieces. hang_up: closes the connection without a byte. breaks_with: an error with that text ends a stream.
    ignores_stream: answers whole even if a stream was asked for.
    """

    text: str | None = ""
    calls: tuple[Call, ...] = ()
    stop: str | None = "stop"
    tokens: tuple[int, int, int] | None = (11, 7, 0)
    refusal: str | None = None
    status: int = 200
    error: str = "it failed"
    error_code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: str | None = None
    content_type: str = "application/json"
    delay_s: float = 0.0
    stall_after: int | None = None
    stall_s: float = 0.0
    piece_pause_s: float = 0.0
    hang_up: bool = False
    breaks_with: str | None = None
    ignores_stream: bool = False
