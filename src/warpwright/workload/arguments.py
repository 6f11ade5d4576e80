"""What a kernel is called with in one (case, seed)."""

import hashlib
from types import MappingProxyType
from typing import Protocol

import numpy as np

from warpwright.workload.distributions import draw, parse_distribution
from warpwright.workload.dtypes import element_type
from warpwright.workload.model import Case, Workload
from warpwright.workload.shapes import scalar_value, shape_of
from warpwright.workload.values import Array, CaseArguments


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
    inputs = {}
    for array in workload.inputs:
        if array.values is None:
            inputs[array.name] = made[array.name]
        else:
            element = element_type(array.dtype)
            generator = random_generator(case, seed, array.name)
            inputs[array.name] = draw(
                parse_distribution(array.values), element, shapes[array.name], case.dims, generator
            )
    scalars = {scalar.name: scalar_value(scalar, case) for scalar in workload.scalars}
    return CaseArguments(MappingProxyType(inputs), MappingProxyType(scalars), MappingProxyType(shapes))


def random_generator(case: Case, seed: int, stream: str) -> np.random.Generator:
    """Philox keyed by case, seed and stream: each array has its own numbers, and no draw depends on another's length."""
    return np.random.Generator(np.random.Philox(key=random_key(case, seed, stream)))


def random_key(case: Case, seed: int, stream: str) -> int:
    """128-bit key of a stream of random numbers."""
    digest = hashlib.sha256(f"{case.name}\0{seed}\0{stream}".encode()).digest()
    return int.from_bytes(digest[:16], "little")
