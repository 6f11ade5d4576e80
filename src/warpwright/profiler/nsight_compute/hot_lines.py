"""The few source lines that hold most of a counter."""

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from warpwright.profiler.nsight_compute.report import LineValue
from warpwright.profiler.profile import HotLine

MOST_LINES = 3
"""Of one counter."""
LEAST_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class LineMetric:
    """metrics: of instructions, the first present wins. columns: of the printed source page."""

    metrics: tuple[str, ...]
    columns: tuple[str, ...]


@cache
def line_metrics() -> Mapping[str, LineMetric]:
    """By normalised counter (`hot_lines.toml`)."""
    text = (files("warpwright.profiler.nsight_compute") / "hot_lines.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)
    return MappingProxyType({n: LineMetric(tuple(r["metrics"]), tuple(r["columns"])) for n, r in rows.items()})


def hot_lines(values: Iterable[LineValue]) -> tuple[HotLine, ...]:
    """Of each counter the lines with the largest share of what was counted in this launch, largest first."""
    by_metric: dict[str, list[LineValue]] = defaultdict(list)
    for value in values:
        by_metric[value.metric].append(value)
    found: list[HotLine] = []
    for counter, wanted in line_metrics().items():
        metric = next((m for m in (*wanted.metrics, *wanted.columns) if m in by_metric), None)
        if metric is not None:
            found += _hottest(counter, by_metric[metric])
    return tuple(found)


def _hottest(counter: str, values: list[LineValue]) -> list[HotLine]:
    total = sum(value.value for value in values)
    if total <= 0:
        return []
    lines: dict[int, list[LineValue]] = defaultdict(list)
    for value in values:
        lines[value.line].append(value)
    sums = {line: sum(value.value for value in of_line) for line, of_line in lines.items()}
    ranked = sorted(sums, key=lambda line: (-sums[line], line))[:MOST_LINES]
    return [
        HotLine(line, counter, sums[line], sums[line] / total, max(lines[line], key=lambda v: v.value).opcode)
        for line in ranked
        if line > 0 and sums[line] >= LEAST_SHARE * total
    ]
