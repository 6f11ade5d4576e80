"""Every kind of fault with its whole message and place, as the interpreter reports it."""

import numpy as np
import pytest

from emulator.jit.launching import Array, Setting, compile_cuda, graph_of, launch, ptx_of
from warpwright.emulator.interp import Interpreter
from warpwright.emulator.memory.arena import BASE_ADDRESS
from warpwright.emulator.memory.fault import Fault, FaultKind
from warpwright.emulator.ptx.ir import SourceLine

TRAPPED = "the kernel executed a trap (a failed assert, or __trap())"
ENDLESS = "the instruction budget is spent: the kernel loops for ever, or does far more work than the case needs"
STUCK = (
    "no thread can go on: threads wait for each other, for a flag that nobody sets, or for another block (blocks run one "
    "after another here)"
)
DIVERGED = (
    "threads of one block wait at different barriers: __syncthreads() stands in code that not all threads of the block "
    "reach"
)


def fault_of(body: str, setting: Setting, *arrays: Array) -> Fault:
    """Of a kernel with int buffers a and b of 64 elements, dynamic shared s, and its body on line 3."""
    source = f"""extern "C" __global__ void k(int* a, int* b) {{
  extern __shared__ int s[]; int i = threadIdx.x;
  {body}
}}"""
    graph = graph_of(compile_cuda(source))
    fault = launch(Interpreter(graph), graph, arrays or [np.zeros(64, np.int32)] * 2, setting).report.fault
    assert fault is not None
    assert fault.source == SourceLine("kernel.cu", 3)
    return fault


MESSAGES: dict[str, tuple[str, FaultKind, tuple[int, int, int], str]] = {
    "behind": (
        "b[i] = a[i + 40];", FaultKind.OOB_READ, (24, 0, 0),
        "out-of-bounds 4-byte read near a of 256 bytes: byte 256, 4 past its end",
    ),
    "before": (
        "b[i - 1] = i;", FaultKind.OOB_WRITE, (0, 0, 0),
        "out-of-bounds 4-byte write near b of 256 bytes: 4 bytes before it",
    ),
    "wide": (
        "((int4*)b)[i] = make_int4(1, 2, 3, 4);", FaultKind.OOB_WRITE, (16, 0, 0),
        "out-of-bounds 16-byte write near b of 256 bytes: byte 256, 16 past its end",
    ),
    "null": ("b[i] = *(int*)(i * 4ull);", FaultKind.OOB_READ, (0, 0, 0), "4-byte read at address 0x0, where no buffer is"),
    "crooked": (
        "b[i] = *(int*)((char*)a + i);", FaultKind.MISALIGNED, (1, 0, 0),
        "4-byte access at byte 1 of a, whose address is no multiple of 4",
    ),
    "constant": ("a[i] = 1;", FaultKind.OOB_WRITE, (0, 0, 0), "4-byte write to a, which is constant"),
    "shared": (
        "s[i * 3] = 1; b[i] = s[0];", FaultKind.OOB_WRITE, (22, 0, 0),
        "4-byte write at byte 264 of shared memory, beyond its end",
    ),
    "shared_crooked": (
        "*(double*)(s + i) = 1; b[i] = s[0];", FaultKind.MISALIGNED, (1, 0, 0),
        "8-byte access to shared memory at byte 4, which is no multiple of 8",
    ),
    "trap": (
        "b[i] = 1; if (i == 9) __trap();", FaultKind.TRAP, (9, 0, 0), TRAPPED,
    ),
    "endless": ("for (int n = 1; n; n += 2) b[i] = n;", FaultKind.BUDGET, (0, 0, 0), ENDLESS),
    "waiting": ("if (i == 5) while (*(volatile int*)a == 0) {}", FaultKind.DEADLOCK, (5, 0, 0), STUCK),
    "barriers": (
        "if (i < 32) __syncthreads(); else { b[i] = 1; __syncthreads(); b[i] = 2; }", FaultKind.BARRIER_DIVERGENCE,
        (32, 0, 0), DIVERGED,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MESSAGES)
def test_fault(name: str) -> None:
    body, kind, thread, message = MESSAGES[name]
    setting = Setting(block=(64, 1, 1), shared_bytes=256, budget=20000, read_only=(0,))
    fault = fault_of(body, setting)
    assert (fault.kind, fault.thread, fault.block, fault.message) == (kind, thread, (0, 0, 0), message)


def test_address_and_allocation_are_named() -> None:
    fault = fault_of("a[64] = 1;", Setting())
    assert fault.allocation == "a"
    assert fault.address is not None
    assert fault.address > BASE_ADDRESS


def test_threads_and_blocks_have_three_axes() -> None:
    body = "if (blockIdx.y == 2 && threadIdx.y == 1 && threadIdx.z == 1 && i == 3) b[100] = 1;"
    fault = fault_of(body, Setting(grid=(2, 3, 1), block=(4, 2, 2)))
    assert (fault.block, fault.thread) == ((0, 2, 0), (3, 1, 1))


def test_a_failed_assert_traps() -> None:
    graph = graph_of(
        compile_cuda('extern "C" __global__ void k(int* a) { assert(a[threadIdx.x] == 0); a[threadIdx.x] = 5; }')
    )
    fine = launch(Interpreter(graph), graph, [np.zeros(32, np.int32)])
    assert fine.report.fault is None
    assert fine.arrays[0].tolist() == [5] * 32
    fault = launch(Interpreter(graph), graph, [(np.arange(32) == 7).astype(np.int32)]).report.fault
    assert fault is not None
    assert (fault.kind, fault.thread) == (FaultKind.TRAP, (7, 0, 0))


def test_a_barrier_that_waits_for_more_threads_than_come() -> None:
    graph = graph_of(ptx_of("bar.sync 1, 96; ret;"))
    fault = launch(Interpreter(graph), graph, [np.zeros(1, np.int32)], Setting(block=(64, 1, 1))).report.fault
    assert fault is not None
    assert (fault.kind, fault.message, fault.ptx_line, fault.source) == (FaultKind.DEADLOCK, STUCK, 9, None)


def test_writes_before_a_fault_stay() -> None:
    source = 'extern "C" __global__ void k(int* a) { a[threadIdx.x] = 7; __syncthreads(); a[threadIdx.x + 1] = 8; }'
    graph = graph_of(compile_cuda(source))
    launched = launch(Interpreter(graph), graph, [np.zeros(32, np.int32)])
    assert launched.report.fault is not None
    assert launched.arrays[0].tolist() == [7] * 32
