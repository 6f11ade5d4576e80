"""From runs to the ratio of attempts, pair by pair."""

import json
import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

TARGET = 0.6
NEAR = 0.05
"""Within this part of the best figure known."""
COMMITTED = Path(__file__).resolve().parents[1] / "examples" / "emulator_h200.json"

Run = Mapping[str, Any]


def judge(runs: Sequence[Run], device: str) -> dict[str, Any]:
    """Ratios guided over undirected: of attempts, and of evaluations. Medians over seeds, by example and over all pairs.

    A search that ended before it was near is counted with all that it made if it is the undirected one, which favours it, and
    as never (no ratio is larger) if it is the guided one.
    """
    examples = {}
    for name in sorted({run["example"] for run in runs}):
        best_us = best_known_us(name, runs, device)
        pairs = [_pair(seed, arms, best_us) for seed, arms in sorted(_pairs(runs, name).items()) if len(arms) == 2]
        if pairs:
            examples[name] = {"best_us": best_us, **_medians(pairs), "pairs": pairs}
    everything = [pair for example in examples.values() for pair in example["pairs"]]
    return {"target": TARGET, **(_medians(everything) if everything else {"median_ratio": None}), "examples": examples}


def best_known_us(example: str, runs: Sequence[Run], device: str) -> float:
    """The least time of any correct attempt, of the committed run of the examples too if it is of the same device."""
    times = [a["best_us"] for run in runs if run["example"] == example for a in run["attempts"] if a["best_us"]]
    if COMMITTED.is_file():
        document = json.loads(COMMITTED.read_text(encoding="utf-8"))
        if document["device"] == device:
            times += [
                r["best"]["geomean_us"] for r in document["runs"] if r["example"] == example and not r["exit_code"]
            ]
    return float(min(times))


def reached(run: Run, best_us: float) -> tuple[int, int] | None:
    """Attempts and evaluations until within 5 % of a figure; None: never."""
    for number, attempt in enumerate(run["attempts"], start=1):
        if attempt["best_us"] is not None and best_us / attempt["best_us"] >= 1 - NEAR:
            return number, attempt["evaluations"]
    return None


def print_table(result: Mapping[str, Any]) -> None:
    """One line an example."""
    print(
        f"{'example':<14}{'guided':>8}{'undirected':>12}{'ratio':>8}{'evaluations':>13}{'never: guided, undirected':>28}"
    )
    for name, row in result["examples"].items():
        print(
            f"{name:<14}{_text(row['guided_attempts']):>8}{_text(row['undirected_attempts']):>12}{row['median_ratio']:>8.2f}"
            f"{row['median_evaluations_ratio']:>13.2f}{row['guided_never']:>20}, {row['undirected_never']}"
        )
    if result["median_ratio"] is not None:
        print(f"all pairs: median {result['median_ratio']:.2f} of the attempts (target {result['target']:.2f})")


def _pairs(runs: Sequence[Run], example: str) -> dict[int, dict[str, Run]]:
    pairs: dict[int, dict[str, Run]] = {}
    for run in runs:
        if run["example"] == example:
            pairs.setdefault(run["seed"], {})[run["arm"]] = run
    return pairs


def _pair(seed: int, arms: Mapping[str, Run], best_us: float) -> dict[str, Any]:
    guided, undirected = (reached(arms[arm], best_us) for arm in ("guided", "undirected"))
    rows = arms["undirected"]["attempts"]
    against = undirected or (len(rows), rows[-1]["evaluations"])
    return {
        "seed": seed,
        "guided": None if guided is None else guided[0],
        "undirected": None if undirected is None else undirected[0],
        "undirected_counted": against[0],
        "ratio": None if guided is None else guided[0] / against[0],
        "evaluations_ratio": None if guided is None else guided[1] / against[1],
    }


def _medians(pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """None where the median is of a search that never came near."""

    def median(name: str) -> float | None:
        value = statistics.median(math.inf if pair[name] is None else pair[name] for pair in pairs)
        return value if math.isfinite(value) else None

    return {
        "guided_attempts": median("guided"),
        "undirected_attempts": median("undirected"),
        "median_ratio": median("ratio"),
        "median_evaluations_ratio": median("evaluations_ratio"),
        "guided_never": sum(pair["guided"] is None for pair in pairs),
        "undirected_never": sum(pair["undirected"] is None for pair in pairs),
        "count": len(pairs),
    }


def _text(value: float | None) -> str:
    return "never" if value is None else f"{value:g}"
