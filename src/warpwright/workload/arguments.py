"""What a kernel is called with in one (case, seed)."""

import hashlib
from math import prod
from types import MappingProxyType
from typing import Protocol

from warpwright.workload.distributions import check_distribution, draw, parse_distribution, recipe_of
from warpwright.workload.dtypes import element_type
from warpwright.workload.generator import generate
from warpwright.workload.model import Case, Workload
from warpwright.workload.recipe import Generated
from warpwright.workload.shapes import scalar_value, shape_of, size_bytes
from warpwright.workload.values import Array, CaseArguments, HostInputs

_EXPECTED_FLOAT_BYTES = 8


class InputSource(Protocol):
    """Where the inputs without `values` come from: the oracle, which runs `make_inputs`."""

    def make_inputs(self, case: Case, seed: int) -> dict[str, Array]:
        """Arrays by name, in the dtype and shape of their parameters."""
        ...


def make_arguments(workload: Workload, case: Case, seed: int, oracle: InputSource) -> CaseArguments:
    """Inputs, scalars and shapes; equal for equal (workload, case, seed) on every machine.

    Raises: WorkloadError if `make_inputs` fails or gives back something else than its parameters need.
    """
    made = oracle.make_inputs(case, seed) if any(array.values is None for array in workload.inputs) else {}
    shapes = {array.name: shape_of(array, case.dims) for array in workload.arrays}
    arrays, generated = dict[str, Array](), dict[str, Generated]()
    for array in workload.inputs:
        if array.values is None:
            arrays[array.name] = made[array.name]
            continue
        distribution, element = parse_distribution(array.values), element_type(array.dtype)
        key = random_key(case, seed, array.name)
        recipe = recipe_of(distribution, element, case.dims)
        if recipe is None:
            arrays[array.name] = draw(distribution, element, shapes[array.name], case.dims, key)
        else:
            check_distribution(distribution, element, shapes[array.name], case.dims)
            generated[array.name] = Generated(recipe, key)

    def make(name: str) -> Array:
        shape = shapes[name]
        return generate(generated[name].recipe, generated[name].key, prod(shape)).reshape(shape)

    scalars = {scalar.name: scalar_value(scalar, case) for scalar in workload.scalars}
    inputs = HostInputs(arrays, generated, make)
    return CaseArguments(inputs, MappingProxyType(scalars), MappingProxyType(shapes))


def value_bytes(workload: Workload, case: Case) -> int:
    """Bytes of the host values of one seed that are worth keeping: expected outputs, and inputs that no recipe makes."""
    total = 0
    for array in workload.outputs:
        element = element_type(array.dtype)
        total += prod(shape_of(array, case.dims)) * (_EXPECTED_FLOAT_BYTES if element.is_float else element.size_bytes)
    for array in workload.inputs:
        element = element_type(array.dtype)
        known = None if array.values is None else recipe_of(parse_distribution(array.values), element, case.dims)
        total += 0 if known is not None else size_bytes(array, case.dims)
    return total


def random_key(case: Case, seed: int, stream: str) -> int:
    """128-bit key of a stream of random numbers: each array has its own, and no draw depends on another's length."""
    digest = hashlib.sha256(f"{case.name}\0{seed}\0{stream}".encode()).digest()
    return int.from_bytes(digest[:16], "little")
