"""The JSON document of an evaluation."""

import json
import math

import pytest

from warpwright.device.protocol import TimeSource, Timing
from warpwright.evaluation.outcome import CaseEvaluation, Evaluation, Outcome
from warpwright.evaluation.summary import evaluation_to_json
from warpwright.workload.model import CaseKind
from warpwright.workload.values import Comparison

TIMING = Timing(TimeSource.ESTIMATED, "NVIDIA H200", (12.5,), 12.5, 0.15, binding="dram")


def compared(margin: float, *, passed: bool) -> Comparison:
    return Comparison("y", passed, margin, rms_margin=0.1, wrong=0, total=6, first=())


CASES = (
    CaseEvaluation("ragged", CaseKind.CHECK, passed=True, comparisons=(compared(0.2, passed=True),)),
    CaseEvaluation("rows", CaseKind.PERF, passed=True, timing=TIMING, floor_us=5.0, floor_binding="bytes"),
)


def test_every_field_of_a_passed_evaluation() -> None:
    evaluation = Evaluation(Outcome.IMPROVED, None, "improved", CASES, None, 12.5, 2.0, {"verify": 0.25})
    unknown = {"median_us": None, "floor_us": None, "floor_ratio": None, "floor_binding": None}
    assert evaluation_to_json(evaluation) == {
        "outcome": "improved",
        "reason": None,
        "message": "improved",
        "line": None,
        "geomean_us": 12.5,
        "speedup": 2.0,
        "gpu": "NVIDIA H200",
        "source": "estimated",
        "cases": [
            {
                "name": "ragged",
                "kind": "check",
                "passed": True,
                "deterministic": None,
                **unknown,
                "source": None,
                "gpu": None,
                "binding": None,
            }
            | {"measured": None}
            | {"margin": 0.2, "message": ""},
            {
                "name": "rows",
                "kind": "perf",
                "passed": True,
                "deterministic": None,
                "median_us": 12.5,
                "floor_us": 5.0,
                "floor_ratio": 2.5,
                "floor_binding": "bytes",
                "source": "estimated",
                "gpu": "NVIDIA H200",
                "binding": "dram",
                "measured": None,
                "margin": None,
                "message": "",
            },
        ],
        "paired": None,
        "seconds": {"verify": 0.25},
    }


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_no_number_is_null(value: float) -> None:
    cases = (CaseEvaluation("a", CaseKind.CHECK, passed=False, comparisons=(compared(value, passed=False),)),)
    document = evaluation_to_json(Evaluation(Outcome.WRONG_RESULT, "mismatch", "", cases, None, speedup=value))
    assert json.loads(json.dumps(document, allow_nan=False))["cases"][0]["margin"] is None
    assert document["speedup"] is None
