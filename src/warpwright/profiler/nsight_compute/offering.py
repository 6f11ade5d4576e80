"""Which sections and metrics a version of Nsight Compute offers on a chip; asked once, without a GPU."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from warpwright.isolation.environment import worker_environment
from warpwright.profiler.nsight_compute.locate import Ncu
from warpwright.profiler.nsight_compute.tiers import Tier
from warpwright.profiler.tool_process import ToolCommand, run_tool

_LIMIT_S = 60.0
_METRIC = re.compile(r"^([a-z][a-z0-9]*__[A-Za-z0-9_]+)\b", re.MULTILINE)
_IDENTIFIER = re.compile(r"^([A-Z][A-Za-z0-9_]+)\s", re.MULTILINE)
_MOST_BYTES = 32 * 2**20
_FEWEST = 10
"""An answer with fewer names is not what was asked for."""
_COUNTED_ELSEWHERE = ("launch__", "device__", "derived__", "sass__", "profiler__")
"""Prefixes of metrics that `--query-metrics` does not list."""


@dataclass(frozen=True, slots=True)
class Offered:
    """What is left of a tier. dropped: metrics and sections that this version does not have for this chip."""

    tier: Tier
    dropped: frozenset[str]


def offered(wanted: Tier, ncu: Ncu, chip: str | None) -> Offered:
    """The tier without what would be refused; everything is kept where the tool does not say."""
    sections = _names(ncu.path, ("--list-sections",), _IDENTIFIER)
    known = _names(ncu.path, ("--query-metrics", "--chips", chip), _METRIC) if chip is not None else frozenset()
    lost = {s for s in wanted.sections if sections and s not in sections}
    lost |= {m for m in wanted.metrics if known and not _is_known(m, known)}
    kept = Tier(
        tuple(section for section in wanted.sections if section not in lost),
        tuple(metric for metric in wanted.metrics if metric not in lost),
    )
    return Offered(kept, frozenset(lost))


def _is_known(metric: str, known: frozenset[str]) -> bool:
    return metric.partition(".")[0] in known or metric.startswith(_COUNTED_ELSEWHERE)


@cache
def _names(program: Path, question: tuple[str, ...], pattern: re.Pattern[str]) -> frozenset[str]:
    """Names in the answer; empty if there is none, or only a part of it: what is cut off would look like what is gone."""
    environment = {**worker_environment(), "LC_ALL": "C", "NV_COMPUTE_PROFILER_DISABLE_STOCK_FILE_DEPLOYMENT": "1"}
    arguments = (str(program), "--config-file", "off", *question)
    try:
        done = run_tool(ToolCommand(arguments, environment, program.parent, _LIMIT_S, most_bytes=_MOST_BYTES))
    except OSError:
        return frozenset()
    whole = done.exit_code == 0 and not done.truncated
    names = frozenset(pattern.findall(done.output)) if whole else frozenset()
    return names if len(names) >= _FEWEST else frozenset()
