"""The GPU that the kernel runs on, in the numbers that shape a kernel."""

from warpwright.proposer.model.prompt.limits import limits
from warpwright.proposer.model.prompt.quoting import clipped, one_line
from warpwright.proposer.protocol import SearchState
from warpwright.record.evidence import times_from
from warpwright.units import format_bytes

NOT_EMULATED = ("mma", "wmma", "wgmma", "ldmatrix", "cp.async.bulk", "tex")
"""PTX operations that people reach for and the emulator does not execute; a test holds them against its table."""


def device(state: SearchState) -> str:
    """Two or three lines; one more where the emulator stands in for the GPU."""
    gpu = state.gpu
    own, rates, memory = gpu.limits, gpu.throughput, gpu.memory
    fp32 = 2 * rates.fp32_per_sm * gpu.sm_count * rates.clock_hz
    shared = ", ".join(
        (
            f"{format_bytes(own.shared_per_block_bytes)} a block statically",
            f"up to {format_bytes(own.shared_per_block_optin_bytes)} dynamically",
            f"{format_bytes(own.shared_per_sm_bytes)} an SM",
        )
    )
    threads = ", ".join(
        (
            f"{own.max_threads_per_block} threads a block",
            f"{own.max_threads_per_sm} threads an SM",
            f"{own.max_blocks_per_sm} blocks an SM",
        )
    )
    rates_text = (
        f"DRAM {rates.dram_bytes_per_s / 1e9:,.0f} GB/s, L2 {format_bytes(memory.l2_bytes)}, fp32 {fp32 / 1e12:,.1f} Tflop/s; "
        f"an empty launch takes {gpu.launch_overhead_us:g} us."
    )
    lines = [
        "## Device",
        f"{one_line(gpu.name, limits().title)}, {gpu.arch}: {gpu.sm_count} SMs, warps of {gpu.warp_size}; at most {threads}.",
        f"Registers: {own.registers_per_sm} an SM, {own.max_registers_per_thread} a thread. Shared memory: {shared}.",
        rates_text,
    ]
    times = times_from(attempt.evaluation for attempt in state.attempts)
    if times is not None and times.estimated:
        lines.append(
            "No GPU is here: an emulator of PTX runs the kernel and estimates its time. It executes none of "
            f"{', '.join(NOT_EMULATED)}, so a kernel without them is wanted."
        )
    return clipped("\n".join(lines), limits().device)
