"""Judges the cost model on committed profiles and committed H200 times; needs neither GPU nor emulator.

    python -m benchmarks.cost_model.judge [--save]

`--save` writes `result.json`: estimates, and how well they rank and size the measured times.
"""

import argparse
import json
import math
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.cost_model.ranks import DIFFERENT_RATIO, kendall, mean_factor, spearman

from warpwright.emulator.cost import estimate
from warpwright.emulator.counters.profile import Footprint, LaunchProfile, MemoryTraffic
from warpwright.hardware import load_gpu

HERE = Path(__file__).parent
VARIANTS = HERE / "data" / "h200_variants.json"
NAIVE = HERE / "data" / "h200_naive.json"
"""Held out (see `naive.py`)."""

PROFILES = HERE / "data" / "h200_profiles.json"
RESULT = HERE / "result.json"
GPU = load_gpu("h200")


def main() -> None:
    """Judge, print, perhaps save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--save", action="store_true")
    save = parser.parse_args().save
    result = judge_all()
    if save:
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def judge_all() -> dict[str, Any]:
    """Both sets, by name: `variants`, `held_out`."""
    profiles = committed_profiles()
    result: dict[str, Any] = {"gpu": GPU.name}
    for name, file in (("variants", VARIANTS), ("held_out", NAIVE)):
        measured = measured_rows(file)
        result[name] = judge({launch: profiles[launch] for launch in measured}, measured)
    return result


def measured_rows(file: Path) -> dict[str, dict[str, Any]]:
    """Rows of one measurement by name of the launch."""
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    return {row["name"]: row for row in rows}


def committed_profiles() -> dict[str, LaunchProfile]:
    """Profiles that `predict.py --save` wrote, by name of the launch."""
    rows = json.loads(PROFILES.read_text(encoding="utf-8"))
    return {row.pop("name"): profile_of(row) for row in rows}


def profile_of(row: dict[str, Any]) -> LaunchProfile:
    """A profile from its JSON form."""
    traffic = tuple(MemoryTraffic(**entry) for entry in row.pop("traffic"))
    footprint = Footprint(**row.pop("footprint"))
    grid, block = tuple(row.pop("grid")), tuple(row.pop("block"))
    return LaunchProfile(**row, traffic=traffic, footprint=footprint, grid=grid, block=block)


def judge(profiles: Mapping[str, LaunchProfile], measured: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Table of all launches, ranks by family, and the figures over all."""
    rows = []
    for name, profile in profiles.items():
        result, us = estimate(profile, GPU), measured[name]["us"]
        rows.append(
            {
                "name": name,
                "family": name.split("/")[0],
                "measured_us": us,
                "estimated_us": round(result.time_us, 3),
                "binding": result.binding,
                "terms_us": {term: round(value, 3) for term, value in result.terms_us.items()},
            }
        )
        _print_row(rows[-1])
    families = [_family(family, rows) for family in dict.fromkeys(row["family"] for row in rows)]
    estimated, real = [r["estimated_us"] for r in rows], [r["measured_us"] for r in rows]
    ranked = [f for f in families if not math.isnan(f["kendall"])]
    summary = {
        "launches": len(rows),
        "spearman": round(spearman(estimated, real), 4),
        "kendall": round(kendall(estimated, real), 4),
        "mean_factor": round(mean_factor(estimated, real), 4),
        "median_family_kendall": round(statistics.median(f["kendall"] for f in ranked), 4) if ranked else None,
        "best_in_top_2": f"{sum(f['best_in_top_2'] for f in ranked)} of {len(ranked)}",
        "pairs_closer_than": DIFFERENT_RATIO,
    }
    for family in families:
        print(family)
    print(summary)
    return {"summary": summary, "families": families, "launches": rows}


def _print_row(row: Mapping[str, Any]) -> None:
    ratio = row["estimated_us"] / row["measured_us"]
    terms = " ".join(
        f"{name} {value:.0f}" for name, value in row["terms_us"].items() if value > 0.05 * row["estimated_us"]
    )
    print(
        f"{row['name']:54s} {row['measured_us']:9.1f} {row['estimated_us']:9.1f} x{ratio:4.2f} {row['binding']:8s} {terms}"
    )


def _family(family: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    members = [row for row in rows if row["family"] == family]
    estimated, real = [r["estimated_us"] for r in members], [r["measured_us"] for r in members]
    best = real.index(min(real))
    return {
        "family": family,
        "variants": len(members),
        "kendall": round(kendall(estimated, real), 3),
        "best_in_top_2": sorted(estimated).index(estimated[best]) < 2,
        "chosen_over_best": round(real[estimated.index(min(estimated))] / min(real), 3),
        "mean_factor": round(mean_factor(estimated, real), 3),
    }


if __name__ == "__main__":
    main()
