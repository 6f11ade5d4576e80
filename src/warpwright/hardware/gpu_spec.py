"""What a GPU is: limits that a launch must respect, and rates that a cost model needs."""

from dataclasses import dataclass

Dim3 = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class LaunchLimits:
    """What one launch may ask for on this GPU. Source: CUDA C++ Programming Guide, Compute Capabilities."""

    max_threads_per_block: int
    max_block: Dim3
    max_grid: Dim3
    max_threads_per_sm: int
    max_blocks_per_sm: int
    max_registers_per_thread: int
    registers_per_block: int
    registers_per_sm: int
    register_unit: int
    """Registers are handed out per warp in multiples of this."""
    shared_per_block_bytes: int
    """Static limit, and the dynamic limit without opt-in."""
    shared_per_block_optin_bytes: int
    shared_per_sm_bytes: int
    shared_reserved_bytes: int
    """Taken by the system from each block's shared memory."""
    shared_unit_bytes: int
    max_cluster_blocks: int


@dataclass(frozen=True, slots=True)
class Throughput:
    """Data-sheet rates. Per-SM rates count thread operations a cycle (an FMA is one operation)."""

    clock_hz: float
    schedulers_per_sm: int
    fp32_per_sm: float
    fp64_per_sm: float
    fp16_per_sm: float
    int32_per_sm: float
    sfu_per_sm: float
    tensor_fp16_flops_per_sm: float
    """Dense fp16 flops a cycle and SM (an FMA is two)."""
    lsu_wavefronts_per_sm: float
    """128-byte wavefronts a cycle that L1 and shared memory serve."""
    l2_bytes_per_s: float
    dram_bytes_per_s: float
    atomic_per_l2_slice: float
    """Read-modify-writes a cycle on one address."""


@dataclass(frozen=True, slots=True)
class MemorySizes:
    """Capacities in bytes and latencies in SM cycles."""

    l1_bytes: int
    """L1 and shared memory together, per SM."""
    l2_bytes: int
    dram_bytes: int
    dram_granule_bytes: int
    l1_latency_cycles: float
    shared_latency_cycles: float
    l2_latency_cycles: float
    dram_latency_cycles: float


@dataclass(frozen=True, slots=True)
class GpuSpec:
    """One GPU: read from `hardware/gpus/<key>.toml`, or reported by a device."""

    key: str
    """Short name used on the command line: `h200`."""
    name: str
    """Marketing name: `NVIDIA H200`."""
    compute_capability: tuple[int, int]
    sm_count: int
    warp_size: int
    launch_overhead_us: float
    """Time of an empty launch, floor of every kernel."""
    limits: LaunchLimits
    throughput: Throughput
    memory: MemorySizes
    calibrated: bool
    """True if the cost model's constants were measured on this GPU and its estimates checked; false: data sheet only."""
    source: str
    """Where the numbers come from."""

    @property
    def arch(self) -> str:
        """Target of the compiler: `sm_90`."""
        major, minor = self.compute_capability
        return f"sm_{major}{minor}"
