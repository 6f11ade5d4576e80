"""The GPUs that Warpwright knows without having one: one TOML file each in `gpus/`."""

import tomllib
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

from warpwright.errors import InputError
from warpwright.hardware.gpu_spec import Dim3, GpuSpec, LaunchLimits, MemorySizes, Throughput

_FOLDER = files("warpwright.hardware") / "gpus"
_SUFFIX = ".toml"


@cache
def gpu_keys() -> tuple[str, ...]:
    """Short names of all described GPUs, in alphabetical order."""
    return tuple(
        sorted(entry.name.removesuffix(_SUFFIX) for entry in _FOLDER.iterdir() if entry.name.endswith(_SUFFIX))
    )


@cache
def load_gpu(key: str) -> GpuSpec:
    """The description of a GPU.

    key: as on the command line, `h200`. Raises: InputError for an unknown key, naming the known ones.
    """
    if key not in gpu_keys():
        close = get_close_matches(key, gpu_keys(), n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        raise InputError(f"GPU {key!r} is not described; known: {', '.join(gpu_keys())}.{hint}")
    return _spec(key, tomllib.loads((_FOLDER / f"{key}{_SUFFIX}").read_text(encoding="utf-8")))


def _spec(key: str, table: dict[str, Any]) -> GpuSpec:
    limits = {**table.pop("limits")}
    for name in ("max_block", "max_grid"):
        limits[name] = _dim3(limits[name])
    major, minor = table.pop("compute_capability")
    return GpuSpec(
        key=key,
        compute_capability=(major, minor),
        limits=LaunchLimits(**limits),
        throughput=Throughput(**table.pop("throughput")),
        memory=MemorySizes(**table.pop("memory")),
        **table,
    )


def _dim3(sizes: list[int]) -> Dim3:
    x, y, z = sizes
    return x, y, z
