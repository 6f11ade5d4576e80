"""Estimates every launch of `launches.py` without a GPU and compares with the times measured on one.

    python benchmarks/cost_model/predict.py [--only TEXT] [--save]

Prints a table; `--save` writes `data/h200_profiles.json` (what the emulator counted, so that a change of the cost model can
be judged in seconds) and `result.json` (estimates, ranks, factors).
"""

from pathlib import Path

from warpwright.hardware import load_gpu

HERE = Path(__file__).parent
MEASURED = HERE / "data" / "h200_variants.json"
GPU = load_gpu("h200")
