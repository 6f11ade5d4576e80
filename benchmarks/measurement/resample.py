"""What the paired decision would have said with another number of A/A rounds, drawn from the rounds of an `aa_study`.

    python -m benchmarks.measurement.resample --output DIR        reads DIR/aa_study.json, writes DIR/resample.json

Needs no GPU. Whole comparisons are drawn, so that what disturbs neighbouring rounds stays together.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.measurement.study import print_table

from warpwright.benchmark.decision import Rank
from warpwright.benchmark.paired import Effects, PairedEffects, PairedOptions, judge, paired_effects

OPTIONS = PairedOptions()
FLOOR_ROUNDS = (10, 20, 40)
DRAWS = 400
SEED = 1
PROTOCOL = f"""No measurement: decisions drawn again, {DRAWS} for each row, from the rounds of an earlier run of
`aa_study`, whose own A/A runs had ten rounds and hid a quarter of the true 2 % gains. `floor_rounds`: of the A/A run.
The gate has taken twenty since then, and so has the run of `aa_study` that is kept."""


class Drawn:
    """Rounds of one series of comparisons."""

    def __init__(self, rows: Sequence[dict[str, Any]], series: str, random: np.random.Generator) -> None:
        self._rounds = [np.array(row["rounds_log"][: OPTIONS.rounds]) for row in rows if row["series"] == series]
        self._random = random

    def take(self, count: int) -> Effects:
        """That many rounds, comparison by comparison."""
        number = -(-count // OPTIONS.rounds)
        chosen = self._random.integers(len(self._rounds), size=number)
        return np.concatenate([self._rounds[i] for i in chosen])[:count]


def decision(floor: float, contender: Drawn) -> Rank | None:
    """The gate's: ten rounds, ten more while undecided."""
    rounds = contender.take(OPTIONS.rounds)
    first = judge(_effects(rounds), floor, OPTIONS, frozenset(), final=False)
    if first.rank is not None:
        return first.rank
    longer = np.concatenate([rounds, contender.take(OPTIONS.most_rounds - OPTIONS.rounds)])
    return judge(_effects(longer), floor, OPTIONS, frozenset(), final=True).rank


def main() -> int:
    """A row for each series and number of A/A rounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True)
    folder: Path = parser.parse_args().output
    rows = json.loads((folder / "aa_study.json").read_text(encoding="utf-8"))["rows"]
    found = []
    for series, copies, right in (
        ("gain_100us", "aa_100us", Rank.IMPROVED),
        *((name, name, Rank.TIE) for name in ("aa_3us", "aa_10us", "aa_100us", "aa_1000us")),
    ):
        for count in FLOOR_ROUNDS:
            random = np.random.default_rng(SEED)
            same, contender = Drawn(rows, copies, random), Drawn(rows, series, random)
            floors = [_effects(same.take(count)).overall.floor for _ in range(DRAWS)]
            ranks = [decision(floor, contender) for floor in floors]
            found.append(
                {
                    "series": series,
                    "floor_rounds": count,
                    "right_ratio": ranks.count(right) / DRAWS,
                    "floor_median": round(float(np.median(floors)), 5),
                    "floor_p90": round(float(np.percentile(floors, 90)), 5),
                }
            )
    document = {"study": "resample", "protocol": PROTOCOL, "machines": [], "draws": DRAWS, "seed": SEED, "rows": found}
    (folder / "resample.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print_table("decisions drawn again", tuple(found[0]), [tuple(row.values()) for row in found])
    return 0


def _effects(rounds: Effects) -> PairedEffects:
    return paired_effects({"case": rounds}, OPTIONS, 0)


if __name__ == "__main__":
    sys.exit(main())
