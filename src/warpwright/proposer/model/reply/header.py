"""The JSON header of a reply: why, what it should do to the counters, and the launch plan."""

import difflib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StrictBool, StrictFloat, StrictInt, StrictStr

from warpwright.candidate.schema import (
    CaseTable,
    Dimensions,
    ExpressionText,
    Identifier,
    LaunchTable,
    ScratchTable,
    Table,
)
from warpwright.candidate.validation import validate
from warpwright.errors import CandidateError
from warpwright.knowledge.field_guide.reader import cards
from warpwright.profiler.counters import metrics
from warpwright.proposer.model.reply.bad_reply import BadKind, BadReply

MAX_CHANGE = 1e6
"""Largest ratio of a counter or a time that is taken for meant."""
_NEAR_NAMES = 3


def _one_line(text: str) -> str:
    """Printable text: what a terminal would obey is left out."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable())


def _words(text: str) -> str:
    plain = _one_line(text)
    if not plain:
        raise ValueError("found nothing to read; allowed: words")
    return plain


def _card(identity: str | None) -> str | None:
    if identity is not None and identity not in cards():
        raise ValueError(
            f"found {identity!r}; allowed: null, or the id of a card of the field guide{_near(identity, cards())}"
        )
    return identity


def _expects(changes: dict[str, float]) -> dict[str, float]:
    for name, ratio in changes.items():
        if name not in metrics():
            raise ValueError(f"{name!r} is no counter{_near(name, metrics())}")
        if not (math.isfinite(ratio) and 0 <= ratio <= MAX_CHANGE):
            raise ValueError(
                f"{name}: found {ratio}; allowed: the new value over the old one, from 0 to {MAX_CHANGE:g}"
            )
    return changes


def _gain(ratio: float | None) -> float | None:
    if ratio is not None and not (math.isfinite(ratio) and 0 < ratio <= MAX_CHANGE):
        raise ValueError(f"found {ratio}; allowed: old time over new time, above 0 to {MAX_CHANGE:g}")
    return ratio


def _near(name: str, known: Mapping[str, object]) -> str:
    close = difflib.get_close_matches(name, list(known), _NEAR_NAMES)
    return f". Near names: {', '.join(close)}" if close else ""


Text = Annotated[StrictStr, Field(max_length=4000), AfterValidator(_words)]
ShortText = Annotated[StrictStr, Field(max_length=80), AfterValidator(_words)]
Tunables = dict[Identifier, Annotated[list[StrictInt], Field(min_length=1, max_length=64)]]


class ReplyKernel(Table):
    """The `[kernel]` table without files: the source is the block, and what is not given stays as in the parent."""

    entry: StrictStr | None = None
    grid: Dimensions | None = None
    block: Dimensions | None = None
    shared: ExpressionText | None = None
    cluster: Dimensions | None = None
    cooperative: StrictBool | None = None
    args: list[StrictStr] | None = None
    tunables: Annotated[Tunables, Field(max_length=16)] | None = None
    point: dict[Identifier, StrictInt] | None = None
    options: list[StrictStr] | None = None
    launches: Annotated[list[LaunchTable], Field(min_length=1, max_length=16)] | None = None
    scratch: Annotated[list[ScratchTable], Field(max_length=16)] | None = None
    case: dict[str, CaseTable] | None = None

    @property
    def entries(self) -> tuple[str, ...]:
        """Kernels that it launches, each once; empty if it names none."""
        named = [launch.entry for launch in self.launches or ()] or ([self.entry] if self.entry is not None else [])
        return tuple(dict.fromkeys(named))


def _table(value: object) -> object:
    return {} if value is None else value


class Header(Table):
    """expects: normalised counter -> new value over old. predicted_gain: old time over new time."""

    hypothesis: Text
    technique: ShortText
    card: Annotated[StrictStr | None, AfterValidator(_card)] = None
    expects: Annotated[dict[str, StrictFloat], BeforeValidator(_table), AfterValidator(_expects)] = Field(
        default_factory=dict
    )
    predicted_gain: Annotated[StrictFloat | None, AfterValidator(_gain)] = None
    citations: Annotated[list[Annotated[StrictStr, Field(max_length=200)]], Field(max_length=20)] = Field(
        default_factory=list
    )
    kernel: Annotated[ReplyKernel, BeforeValidator(_table)] = ReplyKernel()


def read_header(text: str) -> Header | BadReply:
    """The header written in a JSON text, or exactly what is wrong with it."""
    try:
        tables = json.loads(text, strict=False, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        return _bad(f"not valid JSON: {error.msg}, line {error.lineno} column {error.colno}: {_at(error)}")
    except RecursionError:
        return _bad("not usable JSON: it is nested too deep")
    except ValueError as error:  # a key that stands twice, a number of thousands of digits
        return _bad(f"not usable JSON: {error}")
    if not isinstance(tables, dict):
        return _bad(f"found a JSON {type(tables).__name__}; allowed: one object")
    try:
        return validate(Header, tables, Path("header"), CandidateError)
    except CandidateError as error:
        return _bad(str(error))


def _bad(detail: str) -> BadReply:
    return BadReply(BadKind.HEADER, "\n".join(line.removeprefix("header: ") for line in detail.split("\n")))


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"key {next(n for n in names if names.count(n) > 1)!r} stands twice in one object")
    return table


def _at(error: json.JSONDecodeError) -> str:
    line = error.doc.split("\n")[error.lineno - 1]
    return repr(line[max(0, error.colno - 30) : error.colno + 30])
