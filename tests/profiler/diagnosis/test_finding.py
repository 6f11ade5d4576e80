"""Findings as records keep them."""

import json
from dataclasses import asdict

from pydantic import TypeAdapter

from warpwright.profiler.diagnosis.finding import Evidence, Finding

FINDING = Finding("l2_bound", 0.3, (Evidence("l2_throughput_ratio", 0.6, ">=", 0.3),), "L2 comes closest.", hint=True)


def test_a_finding_is_read_back_with_its_hint() -> None:
    assert TypeAdapter(Finding).validate_json(json.dumps(asdict(FINDING))) == FINDING


def test_a_finding_recorded_before_hints_were_marked_is_none() -> None:
    row = asdict(FINDING)
    del row["hint"]
    assert TypeAdapter(Finding).validate_json(json.dumps(row)).hint is False
