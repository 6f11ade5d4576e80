"""The calibration kernels of the diagnosis: each planted cause leads to a card that treats it."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from warpwright.knowledge.field_guide.guide import guidance_for

TABLE = Path(__file__).resolve().parents[2] / "profiler" / "diagnosis" / "calibration.toml"
CALIBRATION: dict[str, Any] = tomllib.loads(TABLE.read_text(encoding="utf-8"))
FIRST = {
    "copy": "FG-24",
    "stride": "FG-09",
    "bank": "FG-19",
    "chase": "FG-04",
    "fma": "FG-30",
    "fp64": "FG-32",
    "sfu": "FG-31",
    "atom": "FG-38",
    "tail": "FG-07",
    "div": "FG-36",
    "loc": "FG-28",
    "bar": "FG-37",
    "wmm": "FG-08",
    "tiny": "FG-02",
}
"""Kernel -> the card that leads."""


@pytest.mark.parametrize("kernel", [name for name, row in CALIBRATION.items() if "planted" in row])
def test_a_planted_cause_leads_to_its_card(kernel: str) -> None:
    row = CALIBRATION[kernel]
    known = {"sm_count": 132.0, "matmul_like": 0.0, "waves_per_sm": row["counters"]["grid_blocks"] / (8 * 132)}
    guidance = guidance_for(row["planted"], {**known, **row["counters"]}, "sm_90")
    assert guidance.advice[0].card.id == FIRST[kernel]
