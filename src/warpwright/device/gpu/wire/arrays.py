"""Arrays, scalars and plans in the words of the wire (`docs/harness.md`, *Plan, arrays, values*)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from warpwright.candidate.resolved import ResolvedPlan, ResolvedScratch
from warpwright.device.protocol import Array, ScalarArgument
from warpwright.workload.dtypes import numpy_dtype
from warpwright.workload.model import Role
from warpwright.workload.recipe import Recipe

Json = dict[str, Any]

SCRATCH_ALIGN_BYTES = 256


class Attachments:
    """Host arrays that follow a request, in order."""

    def __init__(self) -> None:
        self.arrays: list[Array] = []

    def add(self, arrays: Iterable[Array]) -> list[int]:
        """Their indices."""
        first = len(self.arrays)
        self.arrays.extend(arrays)
        return list(range(first, len(self.arrays)))


def array_fields(name: str, role: Role, dtype: str, shape: Sequence[int]) -> Json:
    """An array with no values yet, as an allocator would place it."""
    return {
        "name": name,
        "role": role.value,
        "dtype": numpy_dtype(dtype).str,
        "shape": list(shape),
        "align_bytes": SCRATCH_ALIGN_BYTES,
        "zeroed": False,
        "recipe": None,
        "pool": [],
    }


def scratch_fields(scratch: ResolvedScratch, name: str) -> Json:
    """A scratch buffer under a name of its own."""
    return {**array_fields(name, Role.OUT, scratch.dtype, scratch.shape), "role": "scratch"}


def recipe_fields(recipe: Recipe | None) -> Json | None:
    """Its numbers: doubles, or for integers decimal strings, which hold 64 bits."""
    if recipe is None:
        return None
    number = str if recipe.kind == "integers" else float
    return {
        "kind": recipe.kind,
        "dtype": recipe.dtype,
        "first": number(recipe.first),
        "second": number(recipe.second),
    }


def value_field(recipe: Recipe | None, value: int) -> str | int:
    """A key as 32 hex digits, or an index in the pool."""
    return value if recipe is None else f"{value:032x}"


def scalar_fields(scalars: Iterable[ScalarArgument]) -> list[Json]:
    """The exact bytes of each."""
    return [{"name": scalar.name, "hex": scalar.packed.hex()} for scalar in scalars]


def plan_fields(plan: ResolvedPlan, symbols: Mapping[str, str], renamed: Mapping[str, str]) -> Json:
    """A plan. symbols: by entry. renamed: buffers that have another name on the wire."""
    return {
        "launches": [
            {
                "symbol": symbols[launch.entry],
                "grid": list(launch.grid),
                "block": list(launch.block),
                "shared_bytes": launch.shared_bytes,
                "cluster": None if launch.cluster is None else list(launch.cluster),
                "cooperative": launch.cooperative,
                "args": [renamed.get(name, name) for name in launch.args],
            }
            for launch in plan.launches
        ]
    }
