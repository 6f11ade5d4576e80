"""How many blocks of a kernel an SM holds at once, and what sets the limit."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from warpwright.hardware.gpu_spec import GpuSpec


class Limiter(StrEnum):
    """What keeps an SM from holding more blocks."""

    WARPS = "warps"
    BLOCKS = "blocks"
    REGISTERS = "registers"
    SHARED = "shared"


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Resident work per SM; all zero if one block does not fit.

    warps: resident warps. ratio: warps over the hardware limit, 0..1. limits: blocks that each resource alone allows.
    """

    warps: int
    blocks_per_sm: int
    ratio: float
    limiter: Limiter
    limits: Mapping[Limiter, int]


def theoretical_occupancy(gpu: GpuSpec, block_threads: int, registers: int | None, shared_bytes: int) -> Occupancy:
    """Resident warps per SM over the hardware limit, and what limits them.

    block_threads: threads per block. registers: per thread, None if unknown (then no limit). shared_bytes: static and
    dynamic shared memory per block.
    Source: CUDA C++ Programming Guide, Compute Capabilities, and the allocation rules of `cuda_occupancy.h`.
    """
    limits = gpu.limits
    block_warps = -(-block_threads // gpu.warp_size)
    allowed = {
        Limiter.WARPS: limits.max_threads_per_sm // gpu.warp_size // block_warps,
        Limiter.BLOCKS: limits.max_blocks_per_sm,
        Limiter.REGISTERS: _by_registers(gpu, block_warps, registers),
        Limiter.SHARED: _by_shared(gpu, shared_bytes),
    }
    if block_threads > limits.max_threads_per_block:
        allowed[Limiter.WARPS] = 0
    limiter = min(allowed, key=lambda name: allowed[name])
    blocks = allowed[limiter]
    warps = blocks * block_warps
    ratio = warps / (limits.max_threads_per_sm // gpu.warp_size)
    return Occupancy(warps, blocks, ratio, limiter, MappingProxyType(allowed))


def _by_registers(gpu: GpuSpec, block_warps: int, registers: int | None) -> int:
    """Registers are given to whole warps in units, from the quarter of the file that belongs to a warp's scheduler."""
    limits = gpu.limits
    if not registers:
        return limits.max_blocks_per_sm
    if registers > limits.max_registers_per_thread:
        return 0
    per_warp = -(-registers * gpu.warp_size // limits.register_unit) * limits.register_unit
    if per_warp * block_warps > limits.registers_per_block:
        return 0
    schedulers = gpu.throughput.schedulers_per_sm
    warps = limits.registers_per_sm // schedulers // per_warp * schedulers
    return warps // block_warps


def _by_shared(gpu: GpuSpec, shared_bytes: int) -> int:
    limits = gpu.limits
    if shared_bytes > limits.shared_per_block_optin_bytes:
        return 0
    unit = limits.shared_unit_bytes
    per_block = -(-(shared_bytes + limits.shared_reserved_bytes) // unit) * unit
    return limits.shared_per_sm_bytes // per_block if per_block else limits.max_blocks_per_sm
