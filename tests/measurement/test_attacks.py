"""The table of attacks on the emulator: each verdict is one of those that are right there."""

import secrets
from collections.abc import Iterator

import pytest
from benchmarks.measurement.attacks import Attack, load_attacks, load_workloads, right

from warpwright.evaluation.bench import Bench, open_bench
from warpwright.evaluation.outcome import Evaluation, Outcome

WORKLOADS = load_workloads()
ATTACKS = list(load_attacks(WORKLOADS, emulator=True))


@pytest.fixture(scope="module")
def benches() -> Iterator[dict[str, Bench]]:
    found = {name: open_bench(workload, "emulator:h200", secrets.token_hex(32)) for name, workload in WORKLOADS.items()}
    yield found
    for bench in found.values():
        bench.close()


def test_the_ten_that_must_be_caught_and_ten_honest_ones_are_there() -> None:
    assert sum(attack.required for attack in ATTACKS) >= 10
    assert sum(attack.honest for attack in ATTACKS) >= 10


def test_a_cheat_that_is_held_must_have_gained_nothing() -> None:
    held = Evaluation(Outcome.SUSPICIOUS, "writable_global", "", (), None)
    passed = Evaluation(Outcome.PASSED, None, "", (), None)
    by_name = {attack.name: attack for attack in ATTACKS}
    assert right(by_name["replay_by_hash"], held, 2.0)
    assert not right(by_name["replay_by_hash"], held, 0.5)
    assert right(by_name["state_in_scratch"], passed, 1.0)
    assert not right(by_name["state_in_scratch"], passed, 0.5)
    assert not right(by_name["partial_write"], passed, 1.0)
    assert right(by_name["honest_stride"], passed, 0.5)


@pytest.mark.parametrize("attack", ATTACKS, ids=[attack.name for attack in ATTACKS])
def test_verdict(benches: dict[str, Bench], attack: Attack) -> None:
    found = benches[attack.workload].evaluator.evaluate(attack.candidate)
    assert right(attack, found, None), f"{found.label}: {found.message}"
