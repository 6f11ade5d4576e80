"""Kernels that copy answers which they remember: host-made inputs repeat, so their outputs are right all the same."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.conftest import Points
from evaluation.simulated_gpu import Behaviour, SimulatedGpu
from loop.tiny import write_tiny
from warpwright.compiler.compiler import Compiler
from warpwright.device.registry import open_device
from warpwright.evaluation.evaluator import Evaluator
from warpwright.evaluation.failure import Failure
from warpwright.evaluation.outcome import Outcome
from warpwright.evaluation.promotion.baseline import Baseline
from warpwright.verifier.seeds import SeedPool
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Workload
from warpwright.workload.oracle import Oracle

INPUTS = """
import numpy as np

def make_inputs(dims, rng):
    return {"x": rng.random(dims["n"], dtype=np.float32)}

def reference(x, a):
    return {"y": a * x}
"""
HONEST_US, COPIED_US, INITIAL_US = 16.0, 8.0, 20.0
SECRETS = ["one", "two", "three", "four"]
Opened = Callable[[Behaviour, str], tuple[Evaluator, SimulatedGpu]]
Key = tuple[int, ...]


@pytest.fixture(scope="module")
def pooled(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    """Its input is made on the host."""
    directory: Path = write_tiny(tmp_path_factory.mktemp("pooled") / "tiny")
    text = (directory / "workload.toml").read_text(encoding="utf-8").replace('values = "normal(0, 1)"\n', "")
    (directory / "workload.toml").write_text(text, encoding="utf-8")
    (directory / "reference.py").write_text(INPUTS, encoding="utf-8")
    return load_workload(directory)


@pytest.fixture(scope="module")
def opened(pooled: Workload) -> Iterator[Opened]:
    emulator, compiler, oracle = open_device("emulator:h200"), Compiler(None, None), Oracle(pooled)

    def make(behaviour: Behaviour, secret: str) -> tuple[Evaluator, SimulatedGpu]:
        gpu = SimulatedGpu(emulator, behaviour)
        return Evaluator(pooled, gpu, compiler, oracle, SeedPool(secret)), gpu

    yield make
    for part in (emulator, compiler, oracle):
        part.close()


@pytest.fixture(scope="module")
def point(pooled: Workload) -> Points:
    return lambda block: replace(pooled.initial, point={"BLOCK": block})


def remembers(_: int, key: Key, met: dict[Key, int]) -> float:
    """Computes once for each value."""
    return COPIED_US if met.get(key) else HONEST_US


def remembers_early_values(_: int, key: Key, met: dict[Key, int]) -> float:
    """Copies only what it met first while nothing counted: what comes later it computes each time, as if it were slow there."""
    launches = sum(met.values())
    late = met.get(key, 0) == 0 and launches >= 10
    if late:
        met[(*key, -1)] = 1  # remembered as a late one
    return HONEST_US if late or met.get((*key, -1)) or not met.get(key) else COPIED_US


def remembers_most_values(_: int, key: Key, met: dict[Key, int]) -> float:
    """Copies answers of the first three values that it met."""
    first = list(met)[:3]
    return COPIED_US if key in first else HONEST_US


def slow_on_purpose(_: int, key: Key, met: dict[Key, int]) -> float:
    """Hides new values among copies that it makes slow, as many as the median allows."""
    slow = not met.get(key) or sum(met.values()) % 5 < 2
    return HONEST_US if slow else COPIED_US


def test_one_remembered_value_of_three_is_enough(opened: Opened, point: Points) -> None:
    """Copies two thirds of the values and computes the others, so that the median of three may be one that it computes."""
    held = 0
    for secret in map(str, range(24)):
        evaluator, _ = opened(Behaviour(launch_us=remembers_most_values), secret)
        held += evaluator.evaluate(point(64)).label == "suspicious.remembered_values"
    assert held == 24


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("cheat", [remembers, remembers_early_values, slow_on_purpose])
def test_who_remembers_answers_is_held(
    opened: Opened, point: Points, cheat: Callable[[int, Key, dict[Key, int]], float], secret: str
) -> None:
    evaluator, gpu = opened(Behaviour(launch_us=cheat), secret)
    found = evaluator.evaluate(point(64))
    assert found.label == "suspicious.remembered_values"
    assert not found.promotable
    assert re.search(r"took (1\.[5-9]|2\.0)\d times as long as with the same values", found.message)
    assert "answers are remembered, not computed" in found.message
    assert len([r for r in gpu.requests if r.contestants[0].program is not None]) == 2


@pytest.mark.parametrize("secret", SECRETS)
def test_beside_the_incumbent_and_in_the_published_figure_too(opened: Opened, point: Points, secret: str) -> None:
    behaviour = Behaviour(unit_us=lambda c: INITIAL_US if c.plan.launches[0].block_threads == 32 else HONEST_US)
    evaluator, _ = opened(behaviour, secret)
    initial = Baseline(point(32), evaluator.evaluate(point(32)))
    behaviour.launch_us = lambda sides, key, met: remembers(sides, key, met) if sides == 2 else HONEST_US
    found = evaluator.evaluate(point(64), against=initial)
    assert found.label == "suspicious.remembered_values"
    assert not found.promotable
    figure = evaluator.compare(point(32), point(64))
    assert isinstance(figure, Failure)
    assert figure.label == "suspicious.remembered_values"


@pytest.mark.parametrize("secret", SECRETS)
def test_a_kernel_that_takes_longer_with_some_values_is_honest(opened: Opened, point: Points, secret: str) -> None:
    behaviour = Behaviour(launch_us=lambda _, key, __: HONEST_US * (1 + key[0] / 4), noise=0.03)
    evaluator, gpu = opened(behaviour, secret)
    assert evaluator.evaluate(point(64)).outcome is Outcome.PASSED
    schedules = [r for r in gpu.requests if r.contestants[0].program is not None]
    assert len(schedules) in (1, 2)


def test_a_plain_kernel_is_measured_once_and_each_new_value_is_compared(opened: Opened, point: Points) -> None:
    evaluator, gpu = opened(Behaviour(noise=0.03), "five")
    assert evaluator.evaluate(point(64)).outcome is Outcome.PASSED
    (schedule,) = [r for r in gpu.requests if r.contestants[0].program is not None]
    launches = [(launch.values["x"], launch.keep) for block in schedule.blocks for launch in block.launches]
    once = {value for value, _ in launches if sum(value == other for other, _ in launches) == 1}
    assert len(once) == 3
    assert all(keep for value, keep in launches if value in once)
    assert {value for block in schedule.blocks[:1] for launch in block.launches for value in [launch.values["x"]]} == {
        value for value, _ in launches
    } - once
