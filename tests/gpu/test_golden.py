"""The GPU makes the same input values as NumPy, bit for bit."""

import pytest
from benchmarks.measurement.golden import COPY, differing_bytes, golden_cases
from benchmarks.measurement.machine import Machine

from warpwright.device.protocol import Program
from warpwright.workload.recipe import Generated, Recipe

pytestmark = pytest.mark.gpu
CASES = list(golden_cases())


@pytest.fixture(scope="module")
def copy(machine: Machine) -> Program:
    return machine.compile(COPY, "copy")


@pytest.mark.parametrize("least", [False, True], ids=["start", "end"])
@pytest.mark.parametrize(
    ("recipe", "key", "count"), [c[1:] for c in CASES], ids=[f"{c[1].kind}-{c[1].dtype}-{c[3]}" for c in CASES]
)
def test_values_to_the_bit(machine: Machine, copy: Program, recipe: Recipe, key: int, count: int, least: bool) -> None:
    assert differing_bytes(machine, copy, Generated(recipe, key), count, least=least) == 0
