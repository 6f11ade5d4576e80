"""What a proposer said, heard and looked up, as files beside its attempt: `proposal/exchange-MM.json`, `tool-MM.json`."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict

from warpwright.proposer.conversation import (
    Exchange,
    Message,
    ModelFault,
    Purpose,
    Reply,
    ToolUse,
)
from warpwright.record.files import read_model, sync_directory, to_bytes, write_atomic

FOLDER = "proposal"
_EXCHANGE, _TOOL = "exchange", "tool"


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


class _ToolFile(_File):
    """`ToolUse`, field by field."""

    name: str
    arguments: dict[str, Any] | str
    answer: str
    seconds: float


def write_exchange(attempt: Path, position: int, exchange: Exchange) -> None:
    """Write one exchange of an attempt's directory, whole and on the disk when this returns. position: from 1."""
    exchange = replace(exchange, outcome=encodable(exchange.outcome), messages=encodable(exchange.messages))
    outcome = exchange.outcome
    file = _ExchangeFile(
        purpose=exchange.purpose,
        model=exchange.model,
        messages=exchange.messages,
        reply=outcome if isinstance(outcome, Reply) else None,
        fault=outcome if isinstance(outcome, ModelFault) else None,
        money_usd=exchange.money_usd,
        verdict=exchange.verdict,
    )
    _write(_path(attempt, _EXCHANGE, position), file)


def read_exchanges(attempt: Path) -> tuple[Exchange, ...]:
    """Exchanges of an attempt's directory, in order; none if there is no such directory. Raises: RecordError."""
    return tuple(_exchange(read_model(path, _ExchangeFile)) for path in _paths(attempt, _EXCHANGE))


def write_tool_use(attempt: Path, position: int, use: ToolUse) -> None:
    """Write one look-up of an attempt's directory. position: from 1."""
    use = encodable(use)
    arguments = dict(use.arguments) if isinstance(use.arguments, Mapping) else use.arguments
    file = _ToolFile(name=use.name, arguments=arguments, answer=use.answer, seconds=use.seconds)
    _write(_path(attempt, _TOOL, position), file)


def read_tool_uses(attempt: Path) -> tuple[ToolUse, ...]:
    """Look-ups of an attempt's directory, in order. Raises: RecordError."""
    return tuple(ToolUse(**read_model(path, _ToolFile).model_dump()) for path in _paths(attempt, _TOOL))


def encodable[T](value: T) -> T:
    """The same with `?` for what UTF-8 cannot hold: a server's JSON may spell half a surrogate pair."""
    return cast("T", _encodable(value))


def _encodable(value: Any) -> Any:
    if isinstance(value, StrEnum):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
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


def _write(path: Path, file: _File) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, to_bytes(file))
    sync_directory(path.parent)


def _exchange(file: _ExchangeFile) -> Exchange:
    outcome = file.reply if file.reply is not None else file.fault
    assert outcome is not None
    return Exchange(file.purpose, file.model, file.messages, outcome, file.money_usd, file.verdict)
