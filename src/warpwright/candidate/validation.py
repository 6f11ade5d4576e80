"""Turns what pydantic says about a TOML file into one line of a person's words: file, key, found, allowed."""

import difflib
import tomllib
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from warpwright.errors import InputError

Location = tuple[int | str, ...]
_TYPE_WORDS = {
    dict: "a table",
    list: "a list",
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
}


def read_text(path: Path, error: type[InputError]) -> str:
    """The UTF-8 text of a file with line ends as `\\n`. Raises: `error` if it is missing, unreadable or not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise error(f"{path}: no such file") from None
    except UnicodeDecodeError as cause:
        raise error(f"{path}: byte {cause.start} is not UTF-8 text; save the file as UTF-8") from None
    except OSError as cause:
        raise error(f"{path}: cannot be read: {cause.strerror}") from None


def read_toml(path: Path, error: type[InputError]) -> dict[str, Any]:
    """The tables of a TOML file. Raises: `error` with line and column of a syntax mistake."""
    try:
        return tomllib.loads(read_text(path, error))
    except tomllib.TOMLDecodeError as cause:
        raise error(f"{path}: not valid TOML: {cause}") from None


def validate[M: BaseModel](model: type[M], tables: dict[str, Any], path: Path, error: type[InputError]) -> M:
    """The tables as a model. Raises: `error` that lists every mistake, one a line."""
    try:
        return model.model_validate(tables)
    except ValidationError as cause:
        raise error("\n".join(f"{path}: {mistake}" for mistake in _mistakes(model, tables, cause))) from None


def key_of(location: Location) -> str:
    """`cases[2].dims.rows` for ("cases", 2, "dims", "rows")."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def found(value: object) -> str:
    """A value as a message shows it: `'abc' (a string)`."""
    if isinstance(value, dict | list):
        return _TYPE_WORDS[type(value)]
    word = _TYPE_WORDS.get(type(value), type(value).__name__)
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({word})"


def did_you_mean(name: str, allowed: list[str]) -> str:
    """` Did you mean 'rows'?`, or nothing when no name is close."""
    close = difflib.get_close_matches(name, allowed, 1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _mistakes(model: type[BaseModel], tables: dict[str, Any], cause: ValidationError) -> list[str]:
    """One line for each place; where several types are allowed, pydantic tells each of them by itself."""
    allowed: dict[str, list[str]] = {}
    for item in cause.errors():
        what, alternative = _explain(model, tables, item)
        allowed.setdefault(what, [])
        if alternative and alternative not in allowed[what]:
            allowed[what].append(alternative)
    return [what + " or ".join(alternatives) for what, alternatives in allowed.items()]


def _explain(model: type[BaseModel], tables: dict[str, Any], item: Any) -> tuple[str, str]:
    """What is wrong, and what would be allowed instead where that is not said already."""
    location = tuple(item["loc"])
    kind, limits = item["type"], item.get("ctx", {})
    if kind == "extra_forbidden":
        allowed = sorted(_keys(model, location[:-1]))
        place = f" in [{key_of(location[:-1])}]" if len(location) > 1 else ""
        name = str(location[-1])
        return f"unknown key {name!r}{place}; allowed: {', '.join(allowed)}.{did_you_mean(name, allowed)}", ""
    if kind == "missing":
        return f"{key_of(location)} is missing", ""
    location = _present(tables, location)
    key = key_of(location)
    if kind == "value_error":
        return (f"{key}: {limits['error']}" if key else str(limits["error"])), ""
    return f"{key}: found {found(_at(tables, location))}; allowed: ", _allowed(kind, limits, item["msg"])


def _allowed(kind: str, limits: dict[str, Any], message: str) -> str:
    words = {
        "int_type": "an integer", "string_type": "a string", "bool_type": "true or false", "list_type": "a list",
        "dict_type": "a table", "model_type": "a table", "float_type": "a number", "tuple_type": "a list",
    }  # fmt: skip
    if kind in ("enum", "literal_error"):
        return str(limits["expected"])
    if kind in ("too_short", "too_long"):
        bound = "at least" if kind == "too_short" else "at most"
        count = limits.get("min_length", limits.get("max_length"))
        return f"{bound} {count} value{'s' * (count != 1)}"
    return words.get(kind, message[0].lower() + message[1:])


def _present(tables: Any, location: Location) -> Location:
    """The location without the parts that pydantic adds for unions (`int`, `str`, `function-...`)."""
    kept: list[int | str] = []
    for part in location:
        try:
            tables = tables[part]
        except (KeyError, IndexError, TypeError):
            break
        kept.append(part)
    return tuple(kept)


def _at(tables: Any, location: Location) -> object:
    value = tables
    for part in location:
        value = value[part]
    return value


def _keys(model: type[BaseModel], location: Location) -> list[str]:
    annotation: Any = model
    for part in location:
        inner = _model_in(annotation)
        if inner is not None and isinstance(part, str):
            field = inner.model_fields.get(part)
            annotation = None if field is None else field.annotation
        else:
            arguments = get_args(annotation)
            annotation = arguments[-1] if arguments else None
    inner = _model_in(annotation)
    return [] if inner is None else list(inner.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (Union, UnionType):
        return next((inner for inner in map(_model_in, get_args(annotation)) if inner is not None), None)
    return None
