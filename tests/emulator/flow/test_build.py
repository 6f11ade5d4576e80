"""Kernels as basic blocks: inlining, call parameters, order, liveness, refusals."""

import numpy as np
import pytest

from emulator.jit.launching import Setting, compile_cuda, graph_of, launch, ptx_of
from warpwright.emulator.flow import build_graph
from warpwright.emulator.interp import Interpreter
from warpwright.emulator.ptx import parse
from warpwright.errors import UnsupportedInstruction

DEVICE_FUNCTION = """
struct Pair { float a; int b; };
__device__ __noinline__ Pair twice(Pair p, double c) { return Pair{p.a * 2 + (float)c, p.b + 1}; }
extern "C" __global__ void k(float* x, int* y) {
    int i = threadIdx.x;
    Pair p = twice(Pair{x[i], y[i]}, 0.5);
    if (i % 2) p = twice(p, 0.25);
    x[i] = p.a;
    y[i] = p.b;
}
"""


def test_calls_with_structs_are_inlined_and_right() -> None:
    ptx = compile_cuda(DEVICE_FUNCTION)
    assert "call" in ptx
    module = parse(ptx)
    graph = build_graph(module, "k")
    assert not any(node.instruction.opcode in ("call", "ret") for block in graph.blocks for node in block.nodes)
    x, y = np.arange(32, dtype=np.float32), np.arange(32, dtype=np.int32)
    done = launch(Interpreter(graph), graph, [x, y])
    once, odd = x * 2 + 0.5, np.arange(32) % 2 == 1
    assert np.array_equal(done.arrays[0], np.where(odd, once * 2 + 0.25, once).astype(np.float32))
    assert np.array_equal(done.arrays[1], np.where(odd, y + 2, y + 1))


def test_recursion_is_refused_with_its_line() -> None:
    source = """
__device__ __noinline__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
extern "C" __global__ void k(int* a) { a[0] = f(a[0]); }
"""
    with pytest.raises(
        UnsupportedInstruction, match=r"^kernel\.cu:2 \(PTX line \d+\): recursion of _Z1fi is not emulated\."
    ):
        build_graph(parse(compile_cuda(source)), "k")


def test_what_the_table_lacks_is_refused_before_anything_runs() -> None:
    text = ptx_of("wgmma.fence.sync.aligned;\nret;")
    with pytest.raises(UnsupportedInstruction) as caught:
        graph_of(text)
    assert str(caught.value).endswith(
        "(PTX line 9): wgmma.fence.sync.aligned is not emulated. Run this candidate with --device gpu."
    )


def test_lanes_meet_behind_a_branch() -> None:
    source = """
extern "C" __global__ void k(float* a) {
    int i = threadIdx.x;
    float v;
    if (i & 1) v = sqrtf(a[i]); else { v = 0; for (int j = 0; j < i; ++j) v += a[j]; }
    a[i] = v + __shfl_xor_sync(~0u, v, 1);
}
"""
    graph = graph_of(compile_cuda(source))
    for number, block in enumerate(graph.blocks):
        for node in block.nodes:
            if node.instruction.opcode == "shfl":
                assert all(s > number or s == number for s in block.successors)
                executions = launch(Interpreter(graph), graph, [np.ones(32, np.float32)]).report.counts.block_warps
                assert executions[number] == 1  # all lanes at once


def test_a_guarded_definition_keeps_the_old_value() -> None:
    text = ptx_of(
        "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 7;\nsetp.gt.u32 %p1, %r1, 15;\n"
        "bra.uni NEXT;\nNEXT:\n@%p1 mov.u32 %r2, 9;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
        "st.global.u32 [%rd3], %r2;\nret;"
    )
    graph = graph_of(text)
    assert "%r2" in graph.blocks[1].live_in
    done = launch(Interpreter(graph), graph, [np.zeros(32, np.uint32)])
    assert done.arrays[0].tolist() == [7] * 16 + [9] * 16


def test_asynchronous_copies_fill_with_zeros() -> None:
    text = ptx_of(
        "ld.param.u64 %rd1, [out];\nmov.u32 %r1, s;\ncp.async.ca.shared.global [%r1], [%rd1], 16, 8;\n"
        "cp.async.wait_all;\nld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [s];\nst.global.v4.u32 [%rd1+16], "
        "{%r2, %r3, %r4, %r5};\nret;",
        registers=".shared .align 16 .b8 s[16];",
    )
    graph = graph_of(text)
    done = launch(Interpreter(graph), graph, [np.arange(1, 9, dtype=np.uint32)], Setting(block=(1, 1, 1)))
    assert done.arrays[0].tolist() == [1, 2, 3, 4, 1, 2, 0, 0]


def test_carries_travel_through_a_flag() -> None:
    text = ptx_of(
        "ld.param.u64 %rd1, [out];\nld.global.v2.u32 {%r1, %r2}, [%rd1];\n"
        "add.cc.u32 %r3, %r1, %r1;\naddc.u32 %r4, %r2, %r2;\nst.global.v2.u32 [%rd1], {%r3, %r4};\nret;"
    )
    graph = graph_of(text)
    value = 0x0000_0001_8000_0001
    done = launch(Interpreter(graph), graph, [np.array([value], np.uint64)], Setting(block=(1, 1, 1)))
    assert int(done.arrays[0][0]) == 2 * value


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("mov.u32 %r1, %cluster_ctaid.x;\nret;", "%cluster_ctaid"),
        ("mbarrier.init.shared.b64 [%rd1], 4;\nret;", "mbarrier.init.shared.b64"),
        ("cp.async.bulk.commit_group;\nret;", "cp.async.bulk.commit_group"),
        ("call (%r1), unknown, (%r2);\nret;", "a call to unknown, which has no body here"),
    ],
)
def test_refusals_name_the_line(body: str, what: str) -> None:
    with pytest.raises(UnsupportedInstruction) as caught:
        graph_of(ptx_of(body))
    assert str(caught.value) == f"(PTX line 9): {what} is not emulated. Run this candidate with --device gpu."


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("wmma::load_matrix_sync(f, a, 16);", "wmma.load.a.sync.aligned.row.m16n16k16.global.f16"),
        (
            'asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(0));',
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16",
        ),
    ],
    ids=["wmma", "ldmatrix"],
)
def test_tensor_core_instructions_are_refused_with_their_cuda_line(statement: str, what: str) -> None:
    source = f"""#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(const __half* a, unsigned* o) {{
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f; unsigned r[4] = {{}};
  {statement}
  for (int i = 0; i < 4; ++i) o[i] = r[i] + (unsigned)__half2int_rn(f.x[i]);
}}"""
    with pytest.raises(UnsupportedInstruction) as caught:
        graph_of(compile_cuda(source))
    place, _, rest = str(caught.value).partition(" (PTX line ")
    assert place == "kernel.cu:5"
    assert rest.partition("): ")[2] == f"{what} is not emulated. Run this candidate with --device gpu."


def test_a_device_functions_shared_variable_is_one_for_all_its_calls() -> None:
    source = """
__device__ __noinline__ int* slot() { __shared__ int cell[4]; return cell; }
extern "C" __global__ void k(int* a) {
    int i = threadIdx.x;
    slot()[i] = i + 5;
    __syncwarp();
    a[i] = slot()[3 - i];
}
"""
    graph = graph_of(compile_cuda(source))
    assert graph.shared_static_bytes == 16
    done = launch(Interpreter(graph), graph, [np.zeros(4, np.int32)], Setting(block=(4, 1, 1)))
    assert done.arrays[0].tolist() == [8, 7, 6, 5]
