"""The stored rounds of `aa_study` judged again: by today's rule, and with the A/A floors of other processes."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from warpwright.benchmark.decision import Rank
from warpwright.benchmark.paired import PairedEffects, PairedOptions, judge, paired_effects

OPTIONS = PairedOptions()
Row = dict[str, Any]


class Comparison:
    """One stored comparison. Its interval after the first rounds, and after all that were taken."""

    def __init__(self, row: Row) -> None:
        rounds = np.array(row["rounds_log"])
        self.floor: float | None = None if row["floor"] is None else math.log1p(row["floor"])
        self._first = _effects(rounds[: OPTIONS.rounds])
        self._all = _effects(rounds) if len(rounds) > OPTIONS.rounds else self._first

    def rank(self, floor: float | None) -> Rank:
        """By today's rule. More rounds than were taken there are not: what they might have shown is a tie."""
        first = judge(self._first, floor, OPTIONS, frozenset(), final=False)
        found = first.rank or judge(self._all, floor, OPTIONS, frozenset(), final=True).rank
        assert found is not None
        return found


def processes(rows: Sequence[Row]) -> list[list[Comparison]]:
    """The comparisons of each process of one series, in their order: those of a process share its A/A floor."""
    found: list[list[Comparison]] = []
    for comparison in map(Comparison, rows):
        if not found or comparison.floor != found[-1][-1].floor:
            found.append([])
        found[-1].append(comparison)
    return found


def by_own_floors(groups: Sequence[Sequence[Comparison]], right: Rank) -> int:
    """How many are right by today's rule, with the floor of their own process."""
    return sum(comparison.rank(comparison.floor) is right for group in groups for comparison in group)


def by_floors_of_others(groups: Sequence[Sequence[Comparison]], right: Rank) -> float | None:
    """Share that is right with the floor of each other process of the series; None if there is but one process."""
    ranks = [
        comparison.rank(other[0].floor)
        for group in groups
        for other in groups
        if other is not group
        for comparison in group
    ]
    return None if not ranks else ranks.count(right) / len(ranks)


def _effects(rounds: "np.ndarray[Any, np.dtype[np.float64]]") -> PairedEffects:
    return paired_effects({"case": rounds}, OPTIONS, 0)
