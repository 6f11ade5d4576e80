"""A look-up: what a model is told of it, its arguments checked, its answer cut to length. It answers; it never raises."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from warpwright.errors import WarpwrightError
from warpwright.proposer.conversation import ToolSpec
from warpwright.proposer.model.prompt.limits import limits
from warpwright.proposer.model.prompt.quoting import clipped, one_line, visible, without_paths

CITATIONS = "citations: "
"""How an answer begins that brings sources: their ids as a JSON list, in a line of our own, outside what is quoted."""
_FAULTS = (WarpwrightError, OSError, sqlite3.Error, ValueError, ArithmeticError, RecursionError)
"""What may go wrong inside a look-up; the model is told and goes on."""
_SHOWN_FAULTS = 3
_QUOTING = 1000
"""Characters of marks and headings around a quoted text that fills the rest of an answer."""


class Arguments(BaseModel):
    """What a tool is asked; what it does not know is a mistake."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NoArguments(Arguments):
    """Of a tool that needs none."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One look-up. answer: called with checked arguments, an instance of `arguments`."""

    name: str
    description: str
    arguments: type[Arguments]
    answer: Callable[[Any], str]

    @property
    def spec(self) -> ToolSpec:
        """As a model sees it."""
        return ToolSpec(self.name, self.description, _schema(self.arguments))

    def run(self, arguments: Mapping[str, Any] | str) -> str:
        """The answer, or what was wrong; at most `limits().answer` characters, without paths of this machine's own."""
        if isinstance(arguments, str):
            return self._wrong(f"the arguments are no JSON object: {one_line(arguments, limits().title)!r}")
        try:
            asked = self.arguments.model_validate(dict(arguments))
        except ValidationError as error:
            return self._wrong("; ".join(_faults(error)))
        except RecursionError:
            return self._wrong("the arguments are nested too deep")
        try:
            text = self.answer(asked)
        except _FAULTS as error:
            return self._wrong(without_paths(str(error)) or type(error).__name__)
        return clipped(visible(text), limits().answer)

    def _wrong(self, what: str) -> str:
        known = ", ".join(self.arguments.model_fields) or "none"
        return f"{self.name}: {one_line(what, 2 * limits().line)} Arguments: {known}."


def with_citations(ids: Iterable[str], text: str) -> str:
    """An answer that brings sources."""
    return f"{CITATIONS}{json.dumps(list(dict.fromkeys(ids)), ensure_ascii=False)}\n{text}"


def citations_in(answer: str) -> tuple[str, ...]:
    """Ids that an answer brought, from its text as it was recorded; () if it brought none."""
    first = answer.partition("\n")[0]
    if not first.startswith(CITATIONS):
        return ()
    try:
        return tuple(json.loads(first.removeprefix(CITATIONS)))
    except ValueError:
        return ()


def room() -> int:
    """Characters that a quoted text may have inside an answer."""
    return limits().answer - _QUOTING


def _schema(arguments: type[Arguments]) -> dict[str, Any]:
    """JSON schema of an object: types and descriptions, without the titles that pydantic makes of names."""
    whole = arguments.model_json_schema()
    fields = {
        name: {key: value for key, value in field.items() if key != "title"}
        for name, field in whole.get("properties", {}).items()
    }
    return {
        "type": "object",
        "properties": fields,
        "required": whole.get("required", []),
        "additionalProperties": False,
    }


def _faults(error: ValidationError) -> list[str]:
    return [
        f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_input=False)[:_SHOWN_FAULTS]
    ]
