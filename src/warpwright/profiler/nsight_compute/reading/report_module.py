"""Reads a report with NVIDIA's module `ncu_report`: the wheel of that name, or the one that Nsight Compute brings along."""

import importlib
import math
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from warpwright.profiler.nsight_compute.reading.hot_lines import line_metrics
from warpwright.profiler.nsight_compute.reading.report import (
    LineValue,
    Report,
    ReportLaunch,
    UnreadableReport,
    without_markers,
)
from warpwright.profiler.profile import RawMetric, RuleResult

_MODULE = "ncu_report"
_OPTIMIZATION, _WARNING, _ERROR = 2, 3, 4
_KINDS = {_OPTIMIZATION: "optimization", _WARNING: "warning", _ERROR: "error"}
_SCOPES = {1: "local", 2: "global"}


class Metric(Protocol):
    """`IMetric` as far as it is used."""

    def value(self) -> Any: ...  # noqa: D102
    def unit(self) -> str: ...  # noqa: D102
    def num_instances(self) -> int: ...  # noqa: D102
    def has_correlation_ids(self) -> bool: ...  # noqa: D102
    def correlation_ids(self) -> "Metric": ...  # noqa: D102
    def as_uint64(self, index: int) -> int: ...  # noqa: D102
    def as_double(self, index: int) -> float: ...  # noqa: D102


class SourceInfo(Protocol):
    """`ISourceInfo`."""

    def file_name(self) -> str: ...  # noqa: D102
    def line(self) -> int: ...  # noqa: D102


class Action(Protocol):
    """`IAction`: one launch."""

    def name(self, base: int = ...) -> str: ...  # noqa: D102
    def metric_names(self) -> Iterable[str]: ...  # noqa: D102
    def metric_by_name(self, name: str) -> Metric | None: ...  # noqa: D102
    def sass_by_pc(self, address: int) -> str: ...  # noqa: D102
    def source_info(self, address: int) -> SourceInfo | None: ...  # noqa: D102


class ReportModule(Protocol):
    """`ncu_report` as far as it is used."""

    def load_report(self, path: str) -> Any: ...  # noqa: D102


def find_module(installed: Path | None = None) -> ReportModule | None:
    """The module; None if it is not here or does not load. installed: the program ncu, beside which it may lie."""
    module = _imported(_MODULE)
    if module is not None or installed is None:
        return module
    for folder in (installed.resolve().parent, *installed.resolve().parents[1:3]):
        inside = folder / "extras" / "python"
        if (inside / f"{_MODULE}.py").is_file():
            sys.path.append(str(inside))
            try:
                return _imported(_MODULE)
            finally:
                sys.path.remove(str(inside))
    return None


def _imported(name: str) -> ReportModule | None:
    """The module of an installation is built for certain versions of Python: with others it raises ImportError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # SWIG's types
            module: Any = importlib.import_module(name)
    except (ImportError, OSError, SyntaxError):
        return None
    return module if hasattr(module, "load_report") else None


def read_with_module(module: ReportModule, path: Path, source_name: str) -> Report:
    """Every launch of a report. source_name: of the candidate, whose lines are wanted.

    Raises: UnreadableReport; FileNotFoundError.
    """
    try:
        context = module.load_report(str(path))
        if not context:
            raise UnreadableReport(f"{path.name} is no report of Nsight Compute, or it is cut short")
        ranges = [context.range_by_idx(index) for index in range(context.num_ranges())]
        actions = [each.action_by_idx(index) for each in ranges for index in range(each.num_actions())]
        launches = tuple(_launch(action, source_name) for action in actions)
    except (RuntimeError, ValueError, TypeError) as error:  # TypeError: of SWIG, for a name of damaged bytes
        raise UnreadableReport(f"{path.name} cannot be read: {error}") from error
    if not any(launch.raw for launch in launches):
        raise UnreadableReport(f"{path.name} holds no launch with metrics: it is empty, or it is cut short")
    empty = sum(not launch.raw for launch in launches)
    lost = f"the report holds no metrics of {empty} of {len(launches)} launches: it is cut short or damaged"
    return Report(launches, (lost,) if empty else ())


def _launch(action: Any, source_name: str) -> ReportLaunch:
    raw: dict[str, RawMetric] = {}
    for name in action.metric_names():
        metric = action.metric_by_name(name)
        value = None if metric is None else _value(metric)
        if metric is not None and value is not None:
            raw[name] = RawMetric(value, str(metric.unit() or ""))
    return ReportLaunch(_name(action), raw, _rules(action), tuple(_lines(action, source_name)))


def _name(action: Any) -> str:
    mangled = getattr(action, "NameBase_MANGLED", None)
    return str(action.name() if mangled is None else action.name(mangled))


def _value(metric: Metric) -> float | str | None:
    """None for what is unknown: NaN, infinity, nothing."""
    value = metric.value()
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value) if math.isfinite(value) else None
    return str(value)


def _rules(action: Any) -> tuple[RuleResult, ...]:
    if not hasattr(action, "rule_results_as_dicts"):
        return ()
    return tuple(_rule(row) for row in action.rule_results_as_dicts() if row.get("rule_message"))


def _rule(row: Mapping[str, Any]) -> RuleResult:
    message = row["rule_message"]
    estimate = row.get("speedup_estimation") or {}
    scope = _SCOPES.get(int(estimate.get("type", 0)))
    percent = estimate.get("speedup")
    return RuleResult(
        rule=str(row.get("rule_identifier", "")),
        title=without_markers(str(message.get("title", ""))),
        message=without_markers(str(message.get("message", ""))),
        kind=_KINDS.get(int(message.get("type", 0)), "info"),
        scope=scope,
        speedup_percent=float(percent) if scope is not None and percent is not None else None,
    )


def _lines(action: Any, source_name: str) -> Iterator[LineValue]:
    """Instances of the metrics that have one for each machine instruction, by source line; each metric once."""
    placed: dict[int, tuple[int, str | None]] = {}
    wanted = [names for each in line_metrics().values() for names in (each.metrics, each.lanes)]
    for name in dict.fromkeys(name for names in wanted for name in _first_present(action, names)):
        metric = action.metric_by_name(name)
        addresses = metric.correlation_ids()
        for index in range(metric.num_instances()):
            value = float(metric.as_double(index))
            address = int(addresses.as_uint64(index))
            if address not in placed:
                placed[address] = _place(action, address, source_name)
            line, opcode = placed[address]
            if math.isfinite(value) and value:
                yield LineValue(line, name, value, opcode)


def _first_present(action: Any, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        metric = action.metric_by_name(name)
        if metric is not None and metric.num_instances() and metric.has_correlation_ids():
            yield name
            return


def _place(action: Any, address: int, source_name: str) -> tuple[int, str | None]:
    """Line of the candidate's source and opcode of an instruction; line 0: of another file, or unknown."""
    info = action.source_info(address)
    own = info is not None and Path(str(info.file_name())).name == Path(source_name).name
    return (int(info.line()) if own else 0), _opcode(str(action.sass_by_pc(address)))


def _opcode(sass: str) -> str | None:
    """`@!P0 LDG.E.64 R2, [R4]` -> `LDG.E.64`."""
    words = [word for word in sass.split() if not word.startswith("@")]
    return words[0].rstrip(";,") if words else None
