"""The few source lines that hold most of a counter."""

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from warpwright.profiler.nsight_compute.reading.report import LineValue
from warpwright.profiler.profile import HotLine

MOST_LINES = 3
"""Of one counter."""
LEAST_SHARE = 0.1
WARP_LANES = 32


@dataclass(frozen=True, slots=True)
class LineMetric:
    """metrics: of instructions, the first present wins. columns: of the printed source page. opcodes: empty = all count.

    lanes: metrics of threads; what counts is then the lanes of `metrics` that did nothing.
    """

    metrics: tuple[str, ...]
    columns: tuple[str, ...]
    opcodes: tuple[str, ...]
    lanes: tuple[str, ...]

    def counts(self, opcode: str | None) -> bool:
        """Whether an instruction belongs to the counter; one that is not known belongs to none that tells them apart."""
        return not self.opcodes or (opcode is not None and opcode.partition(".")[0] in self.opcodes)


@cache
def line_metrics() -> Mapping[str, LineMetric]:
    """By normalised counter (`hot_lines.toml`)."""
    text = (files("warpwright.profiler.nsight_compute.reading") / "hot_lines.toml").read_text(encoding="utf-8")
    keys = ("metrics", "columns", "opcodes", "lanes")
    rows = tomllib.loads(text)
    return MappingProxyType(
        {name: LineMetric(*(tuple(row.get(key, ())) for key in keys)) for name, row in rows.items()}
    )


def hot_lines(values: Iterable[LineValue]) -> tuple[HotLine, ...]:
    """Of each counter the lines with the largest share of what was counted in this launch, largest first."""
    by_metric: dict[str, list[LineValue]] = defaultdict(list)
    for value in values:
        by_metric[value.metric].append(value)
    found: list[HotLine] = []
    for counter, wanted in line_metrics().items():
        counted = _present(by_metric, (*wanted.metrics, *wanted.columns))
        if wanted.lanes:
            active = _present(by_metric, wanted.lanes)
            counted = _idle_lanes(counted, active) if active else []
        found += _hottest(counter, [value for value in counted if wanted.counts(value.opcode)])
    return tuple(found)


def _present(by_metric: Mapping[str, list[LineValue]], names: Iterable[str]) -> list[LineValue]:
    return next((by_metric[name] for name in names if name in by_metric), [])


def _idle_lanes(instructions: list[LineValue], threads: list[LineValue]) -> list[LineValue]:
    """Both are of the same instructions, so their difference is right for each line."""
    return [
        *(replace(value, value=WARP_LANES * value.value) for value in instructions),
        *(replace(value, value=-value.value) for value in threads),
    ]


def _hottest(counter: str, values: list[LineValue]) -> list[HotLine]:
    lines: dict[int, list[LineValue]] = defaultdict(list)
    for value in values:
        lines[value.line].append(value)
    sums = {line: sum(value.value for value in of_line) for line, of_line in lines.items()}
    total = sum(sums.values())
    if total <= 0:
        return []
    ranked = sorted((line for line in sums if line > 0), key=lambda line: (-sums[line], line))[:MOST_LINES]
    return [
        HotLine(line, counter, sums[line], sums[line] / total, max(lines[line], key=lambda v: v.value).opcode)
        for line in ranked
        if sums[line] >= LEAST_SHARE * total
    ]
