"""Whether a resolved launch fits the device. Source: CUDA C++ Programming Guide, Compute Capabilities."""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Protocol

from warpwright.candidate.resolved import PlanFault, ResolvedLaunch
from warpwright.hardware.gpu_spec import Dim3, GpuSpec
from warpwright.hardware.occupancy import theoretical_occupancy
from warpwright.units import format_bytes

_AXES = "xyz"


class Resources(Protocol):
    """What the compiler gave a kernel; None is unknown."""

    @property
    def registers(self) -> int | None:
        """Registers per thread."""
        ...

    @property
    def shared_static_bytes(self) -> int | None:
        """Static shared memory per block."""
        ...


@dataclass(frozen=True, slots=True)
class _Fit:
    """One launch on one GPU; registers and shared_bytes are None or partial before the kernel is compiled."""

    launch: ResolvedLaunch
    gpu: GpuSpec
    registers: int | None
    shared_static_bytes: int

    @property
    def shared_bytes(self) -> int:
        return self.shared_static_bytes + self.launch.shared_bytes


def check_limits(launch: ResolvedLaunch, gpu: GpuSpec, resources: Resources | None) -> PlanFault | None:
    """The first limit of the device that the launch breaks, or None.

    resources: of the compiled kernel; None before it is compiled (then only what the plan alone says is checked).
    A fault of the plan alone is `invalid_plan.limits`; one that depends on the compiled kernel is a `launch_error`.
    """
    registers = None if resources is None else resources.registers
    static_bytes = 0 if resources is None else resources.shared_static_bytes or 0
    fit = _Fit(launch, gpu, registers, static_bytes)
    for check in (_block, _grid, _cluster, _shared, _registers, _cooperative):
        found = check(fit)
        if found is not None:
            outcome, reason, message = found
            return PlanFault(outcome, reason, f"{launch.entry}: {message}")
    return None


_Found = tuple[str, str, str] | None


def _block(fit: _Fit) -> _Found:
    block, limits, arch = fit.launch.block, fit.gpu.limits, fit.gpu.arch
    for axis, size, most in zip(_AXES, block, limits.max_block, strict=True):
        if size > most:
            return _plan(f"block {block} has block.{axis} = {size}; {arch} allows {most}.")
    threads = fit.launch.block_threads
    if threads > limits.max_threads_per_block:
        advice = _smaller_block(block, lambda count: count <= limits.max_threads_per_block)
        return _plan(f"block {block} has {threads} threads; {arch} allows {limits.max_threads_per_block}. {advice}")
    return None


def _grid(fit: _Fit) -> _Found:
    for axis, size, most in zip(_AXES, fit.launch.grid, fit.gpu.limits.max_grid, strict=True):
        if size > most:
            advice = (
                "Put the long axis on x, or loop over it inside the kernel." if axis != "x" else "Loop in the kernel."
            )
            return _plan(f"grid {fit.launch.grid} has grid.{axis} = {size}; {fit.gpu.arch} allows {most}. {advice}")
    return None


def _cluster(fit: _Fit) -> _Found:
    cluster, grid = fit.launch.cluster, fit.launch.grid
    if cluster is None:
        return None
    most = fit.gpu.limits.max_cluster_blocks
    if most <= 1:
        return _plan(f"cluster {cluster}: {fit.gpu.arch} has no thread block clusters. Remove cluster.")
    if prod(cluster) > most:
        return _plan(f"cluster {cluster} has {prod(cluster)} blocks; {fit.gpu.arch} allows {most}.")
    for axis, size, part in zip(_AXES, grid, cluster, strict=True):
        if size % part:
            return _plan(f"grid.{axis} = {size} is not a multiple of cluster.{axis} = {part}.")
    return None


def _shared(fit: _Fit) -> _Found:
    most = fit.gpu.limits.shared_per_block_optin_bytes
    if fit.shared_bytes <= most:
        return None
    dynamic, static = fit.launch.shared_bytes, fit.shared_static_bytes
    asked = f"{dynamic} bytes of dynamic shared memory" + (f" and {static} of static" if static else "")
    message = f"{asked}; {fit.gpu.arch} allows {most} bytes a block ({format_bytes(most)}, with opt-in)."
    return _plan(message) if dynamic > most else ("launch_error", "shared_memory", message)


def _registers(fit: _Fit) -> _Found:
    if fit.registers is None or _fits(fit, fit.launch.block_threads):
        return None
    block, threads, limit = fit.launch.block, fit.launch.block_threads, fit.gpu.limits.registers_per_block
    largest = _largest_block(fit)
    advice = _smaller_block(block, lambda count: _fits(fit, count))
    message = (
        f"block {block} has {threads} threads of {fit.registers} registers; {fit.gpu.arch} has {limit} registers a "
        f"block, so at most {largest} threads. {advice} Or use __launch_bounds__({threads})."
    )
    return "launch_error", "resources", message


def _cooperative(fit: _Fit) -> _Found:
    if not fit.launch.cooperative:
        return None
    resident = theoretical_occupancy(fit.gpu, fit.launch.block_threads, fit.registers, fit.shared_bytes).blocks_per_sm
    most = resident * fit.gpu.sm_count
    if fit.launch.grid_blocks <= most:
        return None
    message = (
        f"cooperative grid {fit.launch.grid} has {fit.launch.grid_blocks} blocks; {fit.gpu.name} holds {most} of them "
        f"at once ({resident} on each of {fit.gpu.sm_count} SMs). Use at most {most} blocks."
    )
    return "launch_error", "cooperative", message


def _plan(message: str) -> tuple[str, str, str]:
    return "invalid_plan", "limits", message


def _fits(fit: _Fit, threads: int) -> bool:
    return theoretical_occupancy(fit.gpu, threads, fit.registers, 0).blocks_per_sm > 0


def _largest_block(fit: _Fit) -> int:
    sizes = range(fit.gpu.limits.max_threads_per_block, 0, -fit.gpu.warp_size)
    return next((threads for threads in sizes if _fits(fit, threads)), 0)


def _smaller_block(block: Dim3, fits: Callable[[int], bool]) -> str:
    """Advice to shrink one axis: the last one that can make the block fit, so that x keeps its width."""
    for position in (2, 1, 0):
        rest = prod(block) // block[position]
        size = next((size for size in range(block[position] - 1, 0, -1) if fits(size * rest)), 0)
        if size:
            return f"Use block.{_AXES[position]} <= {size}."
    return "Use fewer threads."
