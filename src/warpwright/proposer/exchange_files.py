"""What a proposer said, heard and looked up, as files beside its attempt: `proposal/exchange-MM.json`, `tool-MM.json`; and what
it is asking just now, `proposal/asking.json`.

Whatever a model said can be written, and whatever was written can be read: arguments that JSON's readers would refuse (nested
too deep, numbers too long) are kept as a text.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict

from warpwright.errors import RecordError
from warpwright.proposer.conversation import (
    Estimate,
    Exchange,
    Message,
    ModelFault,
    Purpose,
    Reply,
    ToolCall,
    ToolUse,
    Tries,
)
from warpwright.record.files import parse_model, read_model, sync_directory, to_bytes, write_atomic

FOLDER = "proposal"
DEEPEST_ARGUMENTS = 32
"""No look-up takes any that are nested; what is deeper serves only to exhaust a reader."""
MOST_CALLS = 64
"""Of one reply, far beyond the look-ups of a turn; each that is kept is answered and goes back in every later request."""
LONGEST_ID = 256
NOT_KEPT = "(arguments that no JSON can hold)"
_EXCHANGE, _TOOL, _ASKING = "exchange", "tool", "asking.json"


@dataclass(frozen=True, slots=True)
class Asking:
    """A request that is about to be sent. exchange: its number within the attempt, from 1. tries: those of the same exchange
    before it. estimate: of each of them. cut_off: requests of this attempt that the ledger had as cut off by a kill by then.
    """

    exchange: int
    model: str
    tries: Tries
    estimate: Estimate
    cut_off: int


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _ExchangeFile(_File):
    """`Exchange`, field by field; exactly one of reply and fault is there."""

    purpose: Purpose
    model: str
    messages: tuple[Message, ...]
    reply: Reply | None
    fault: ModelFault | None
    money_usd: float | None
    verdict: str
    estimate: Estimate | None = None


class _ToolFile(_File):
    """`ToolUse`, field by field."""

    name: str
    arguments: dict[str, Any] | str
    answer: str
    seconds: float


class _AskingFile(_File):
    """`Asking`, field by field."""

    exchange: int
    model: str
    tries: Tries
    estimate: Estimate
    cut_off: int


def write_exchange(attempt: Path, position: int, exchange: Exchange) -> None:
    """Write one exchange of an attempt's directory, whole and on the disk when this returns. position: from 1."""
    path = _path(attempt, _EXCHANGE, position)
    file = _exchange_file(exchange)
    content = _readable(file, path)
    if content is None:
        content = to_bytes(_exchange_file(_with_arguments_as_text(exchange)))
    _write(path, content)


def read_exchanges(attempt: Path) -> tuple[Exchange, ...]:
    """Exchanges of an attempt's directory, in order; none if there is no such directory. Raises: RecordError."""
    return tuple(_exchange(read_model(path, _ExchangeFile)) for path in _paths(attempt, _EXCHANGE))


def write_tool_use(attempt: Path, position: int, use: ToolUse) -> None:
    """Write one look-up of an attempt's directory. position: from 1."""
    path = _path(attempt, _TOOL, position)
    file = _tool_file(use)
    content = _readable(file, path)
    if content is None:
        content = to_bytes(_tool_file(replace(use, arguments=as_text(use.arguments))))
    _write(path, content)


def read_tool_uses(attempt: Path) -> tuple[ToolUse, ...]:
    """Look-ups of an attempt's directory, in order. Raises: RecordError."""
    return tuple(ToolUse(**read_model(path, _ToolFile).model_dump()) for path in _paths(attempt, _TOOL))


def write_asking(attempt: Path, asking: Asking) -> None:
    """Replace what the attempt's directory says of the request in hand; on the disk when this returns."""
    file = _AskingFile(**{each.name: getattr(asking, each.name) for each in fields(asking)})
    _write(attempt / FOLDER / _ASKING, to_bytes(file))


def clear_asking(attempt: Path) -> None:
    """Nothing is being asked any more."""
    (attempt / FOLDER / _ASKING).unlink(missing_ok=True)


def read_asking(attempt: Path) -> Asking | None:
    """What was about to be sent last in that attempt; None if nothing was. Raises: RecordError if the file is damaged."""
    path = attempt / FOLDER / _ASKING
    if not path.exists():
        return None
    try:
        file = read_model(path, _AskingFile)
    except RecordError as error:
        raise RecordError(f"{error} Or delete it: the request that was cut off then counts against no cap.") from error
    return Asking(file.exchange, file.model, file.tries, file.estimate, file.cut_off)


def keepable(arguments: Mapping[str, Any] | str) -> Mapping[str, Any] | str:
    """Arguments as they can be kept: a text where they are nested deeper than `DEEPEST_ARGUMENTS`."""
    return as_text(arguments) if _deeper(arguments, DEEPEST_ARGUMENTS) else arguments


def with_kept_calls(reply: Reply) -> Reply:
    """A reply with its first `MOST_CALLS` calls, which says how many more it had, and with ids of usual length."""
    kept = tuple(replace(call, id=kept_id(call.id)) for call in reply.calls[:MOST_CALLS])
    return replace(reply, calls=kept, calls_left_out=reply.calls_left_out + len(reply.calls) - len(kept))


def kept_id(identity: str) -> str:
    """An id of a call; one longer than `LONGEST_ID` becomes a short one, always the same."""
    if len(identity) <= LONGEST_ID:
        return identity
    return f"call-{hashlib.sha256(identity.encode('utf-8', 'replace')).hexdigest()[:32]}"


def as_text(value: Any) -> str:
    """A value of JSON as its text; a text as it is."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        return NOT_KEPT


def encodable[T](value: T) -> T:
    """The same with `?` for what UTF-8 cannot hold: a server's JSON may spell half a surrogate pair."""
    return cast("T", _encodable(value))


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value if isinstance(value, StrEnum) else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, ToolCall):
        return ToolCall(_encodable(value.id), _encodable(value.name), _encodable(keepable(value.arguments)))
    if isinstance(value, Mapping):
        return {_encodable(name): _encodable(item) for name, item in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(_encodable(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _encodable(getattr(value, field.name)) for field in fields(value)})
    return value


def _path(attempt: Path, kind: str, position: int) -> Path:
    return attempt / FOLDER / f"{kind}-{position:02d}.json"


def _paths(attempt: Path, kind: str) -> list[Path]:
    """Files of one kind by number; `exchange-100` comes after `exchange-99`."""
    return sorted((attempt / FOLDER).glob(f"{kind}-*.json"), key=lambda path: int(path.stem.rpartition("-")[2]))


def _exchange_file(exchange: Exchange) -> _ExchangeFile:
    exchange = replace(exchange, outcome=encodable(exchange.outcome), messages=encodable(exchange.messages))
    outcome = exchange.outcome
    return _ExchangeFile(
        purpose=exchange.purpose,
        model=exchange.model,
        messages=exchange.messages,
        reply=outcome if isinstance(outcome, Reply) else None,
        fault=outcome if isinstance(outcome, ModelFault) else None,
        money_usd=exchange.money_usd,
        verdict=exchange.verdict,
        estimate=exchange.estimate,
    )


def _tool_file(use: ToolUse) -> _ToolFile:
    use = encodable(replace(use, arguments=keepable(use.arguments)))
    arguments = dict(use.arguments) if isinstance(use.arguments, Mapping) else use.arguments
    return _ToolFile(name=use.name, arguments=arguments, answer=use.answer, seconds=use.seconds)


def _readable(file: _File, path: Path) -> bytes | None:
    """The content of a file that its reader takes; None if it cannot be written, or not be read again."""
    try:
        content = to_bytes(file)
    except ValueError:  # what Pydantic raises for a value that it cannot write
        return None
    try:
        parse_model(content, type(file), str(path))
    except RecordError:
        return None
    return content


def _with_arguments_as_text(exchange: Exchange) -> Exchange:
    outcome = exchange.outcome
    messages = tuple(replace(message, calls=_calls_as_text(message.calls)) for message in exchange.messages)
    if isinstance(outcome, Reply):
        outcome = replace(outcome, calls=_calls_as_text(outcome.calls))
    return replace(exchange, messages=messages, outcome=outcome)


def _calls_as_text(calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    return tuple(replace(call, arguments=as_text(call.arguments)) for call in calls)


def _deeper(value: Any, levels: int) -> bool:
    """Whether containers are nested in more levels than that; looks no deeper."""
    if isinstance(value, Mapping):
        return levels == 0 or any(_deeper(item, levels - 1) for item in value.values())
    return isinstance(value, (list, tuple)) and (levels == 0 or any(_deeper(item, levels - 1) for item in value))


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, content)
    sync_directory(path.parent)


def _exchange(file: _ExchangeFile) -> Exchange:
    outcome = file.reply if file.reply is not None else file.fault
    assert outcome is not None
    return Exchange(file.purpose, file.model, file.messages, outcome, file.money_usd, file.verdict, file.estimate)
