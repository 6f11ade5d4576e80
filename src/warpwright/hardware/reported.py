"""A GPU as its driver reports it: limits from its attributes, rates from its description or from its compute capability."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from warpwright.hardware.catalog import gpu_keys, load_gpu
from warpwright.hardware.gpu_spec import GpuSpec, LaunchLimits, MemorySizes, Throughput

_DATA = "capabilities.toml"
_KHZ = 1e3
_PUMPED = 2
"""Transfers per cycle of the memory clock that the driver reports."""

Attributes = Mapping[str, int | None]


def reported_gpu(name: str, compute_capability: tuple[int, int], memory_bytes: int, attributes: Attributes) -> GpuSpec:
    """The description of a GPU.

    attributes: CUdevice_attribute names without their prefix -> value, None where the driver does not know them. A GPU that
    is described (same name) keeps its rates; an unknown one gets those of its compute capability, or of the nearest lower
    one, and is not calibrated; `source` says which.
    """
    table = _capabilities()
    known = {key: load_gpu(key) for key in gpu_keys()}
    key = table["names"].get(name) or next((key for key, gpu in known.items() if gpu.name == name), None)
    row, note = _row(compute_capability)
    described = known.get(key) if key is not None else None
    if described is not None:
        limits = _limits(attributes, row, described.limits)
        memory = replace(described.memory, dram_bytes=memory_bytes, l2_bytes=_l2(attributes, described.memory.l2_bytes))
        sms = attributes.get("MULTIPROCESSOR_COUNT") or described.sm_count
        return replace(described, name=name, sm_count=sms, limits=limits, memory=memory)
    return _unknown(name, compute_capability, memory_bytes, attributes, (row, note))


def _unknown(
    name: str,
    compute_capability: tuple[int, int],
    memory_bytes: int,
    attributes: Attributes,
    rates: tuple[Mapping[str, Any], str],
) -> GpuSpec:
    row, note = rates
    notes = [f"attributes of the driver; {note}"]
    sms = attributes.get("MULTIPROCESSOR_COUNT") or 1
    clock_hz = (attributes.get("CLOCK_RATE") or 0) * _KHZ
    if not clock_hz:
        clock_hz = float(row["assumed_clock_hz"])
        notes.append("clock assumed")
    width_bytes = (attributes.get("GLOBAL_MEMORY_BUS_WIDTH") or 0) / 8
    dram = _PUMPED * (attributes.get("MEMORY_CLOCK_RATE") or 0) * _KHZ * width_bytes
    if not dram:
        dram = float(row["assumed_dram_bytes_per_s"])
        notes.append("DRAM bandwidth assumed")
    return GpuSpec(
        key=re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_"),
        name=name,
        compute_capability=compute_capability,
        sm_count=sms,
        warp_size=attributes.get("WARP_SIZE") or 32,
        launch_overhead_us=float(row["launch_overhead_us"]),
        limits=_limits(attributes, row, None),
        throughput=Throughput(
            clock_hz=clock_hz,
            l2_bytes_per_s=float(row["l2_bytes_per_clock_per_sm"]) * clock_hz * sms,
            dram_bytes_per_s=dram,
            **row["throughput"],
        ),
        memory=MemorySizes(l2_bytes=_l2(attributes, row["assumed_l2_bytes"]), dram_bytes=memory_bytes, **row["memory"]),
        calibrated=False,
        source="; ".join(notes),
    )


def _row(compute_capability: tuple[int, int]) -> tuple[Mapping[str, Any], str]:
    """Rates of a compute capability, and where they come from; the nearest lower one for one that is not in the table."""
    rows = {tuple(row["compute_capability"]): row for row in _capabilities()["capability"]}
    lower = [capability for capability in rows if capability <= compute_capability]
    chosen = max(lower) if lower else min(rows)
    source = "rates of compute capability {}.{}: CUDA C++ Programming Guide, throughput of arithmetic instructions"
    note = source.format(*chosen)
    if chosen != compute_capability:
        note += f" ({compute_capability[0]}.{compute_capability[1]} is not in the table)"
    return rows[chosen], note


def _limits(attributes: Attributes, row: Mapping[str, Any], described: LaunchLimits | None) -> LaunchLimits:
    """What the driver says; where it does not know, the description, else the row of the compute capability."""

    def value(attribute: str, field: str) -> int:
        reported = attributes.get(attribute)
        if reported:
            return reported
        return int(getattr(described, field)) if described is not None else int(row["limits"][field])

    def dim3(prefix: str, field: str) -> tuple[int, int, int]:
        reported = [attributes.get(f"{prefix}_{axis}") for axis in "XYZ"]
        x, y, z = (own or default for own, default in zip(reported, row["limits"][field], strict=True))
        return x, y, z

    reserved = attributes.get("RESERVED_SHARED_MEMORY_PER_BLOCK")
    clusters = attributes.get("CLUSTER_LAUNCH")
    return LaunchLimits(
        max_threads_per_block=value("MAX_THREADS_PER_BLOCK", "max_threads_per_block"),
        max_block=dim3("MAX_BLOCK_DIM", "max_block"),
        max_grid=dim3("MAX_GRID_DIM", "max_grid"),
        max_threads_per_sm=value("MAX_THREADS_PER_MULTIPROCESSOR", "max_threads_per_sm"),
        max_blocks_per_sm=value("MAX_BLOCKS_PER_MULTIPROCESSOR", "max_blocks_per_sm"),
        max_registers_per_thread=row["limits"]["max_registers_per_thread"],
        registers_per_block=value("MAX_REGISTERS_PER_BLOCK", "registers_per_block"),
        registers_per_sm=value("MAX_REGISTERS_PER_MULTIPROCESSOR", "registers_per_sm"),
        register_unit=row["limits"]["register_unit"],
        shared_per_block_bytes=value("MAX_SHARED_MEMORY_PER_BLOCK", "shared_per_block_bytes"),
        shared_per_block_optin_bytes=value("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", "shared_per_block_optin_bytes"),
        shared_per_sm_bytes=value("MAX_SHARED_MEMORY_PER_MULTIPROCESSOR", "shared_per_sm_bytes"),
        shared_reserved_bytes=row["limits"]["shared_reserved_bytes"] if reserved is None else reserved,
        shared_unit_bytes=row["limits"]["shared_unit_bytes"],
        max_cluster_blocks=1 if clusters == 0 else row["limits"]["max_cluster_blocks"],
    )


def _l2(attributes: Attributes, otherwise: int) -> int:
    return attributes.get("L2_CACHE_SIZE") or otherwise


@cache
def _capabilities() -> dict[str, Any]:
    return tomllib.loads((files("warpwright.hardware") / _DATA).read_text(encoding="utf-8"))
