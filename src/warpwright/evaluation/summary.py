"""An evaluation as the JSON document of `evaluate --json`."""

import math
from typing import Any

from warpwright.benchmark.figure import PairedFigure
from warpwright.device.protocol import Timing
from warpwright.evaluation.outcome import CaseEvaluation, Evaluation
from warpwright.verifier.evidence import worst_margin


def evaluation_to_json(evaluation: Evaluation) -> dict[str, Any]:
    """Plain JSON values; what is unknown is null, never 0 or NaN. Times in microseconds."""
    timed = next((case.timing for case in evaluation.cases if case.timing is not None), None)
    return {
        "outcome": evaluation.outcome.value,
        "reason": evaluation.reason,
        "message": evaluation.message,
        "line": evaluation.line,
        "geomean_us": _number(evaluation.geomean_us),
        "speedup": _number(evaluation.speedup),
        "gpu": None if timed is None else timed.gpu,
        "source": None if timed is None else timed.source.value,
        "cases": [_case_to_json(case) for case in evaluation.cases],
        "paired": paired_to_json(evaluation.paired),
        "seconds": {stage: round(seconds, 6) for stage, seconds in evaluation.seconds.items()},
    }


def _case_to_json(case: CaseEvaluation) -> dict[str, Any]:
    timing = case.timing
    ratio = timing.median_us / case.floor_us if timing is not None and case.floor_us else None
    margins = [worst_margin(comparison) for comparison in case.comparisons]
    return {
        "name": case.name,
        "kind": case.kind.value,
        "passed": case.passed,
        "deterministic": case.deterministic,
        "median_us": None if timing is None else _number(timing.median_us),
        "floor_us": _number(case.floor_us),
        "floor_ratio": _number(ratio),
        "floor_binding": case.floor_binding,
        "source": None if timing is None else timing.source.value,
        "gpu": None if timing is None else timing.gpu,
        "binding": None if timing is None else timing.binding,
        "measured": _measured_to_json(timing),
        "margin": _number(max(margins, default=None)),
        "message": case.message,
    }


def paired_to_json(figure: PairedFigure | None) -> dict[str, Any] | None:
    """A paired run: its figure, interval and cases; null if there was none."""
    if figure is None:
        return None
    return {
        "rank": figure.rank.value,
        "speedup": figure.speedup,
        "low": figure.low,
        "high": figure.high,
        "rounds": figure.rounds,
        "floor_ratio": figure.floor_ratio,
        "message": figure.message,
        "flags": list(figure.flags),
        "cases": [
            {
                "name": case.name,
                "speedup": case.speedup,
                "low": case.low,
                "high": case.high,
                "incumbent_us": case.incumbent_us,
                "contender_us": case.contender_us,
                "launch_bound": case.launch_bound,
            }
            for case in figure.cases
        ],
        "identity": dict(figure.identity),
    }


def _measured_to_json(timing: Timing | None) -> dict[str, Any] | None:
    """How a time was taken; null for an estimate."""
    if timing is None or timing.measurement is None:
        return None
    record = timing.measurement
    return {
        "protocol": record.protocol,
        "cache": "cold" if record.cold_cache else "warm",
        "launches": len(timing.samples_us),
        "median_low_us": record.statistics.get("median_low_us"),
        "median_high_us": record.statistics.get("median_high_us"),
        "cv_ratio": record.statistics.get("cv_ratio"),
        "empty_us": None if record.empty is None else record.empty.median_us,
        "sets": record.sets,
        "checked_launches": len(record.checked),
        "flags": list(record.flags),
        "unavailable": dict(record.unavailable),
        "identity": dict(record.identity),
    }


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
