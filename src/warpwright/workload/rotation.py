"""The values that launches under the clock take turns with (`measurement.md` M8, M9): plain data, no device types."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from warpwright.units import MIB
from warpwright.workload.arguments import random_key
from warpwright.workload.model import Case, Workload
from warpwright.workload.recipe import Recipe
from warpwright.workload.values import Array, CaseArguments

POOL_BYTES = 256 * MIB
"""Host-made inputs of all pool entries together: what crosses to the device once per `time` request."""
LEAST_POOL = 6
"""Entries that a pool has even where they take more than POOL_BYTES: three to take turns, three to hold back, which show
whether a kernel remembers."""


class ArgumentSource(Protocol):
    """What makes inputs, or has kept them: `HostValues`."""

    def arguments(self, case: Case, seed: int) -> CaseArguments:
        """What a kernel is called with."""
        ...


@dataclass(frozen=True, slots=True)
class RotatingInput:
    """One input under the clock: a recipe (each launch has a key of its own), or a pool of host arrays.

    pool: one array for each of `Rotation.pool_seeds`, in that order; empty if there is a recipe.
    """

    recipe: Recipe | None
    pool: tuple[Array, ...] = ()


@dataclass(frozen=True, slots=True)
class Rotation:
    """The inputs of one case under the clock, and which values a launch with a given seed has.

    pool_seeds: seeds for which `values` gives exactly the inputs of `make_arguments`, so that the oracle's outputs for
    (case, seed) hold. The only seeds of launches to be verified.
    """

    case: Case
    inputs: Mapping[str, RotatingInput]
    pool_seeds: tuple[int, ...]

    @property
    def pooled(self) -> bool:
        """True if some input is made on the host: then only `pool_seeds` name all inputs of a launch."""
        return any(source.recipe is None for source in self.inputs.values())

    def values(self, seed: int) -> Mapping[str, int]:
        """Input -> 128-bit key of its recipe, or index in its pool.

        A seed outside the pool has fresh keys, and takes of the pools an entry that depends on the seed.
        """
        position = self.pool_seeds.index(seed) if seed in self.pool_seeds else seed % len(self.pool_seeds)
        return MappingProxyType(
            {
                name: position if source.recipe is None else random_key(self.case, seed, name)
                for name, source in self.inputs.items()
            }
        )


def rotation(workload: Workload, case: Case, source: ArgumentSource, pool_seeds: Sequence[int]) -> Rotation:
    """The rotation of one case.

    pool_seeds: secret seeds, at least one. Where inputs are made on the host only the first ones are kept: as many as fit
    into POOL_BYTES, but not fewer than LEAST_POOL. Raises: WorkloadError if `make_inputs` fails.
    """
    if not pool_seeds:
        raise ValueError(f"case {case.name}: no pool seeds; no timed launch could be verified")
    first = source.arguments(case, pool_seeds[0])
    names = [array.name for array in workload.inputs]
    pooled = [name for name in names if name not in first.generated]
    seeds = tuple(pool_seeds)
    if pooled:
        bytes_each = max(sum(first.inputs[name].nbytes for name in pooled), 1)
        seeds = seeds[: max(POOL_BYTES // bytes_each, LEAST_POOL)]
    entries = [source.arguments(case, seed) for seed in seeds] if pooled else []
    inputs = {
        name: RotatingInput(None, tuple(entry.inputs[name] for entry in entries))
        if name in pooled
        else RotatingInput(first.generated[name].recipe)
        for name in names
    }
    return Rotation(case, MappingProxyType(inputs), seeds)
