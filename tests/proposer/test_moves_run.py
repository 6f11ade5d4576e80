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
from warpwright.proposer.strategist.moves.registry import MOVES
from warpwright.proposer.strategist.rewriting.move import Change, Move
from warpwright.proposer.strategist.rewriting.subject import subject_of

Tools = tuple[Compiler, EmulatedDevice]
FOLLOWERS = ("vectorise", "unroll", "shared_tile_transpose")
"""Moves that are also tried on top of others."""


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


def points(entry: Entry, candidate: Candidate, tools: Tools) -> list[Candidate]:
    """The candidate at its default and at one other possible point."""
    rng = random.Random(entry.name)
    drawn = [candidate.at({n: rng.choice(v) for n, v in candidate.tunables.items()}) for _ in range(20)]
    others = [c for c in drawn if c.values() != candidate.values() and possible(entry.workload(), c, tools[1])]
    return [candidate, *others[:1]]


def check(entry: Entry, candidate: Candidate, tools: Tools, expected: dict[tuple[str, str, int], Results]) -> None:
    workload = entry.workload()
    for case in workload.cases[1:]:
        for align in (1, 16):
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
    if change is None:
        return
    for candidate in points(entry, change.candidate, tools):
        check(entry, candidate, tools, expected)


@pytest.mark.parametrize("entry", CORPUS, ids=lambda e: e.name)
def test_moves_on_top_of_moves_compute_the_same(
    entry: Entry, tools: Tools, expected: dict[tuple[str, str, int], Results]
) -> None:
    for move in MOVES:
        change = applied(entry, entry.workload().initial, move)
        followers = [m for m in MOVES if m.name in FOLLOWERS and m.name != move.name]
        for follower in followers if change is not None and change.promise >= 1.2 else []:
            second = None if change is None else applied(entry, change.candidate, follower)
            if second is not None:
                check(entry, second.candidate, tools, expected)
