"""Every kind of fault: the same report from machine code as from the interpreter, and the right one."""

import numpy as np
import pytest

from emulator.jit.launching import Array, Setting, compile_cuda, graph_of, launch_on_both, ptx_of
from warpwright.emulator.memory.fault import Fault, FaultKind


def fault_of(source: str, *arguments: Array | int, setting: Setting | None = None) -> Fault:
    fault = launch_on_both(graph_of(compile_cuda(source)), arguments, setting).report.fault
    assert fault is not None
    return fault


def ints(count: int) -> Array:
    return np.zeros(count, np.int32)


@pytest.mark.parametrize(
    ("body", "kind", "thread", "allocation"),
    [
        ("b[i] = a[i + (i == 21 ? 64 : 0)];", FaultKind.OOB_READ, 21, "a"),
        ("b[i] = a[i - (i == 40 ? 64 : 0)];", FaultKind.OOB_READ, 40, "a"),
        ("b[i + 1] = a[i];", FaultKind.OOB_WRITE, 63, "b"),
        ("if (i >= 50) b[i * 1000] = 1;", FaultKind.OOB_WRITE, 50, "b"),
        ("atomicAdd(b + 2000, 1);", FaultKind.OOB_WRITE, 0, "b"),
        ("b[i] = *(int*)((char*)a + i * 4 + (i == 3) * 2);", FaultKind.MISALIGNED, 3, "a"),
        ("((int4*)b)[0] = *(int4*)(a + i % 8);", FaultKind.MISALIGNED, 1, "a"),
        ("*(long long*)(b + 1) = i;", FaultKind.MISALIGNED, 0, "b"),
        ("b[i] = *(int*)(i * 4096LL);", FaultKind.OOB_READ, 0, None),
    ],
    ids=["behind", "before", "write", "partial", "atomic", "crooked", "vector", "wide", "nowhere"],
)
def test_global_memory(body: str, kind: FaultKind, thread: int, allocation: str | None) -> None:
    source = f'extern "C" __global__ void k(int* a, int* b) {{ int i = threadIdx.x;\n{body}\n}}'
    fault = fault_of(source, ints(64), ints(64), setting=Setting(block=(64, 1, 1)))
    assert (fault.kind, fault.thread, fault.allocation) == (kind, (thread, 0, 0), allocation)
    assert fault.block == (0, 0, 0)
    assert fault.source is not None
    assert fault.source.line == 2


def test_the_message_names_buffer_and_distance() -> None:
    source = 'extern "C" __global__ void k(int* a) { a[blockIdx.x * 32 + threadIdx.x] = 1; }'
    fault = fault_of(source, ints(40), setting=Setting(grid=(2, 1, 1)))
    assert fault.message == "out-of-bounds 4-byte write near a of 160 bytes: byte 160, 4 past its end"
    assert (fault.block, fault.thread) == ((1, 0, 0), (8, 0, 0))


def test_a_last_hit_does_not_hide_the_end_of_a_buffer() -> None:
    source = """extern "C" __global__ void k(const int* a, int* b, int n) {
        int sum = 0;
        for (int i = 0; i < n; ++i) sum += a[i * 32 + threadIdx.x];
        b[threadIdx.x] = sum;
    }"""
    fault = fault_of(source, ints(32 * 9 + 7), ints(32), 10)
    assert (fault.kind, fault.thread, fault.allocation) == (FaultKind.OOB_READ, (7, 0, 0), "a")


def test_read_only_memory() -> None:
    source = 'extern "C" __global__ void k(int* a, int* b) { b[threadIdx.x] = a[threadIdx.x]; a[threadIdx.x] = 1; }'
    fault = fault_of(source, ints(32), ints(32), setting=Setting(read_only=(0,)))
    assert (fault.kind, fault.allocation) == (FaultKind.OOB_WRITE, "a")
    assert fault.message == "4-byte write to a, which is constant"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("s[i + 33] = 1; b[i] = s[i];", FaultKind.OOB_WRITE),
        ("b[i] = s[i * 3];", FaultKind.OOB_READ),
        ("b[i] = *(int*)((char*)s + i);", FaultKind.MISALIGNED),
        ("atomicAdd(s + 64 + i, 1);", FaultKind.OOB_WRITE),
    ],
    ids=["write", "read", "crooked", "atomic"],
)
def test_shared_memory(body: str, kind: FaultKind) -> None:
    source = f'extern "C" __global__ void k(int* b) {{ extern __shared__ int s[]; int i = threadIdx.x; {body} }}'
    assert fault_of(source, ints(64), setting=Setting(shared_bytes=256)).kind is kind


def test_local_memory() -> None:
    body = """.local .align 4 .b8 frame[64];
    mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u64 %rd1, frame; cvt.u64.u32 %rd2, %r2; add.u64 %rd3, %rd1, %rd2;
    st.local.u32 [%rd3], %r1; ret;"""
    fault = launch_on_both(graph_of(ptx_of(body)), [ints(1)]).report.fault
    assert fault is not None
    assert (fault.kind, fault.thread, fault.address) == (FaultKind.OOB_WRITE, (16, 0, 0), 64)


@pytest.mark.parametrize("space", ["shared", "local"])
def test_generic_addresses(space: str) -> None:
    body = f""".{space} .align 4 .b8 area[128];
    mov.u64 %rd1, area; cvta.{space}.u64 %rd2, %rd1; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 8;
    add.u64 %rd4, %rd2, %rd3; st.u32 [%rd4], %r1; ret;"""
    fault = launch_on_both(graph_of(ptx_of(body)), [ints(1)]).report.fault
    assert fault is not None
    assert (fault.kind, fault.thread, fault.address) == (FaultKind.OOB_WRITE, (16, 0, 0), 128)


def test_trap_of_one_thread() -> None:
    source = """extern "C" __global__ void k(int* a) { a[threadIdx.x] = 5; if (threadIdx.x == 45) __trap(); }"""
    fault = fault_of(source, ints(64), setting=Setting(block=(64, 1, 1)))
    assert (fault.kind, fault.thread) == (FaultKind.TRAP, (45, 0, 0))


@pytest.mark.parametrize(
    "body",
    [
        "if (i < 32) __syncthreads(); else { a[i] = 1; __syncthreads(); a[i] = 2; }",
        "if (i & 1) { __syncthreads(); a[i] = 1; } else { a[i] = 2; __syncthreads(); a[i] = 3; }",
    ],
    ids=["warps", "lanes"],
)
def test_divergent_barriers(body: str) -> None:
    source = f'extern "C" __global__ void k(int* a) {{ int i = threadIdx.x; {body} }}'
    fault = fault_of(source, ints(64), setting=Setting(block=(64, 1, 1)))
    assert fault.kind is FaultKind.BARRIER_DIVERGENCE


def test_a_barrier_that_can_never_fill() -> None:
    body = "bar.sync 1, 96; ret;"
    fault = launch_on_both(graph_of(ptx_of(body)), [ints(1)], Setting(block=(64, 1, 1))).report.fault
    assert fault is not None
    assert fault.kind is FaultKind.DEADLOCK


def test_endless_loop_spends_the_budget() -> None:
    source = """extern "C" __global__ void k(int* a) { for (int i = 1; i; i += 2) a[0] = i; }"""
    fault = fault_of(source, ints(1), setting=Setting(budget=2000))
    assert fault.kind is FaultKind.BUDGET


def test_waiting_for_a_flag_that_nobody_sets() -> None:
    source = """extern "C" __global__ void k(volatile int* a) { while (*a == 0) {} }"""
    fault = fault_of(source, ints(1), setting=Setting(budget=30000))
    assert fault.kind is FaultKind.DEADLOCK
    assert "another block" in fault.message


def test_results_before_the_fault_stay() -> None:
    source = (
        """extern "C" __global__ void k(int* a) { a[threadIdx.x] = 7; __syncthreads(); a[threadIdx.x + 32] = 8; }"""
    )
    launched = launch_on_both(graph_of(compile_cuda(source)), [ints(48)])
    assert launched.arrays[0][:32].tolist() == [7] * 32
