"""Which values launches under the clock have."""

import numpy as np
import pytest

from warpwright.units import MIB
from warpwright.workload.arguments import make_arguments, random_key
from warpwright.workload.generator import generate
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Case, Workload
from warpwright.workload.recipe import Recipe
from warpwright.workload.rotation import LEAST_POOL, POOL_BYTES, rotation
from warpwright.workload.values import Array, CaseArguments

from .conftest import WriteWorkload

SEEDS = (11, 22, 33, 44, 55, 66, 77, 88)


class Source:
    """Inputs without values are what the seed says; nbytes: as large as the test pretends them to be."""

    def __init__(self, workload: Workload, elements: int | None = None) -> None:
        self.workload = workload
        self.elements = elements
        self.asked: list[int] = []

    def make_inputs(self, case: Case, seed: int) -> dict[str, Array]:
        wanted = [array.name for array in self.workload.inputs if array.values is None]
        one = np.full(1, seed, np.float32)
        size = case.dims["n"] if self.elements is None else self.elements
        return {name: np.broadcast_to(one, size) for name in wanted}  # costs no memory, whatever its size

    def arguments(self, case: Case, seed: int) -> CaseArguments:
        self.asked.append(seed)
        return make_arguments(self.workload, case, seed, self)


@pytest.fixture
def generated(write_workload: WriteWorkload) -> Workload:
    return load_workload(write_workload())


@pytest.fixture
def host_made(write_workload: WriteWorkload) -> Workload:
    reference = "def reference(x, a):\n    return {'y': a * x}\ndef make_inputs(dims, rng):\n    return {'x': 0}\n"
    return load_workload(write_workload(('values = "normal(0, 1)"\n', ""), reference=reference))


def test_a_recipe_gives_every_launch_its_own_key(generated: Workload) -> None:
    case = generated.case("long")
    source = Source(generated)
    turned = rotation(generated, case, source, SEEDS)
    assert turned.inputs["x"].recipe == Recipe("normal", "float32", 0.0, 1.0)
    assert turned.pool_seeds == SEEDS
    assert not turned.pooled
    assert [dict(turned.values(seed)) for seed in (11, 5)] == [{"x": random_key(case, seed, "x")} for seed in (11, 5)]
    assert source.asked == [11]


def test_the_key_of_a_seed_makes_the_inputs_that_the_oracle_sees(generated: Workload) -> None:
    case = generated.case("ragged")
    source = Source(generated)
    turned = rotation(generated, case, source, SEEDS)
    recipe = turned.inputs["x"].recipe
    assert recipe is not None
    made = generate(recipe, turned.values(33)["x"], 77)
    assert made.tobytes() == source.arguments(case, 33).inputs["x"].tobytes()


def test_host_made_inputs_are_a_pool_by_position_of_the_seed(host_made: Workload) -> None:
    case = host_made.case("long")
    turned = rotation(host_made, case, Source(host_made), SEEDS)
    assert turned.pooled
    assert [float(array[0]) for array in turned.inputs["x"].pool] == list(map(float, SEEDS))
    assert [turned.values(seed)["x"] for seed in SEEDS] == list(range(8))
    others = {turned.values(seed)["x"] for seed in range(1000, 1100)}
    assert others == set(range(8))


@pytest.mark.parametrize(("megabytes", "entries"), [(1, 8), (32, 8), (36, 7), (42, 6), (100, LEAST_POOL)])
def test_a_pool_of_large_arrays_has_fewer_entries(host_made: Workload, megabytes: int, entries: int) -> None:
    source = Source(host_made, elements=megabytes * MIB // 4)
    turned = rotation(host_made, host_made.case("long"), source, SEEDS)
    assert turned.pool_seeds == SEEDS[:entries]
    assert len(turned.inputs["x"].pool) == entries
    assert entries == LEAST_POOL or entries * megabytes * MIB <= POOL_BYTES


def test_no_seeds_is_a_mistake(generated: Workload) -> None:
    with pytest.raises(ValueError, match="no pool seeds"):
        rotation(generated, generated.case("long"), Source(generated), ())
