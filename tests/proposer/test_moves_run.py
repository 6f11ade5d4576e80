"""Every move on every kernel of the corpus: the rewritten kernel gives the same results on ragged sizes.

A new move and a new kernel are tried with each other without a new test. Real NVRTC, real emulator.
"""

import random
from collections.abc import Iterator

import pytest

from proposer.corpus import CORPUS, Entry
from proposer.trial import Results, assert_same, possible, run
from warpwright.candidate.candidate import Candidate
from warpwright.compiler.compiler import Compiler
from warpwright.device.emulated.device import EmulatedDevice, EmulatorOptions
from warpwright.emulator.launch.api import ExecutorKind
from warpwright.hardware import load_gpu
from warpwright.proposer.strategist.moves import (
    block_tunable,
    launch_bounds,
    privatise_reduction,
    share_row,
    shared_histogram,
    shared_tile_transpose,
    unroll,
    vectorise,
)
from warpwright.proposer.strategist.moves.registry import MOVES
from warpwright.proposer.strategist.rewriting.move import Change, Move
from warpwright.proposer.strategist.rewriting.subject import subject_of

Tools = tuple[Compiler, EmulatedDevice]
REFINING = ("block_tunable", "unroll", "launch_bounds", "restrict")
"""Moves that leave the structure alone: a sample of kernels is enough."""
SAMPLE = ("softmax", "transpose", "histogram", "moments")
STACKED = (
    (share_row.WARP, vectorise.MOVE),
    (launch_bounds.MOVE, share_row.BLOCK),
    (block_tunable.MOVE, shared_tile_transpose.MOVE),
    (shared_histogram.MOVE, vectorise.MOVE),
    (privatise_reduction.MOVE, unroll.MOVE),
)


@pytest.fixture(scope="module")
def tools() -> Iterator[Tools]:
    with Compiler(None) as compiler, EmulatedDevice(load_gpu("h200"), EmulatorOptions(ExecutorKind.JIT)) as device:
        yield compiler, device


@pytest.fixture(scope="module")
def expected() -> dict[tuple[str, str, int], Results]:
    return {}


def applied(entry: Entry, candidate: Candidate, move: Move) -> Change | None:
    result = move.rewrite(subject_of(candidate, 0, entry.workload(), load_gpu("h200"), None))
    return result if isinstance(result, Change) else None


def another_point(entry: Entry, candidate: Candidate, tools: Tools) -> Candidate:
    """The candidate at a possible point other than its default, if there is one."""
    rng = random.Random(entry.name)
    drawn = [candidate.at({n: rng.choice(v) for n, v in candidate.tunables.items()}) for _ in range(20)]
    others = [c for c in drawn if c.values() != candidate.values() and possible(entry.workload(), c, tools[1])]
    return others[0] if others else candidate


def check(entry: Entry, candidate: Candidate, tools: Tools, expected: dict[tuple[str, str, int], Results]) -> None:
    """Compares with the initial kernel on ragged cases; arrays lie aligned in one of them and one element off in the others."""
    workload = entry.workload()
    for case, align in zip(workload.cases[1:], (1, 16, 1), strict=False):
        key = (entry.name, case.name, align)
        if key not in expected:
            expected[key] = run(workload, workload.initial, case, tools, align)
        actual = run(workload, candidate, case, tools, align)
        assert_same(actual, expected[key], f"{case.name}, {candidate.values()}\n{candidate.source}")


@pytest.mark.parametrize("entry", CORPUS, ids=lambda e: e.name)
@pytest.mark.parametrize("move", MOVES, ids=lambda m: m.name)
def test_a_rewritten_kernel_computes_the_same(
    entry: Entry, move: Move, tools: Tools, expected: dict[tuple[str, str, int], Results]
) -> None:
    change = applied(entry, entry.workload().initial, move)
    if change is not None and (move.name not in REFINING or entry.name in SAMPLE):
        check(entry, change.candidate, tools, expected)


@pytest.mark.parametrize("entry", [e for e in CORPUS if e.name in SAMPLE], ids=lambda e: e.name)
def test_moves_on_top_of_moves_compute_the_same_away_from_the_defaults(
    entry: Entry, tools: Tools, expected: dict[tuple[str, str, int], Results]
) -> None:
    for first, second in STACKED:
        change = applied(entry, entry.workload().initial, first)
        both = None if change is None else applied(entry, change.candidate, second)
        if both is not None:
            check(entry, another_point(entry, both.candidate, tools), tools, expected)
