"""The executor as its users see it: availability, runs of some blocks, traces, refusals, threads."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from emulator.jit.launching import Setting, compile_cuda, graph_of, launch_on_both, ptx_of
from warpwright.emulator import jit
from warpwright.emulator.execution import Executor, Run
from warpwright.emulator.flow import KernelGraph
from warpwright.emulator.jit import Jit, available, native
from warpwright.emulator.memory.arena import Arena
from warpwright.emulator.ptx.ir import Special
from warpwright.errors import UnsupportedInstruction, WarpwrightError

COPY = 'extern "C" __global__ void k(const int* a, int* b) { int i = blockIdx.x * 32 + threadIdx.x; b[i] = a[i] + 1; }'


def test_available_here() -> None:
    assert available() is None


def test_exports() -> None:
    assert jit.__all__ == ["Jit", "available"]


def copy_run(blocks: list[int]) -> tuple[KernelGraph, Run, np.ndarray[tuple[int], np.dtype[np.int32]]]:
    graph = graph_of(compile_cuda(COPY))
    arena = Arena(Arena.capacity_for([1024, 1024]))
    a, b = arena.allocate("a", 1024), arena.allocate("b", 1024)
    parameters = a.address.to_bytes(8, "little") + b.address.to_bytes(8, "little")
    run = Run((8, 1, 1), (32, 1, 1), 0, parameters, np.array(blocks), arena, 10**6)
    return graph, run, arena.view(b).view(np.int32)


def test_only_the_blocks_asked_for_run() -> None:
    graph, run, output = copy_run([6, 1])
    executor: Executor = Jit(graph)
    report = executor.run(run)
    assert report.fault is None
    assert np.flatnonzero(output).tolist() == [*range(32, 64), *range(192, 224)]
    assert report.counts.block_warps.tolist() == [2]


def test_runs_do_not_add_up_and_threads_do_not_disturb_each_other() -> None:
    graph, run, _ = copy_run(list(range(8)))
    executor = Jit(graph)
    with ThreadPoolExecutor(4) as pool:
        reports = list(pool.map(executor.run, [run] * 16))
    assert {report.counts.memory.tobytes() for report in reports} == {reports[0].counts.memory.tobytes()}


def test_trace_of_the_first_requests() -> None:
    graph, run, _ = copy_run([3, 0])
    report = Jit(graph).run(replace(run, trace_requests=3))
    assert report.trace["block"].tolist() == [3, 3, 0]
    assert report.trace["memory_index"].tolist() == [0, 1, 0]
    assert report.trace["size"].tolist() == [4, 4, 4]
    assert report.trace["mask"].tolist() == [0xFFFFFFFF] * 3
    base = run.arena.allocations[0].address
    assert report.trace["address"][0].tolist() == [base + 4 * (96 + lane) for lane in range(32)]


def test_tracing_does_not_change_counts() -> None:
    graph, run, _ = copy_run([3, 0])
    plain, traced = (Jit(graph).run(replace(run, trace_requests=room)) for room in (0, 3))
    assert plain.counts.memory.tolist() == traced.counts.memory.tolist()
    assert len(plain.trace) == 0


def test_a_refusal_names_the_line() -> None:
    graph = graph_of(compile_cuda(COPY))
    block = graph.blocks[0]
    at, node = next((i, n) for i, n in enumerate(block.nodes) if Special("tid", "x") in n.instruction.operands)
    strange = replace(node.instruction, operands=(node.instruction.operands[0], Special("pm0")))
    nodes = (*block.nodes[:at], replace(node, instruction=strange), *block.nodes[at + 1 :])
    changed = replace(graph, blocks=(replace(block, nodes=nodes), *graph.blocks[1:]))
    with pytest.raises(UnsupportedInstruction) as caught:
        Jit(changed)
    line = node.instruction.ptx_line
    expected = (
        f"kernel.cu:1 (PTX line {line}): mov.u32 with %pm0 is not emulated. Run this candidate with --device gpu."
    )
    assert str(caught.value) == expected


def test_more_than_64_basic_blocks() -> None:
    """A chain of 100 diamonds, in which every lane takes its own way."""
    steps = "\n".join(
        f"and.b32 %r3, %r1, {1 << n % 5}; setp.ne.u32 %p1, %r3, 0; @%p1 bra L{n};\nadd.u32 %r2, %r2, {n};\nL{n}:\n"
        f"mad.lo.u32 %r2, %r2, 3, 1;"
        for n in range(100)
    )
    body = f"""mov.u32 %r1, %tid.x; mov.u32 %r2, %r1;\n{steps}
    ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2; ret;"""
    graph = graph_of(ptx_of(body))
    assert len(graph.blocks) > 128
    launched = launch_on_both(graph, [np.zeros(64, np.uint32)], Setting(block=(64, 1, 1)))

    def way(thread: int) -> int:
        value = thread
        for n in range(100):
            value = (value + (0 if thread & 1 << n % 5 else n)) * 3 + 1
        return value & 0xFFFFFFFF

    assert launched.arrays[0].tolist() == [way(thread) for thread in range(64)]


def test_special_registers() -> None:
    names = ["%tid.x", "%tid.y", "%tid.z", "%ntid.y", "%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.z", "%laneid", "%warpid",
             "%lanemask_lt", "%lanemask_ge", "%lanemask_eq", "%lanemask_gt", "%lanemask_le", "%total_smem_size",
             "%dynamic_smem_size", "%nwarpid", "%clock", "%smid"]  # fmt: skip
    moves = "\n".join(f"mov.u32 %r10, {name}; st.global.u32 [%rd9 + {4 * n}], %r10;" for n, name in enumerate(names))
    body = f"""ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x; mad.lo.u32 %r1, %r1, 1, 0; mov.u32 %r2, %ctaid.y; mad.lo.u32 %r1, %r2, 2, %r1;
    mov.u32 %r2, %ctaid.z; mad.lo.u32 %r1, %r2, 6, %r1;
    mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mad.lo.u32 %r2, %r3, 4, %r2; mov.u32 %r3, %tid.x; mad.lo.u32 %r2, %r2, 5, %r3;
    mad.lo.u32 %r1, %r1, 60, %r2; mul.wide.u32 %rd2, %r1, {4 * len(names)}; add.u64 %rd9, %rd1, %rd2;
    {moves}
    ret;"""
    setting = Setting((2, 3, 2), (5, 4, 3), shared_bytes=100)
    launched = launch_on_both(graph_of(ptx_of(body)), [np.zeros((12, 60, len(names)), np.uint32)], setting)
    block, thread = 2 + 6 + 1, 33
    row = launched.arrays[0][block, thread].tolist()
    assert row[:10] == [3, 2, 1, 4, 1, 1, 1, 2, 1, 1]
    assert row[10:18] == [1, 0xFFFFFFFE, 2, 0xFFFFFFFC, 3, 100, 100, 2]


def test_without_llvmlite_the_reason_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    monkeypatch.setitem(sys.modules, "llvmlite.binding", None)
    reason = available.__wrapped__()
    assert reason is not None
    assert reason.startswith("llvmlite cannot be loaded (")


def test_the_package_loads_without_llvmlite() -> None:
    code = (
        "import sys; sys.modules['llvmlite'] = None; from warpwright.emulator.jit import available; print(available())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "llvmlite cannot be loaded" in done.stdout


def test_refused_code_is_a_fault_of_ours() -> None:
    with pytest.raises(WarpwrightError, match="LLVM refuses the code that was generated for this kernel"):
        native.compile_object("define nonsense", native.host_cpu(), optimise=False)
