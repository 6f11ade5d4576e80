"""Counters that follow from others (`worked_out` in `metrics.toml`), whoever counted those."""

from collections.abc import Mapping

from warpwright.conditions.language import Amount, parse_amount
from warpwright.profiler.counters import Quality, metrics
from warpwright.profiler.profile import Counter, Source

_WEAKEST_FIRST = (Quality.ESTIMATED, Quality.SAMPLED, Quality.MEASURED, Quality.EXACT)


def completed(counters: Mapping[str, Counter]) -> dict[str, Counter]:
    """The counters and what follows from them; unknown where a part of it is. Raises: ExpressionError for a wrong amount."""
    found = dict(counters)
    for metric in metrics().values():
        if metric.name in found:
            continue
        amounts = (_counter(parse_amount(text), counters) for text in metric.worked_out)
        counter = next((known for known in amounts if known is not None), None)
        if counter is not None:
            found[metric.name] = counter
    return found


def _counter(amount: Amount, counters: Mapping[str, Counter]) -> Counter | None:
    """As good as the weakest of the counters that it is made of."""
    value = amount.value({name: counter.value for name, counter in counters.items()})
    if value is None:
        return None
    qualities = {counters[name].quality for name in amount.names if name in counters}
    return Counter(value, Source.MODEL, next(quality for quality in _WEAKEST_FIRST if quality in qualities))
