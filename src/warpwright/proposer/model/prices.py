"""What a model's tokens cost, from `prices.toml`; a model that is not in it has no price, never the price 0."""

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from warpwright.errors import UsageError
from warpwright.proposer.conversation import Usage

_FILE = Path(__file__).with_name("prices.toml")
_MILLION = 1e6


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens of the models whose `PROVIDER:NAME` fits `models`.

    usd_cached: of input that the provider had kept; None = as other input. from_tokens_in: holds for requests of at least so
    many input tokens. date, source: when and where it was read.
    """

    models: tuple[str, ...]
    usd_in: float
    usd_out: float
    usd_cached: float | None
    from_tokens_in: int
    date: str
    source: str


def read_prices(path: Path) -> tuple[Price, ...]:
    """The rows of a price file. Raises: UsageError naming file, row and key."""
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get("price", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: prices cannot be read: {error}") from error
    if not isinstance(rows, list):
        raise UsageError(f"{path}: price is no list. Write each row below a line [[price]].")
    return tuple(_row(path, position, row) for position, row in enumerate(rows, 1))


def price_of(model: str, tokens_in: int = 0, also: tuple[Price, ...] = ()) -> Price | None:
    """The price of `PROVIDER:NAME` for a request of that many input tokens, or None.

    also: rows of the user's, which come before ours. Of rows that fit, the first of the highest `from_tokens_in` holds.
    """
    for rows in (also, _own()):
        fitting = [
            row
            for row in rows
            if tokens_in >= row.from_tokens_in and any(fnmatchcase(model, each) for each in row.models)
        ]
        if fitting:
            return max(fitting, key=lambda row: row.from_tokens_in)
    return None


def price_usd(model: str, usage: Usage, also: tuple[Price, ...] = ()) -> float | None:
    """What one request cost, in USD; None if the price or the tokens are unknown.

    Input of which it is unknown whether the provider had kept it counts as new: the most that it can have cost.
    """
    if usage.tokens_in is None or usage.tokens_out is None:
        return None
    price = price_of(model, usage.tokens_in, also)
    if price is None:
        return None
    cached = min(usage.tokens_cached or 0, usage.tokens_in)
    usd_cached = price.usd_in if price.usd_cached is None else price.usd_cached
    new = usage.tokens_in - cached
    return (new * price.usd_in + cached * usd_cached + usage.tokens_out * price.usd_out) / _MILLION


@cache
def _own() -> tuple[Price, ...]:
    return read_prices(_FILE)


def _row(path: Path, position: int, row: Any) -> Price:
    where = f"{path}: price {position}"
    allowed = {"models", "in", "out", "cached", "from_tokens_in", "date", "source"}
    if not isinstance(row, dict) or set(row) - allowed or not {"models", "in", "out"} <= set(row):
        raise UsageError(f"{where}: needs models, in and out, and may have cached, from_tokens_in, date and source.")
    models = row["models"]
    if not isinstance(models, list) or not models or not all(isinstance(each, str) for each in models):
        raise UsageError(
            f'{where}: models is {models!r}; allowed is a list of names such as ["openai:gpt-5", "openai:gpt-5-2*"].'
        )
    for key in ("in", "out", "cached", "from_tokens_in"):
        value = row.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise UsageError(f"{where}: {key} is {value!r}; allowed is a number, 0 or more.")
    return Price(
        models=tuple(models),
        usd_in=float(row["in"]),
        usd_out=float(row["out"]),
        usd_cached=float(row["cached"]) if "cached" in row else None,
        from_tokens_in=int(row.get("from_tokens_in", 0)),
        date=str(row.get("date", "")),
        source=str(row.get("source", "")),
    )
