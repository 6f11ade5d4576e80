"""An evaluation as the JSON document of `evaluate --json`."""

import math
from typing import Any

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
        "median_us": None if timing is None else _number(timing.median_us),
        "floor_us": _number(case.floor_us),
        "floor_ratio": _number(ratio),
        "floor_binding": case.floor_binding,
        "source": None if timing is None else timing.source.value,
        "gpu": None if timing is None else timing.gpu,
        "binding": None if timing is None else timing.binding,
        "margin": _number(max(margins, default=None)),
        "message": case.message,
    }


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
