"""Warp intrinsics, cooperative groups and atomics of CUDA, interpreted, against NumPy."""

from typing import Any

import numpy as np
import pytest

from emulator.jit.launching import Setting, compile_cuda, graph_of, launch
from warpwright.emulator.interp import Interpreter

Array = np.ndarray[Any, np.dtype[Any]]
LANE = np.arange(32)
VALUES = np.random.default_rng(3).integers(-50, 50, 32).astype(np.int32)


def result(expression: str, *, includes: str = "", prologue: str = "") -> list[int]:
    """Value of an expression of x in each lane of a warp."""
    source = f"""{includes}
extern "C" __global__ void k(int* o, const int* a) {{
  int i = threadIdx.x; int x = a[i]; int all;
  {prologue}
  o[i] = {expression};
}}"""
    graph = graph_of(compile_cuda(source))
    launched = launch(Interpreter(graph), graph, [np.zeros(32, np.int32), VALUES])
    assert launched.report.fault is None
    return [int(v) for v in launched.arrays[0]]


def bits(flags: Array) -> int:
    word = sum(1 << int(n) for n in np.flatnonzero(flags))
    return word - (1 << 32) if word >> 31 else word


def scanned() -> Array:
    return np.cumsum(VALUES)


CASES: dict[str, Array | int] = {
    "__shfl_sync(~0u, x, 5)": np.full(32, VALUES[5]),
    "__shfl_sync(~0u, x, i * 7)": VALUES[LANE * 7 % 32],
    "__shfl_sync(~0u, x, 3, 8)": VALUES[LANE // 8 * 8 + 3],
    "__shfl_up_sync(~0u, x, 2)": np.where(LANE >= 2, VALUES[LANE - 2], VALUES),
    "__shfl_down_sync(~0u, x, 3, 16)": np.where(LANE % 16 < 13, VALUES[(LANE + 3) % 32], VALUES),
    "__shfl_xor_sync(~0u, x, 9)": VALUES[LANE ^ 9],
    "__ballot_sync(~0u, x > 0)": bits(VALUES > 0),
    "__any_sync(~0u, x > 48)": int((VALUES > 48).any()),
    "__all_sync(~0u, x > -51)": 1,
    "__reduce_add_sync(~0u, x)": int(VALUES.sum()),
    "__reduce_min_sync(~0u, x)": int(VALUES.min()),
    "__reduce_max_sync(~0u, (unsigned)(x + 100))": int(VALUES.max()) + 100,
    "__reduce_xor_sync(~0u, (unsigned)x)": int(np.bitwise_xor.reduce(VALUES)),
    "__match_any_sync(~0u, x & 3)": np.array([bits(v == VALUES & 3) for v in VALUES & 3]),
    "__match_all_sync(~0u, x & 64, &all) == 0 ? all : 2 + all": 0,
    "__activemask()": -1,
    "(int)__popc(__ballot_sync(~0u, x & 1) & ((1u << i) - 1))": np.cumsum(VALUES & 1) - (VALUES & 1),
}


@pytest.mark.parametrize("expression", CASES)
def test_intrinsic(expression: str) -> None:
    assert result(expression) == np.broadcast_to(CASES[expression], 32).tolist()


def test_scan_by_shuffles() -> None:
    loop = "int s = x; for (int d = 1; d < 32; d *= 2) { int o2 = __shfl_up_sync(~0u, s, d); if (i >= d) s += o2; }"
    assert result("s", prologue=loop) == scanned().tolist()


def test_diverged_lanes_vote_among_themselves() -> None:
    prologue = "int r; if (i % 3 == 0) r = __ballot_sync(0x49249249, x > 0); else r = __activemask();"
    first = bits((VALUES > 0) & (LANE % 3 == 0))
    others = bits(LANE % 3 != 0)
    assert result("r", prologue=prologue) == np.where(LANE % 3 == 0, first, others).tolist()


def test_cooperative_groups_reduce_tiles() -> None:
    includes = (
        "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;"
    )
    prologue = """auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int sum = cg::reduce(tile, x, cg::plus<int>());
  int most = cg::reduce(tile, x, cg::greater<int>());
  tile.sync();"""
    tiles = VALUES.reshape(4, 8)
    expected = np.repeat(tiles.sum(axis=1) * 1000 + tiles.max(axis=1), 8) + LANE % 8
    assert (
        result("sum * 1000 + most + (int)tile.thread_rank()", includes=includes, prologue=prologue) == expected.tolist()
    )


def in_order(function: Any, start: Any, values: Array, dtype: Any) -> tuple[Array, list[Any]]:
    """(old values, memory) of atomics executed lane after lane on one address."""
    memory, old = dtype(start), []
    with np.errstate(over="ignore"):
        for value in values:
            old.append(memory)
            memory = dtype(function(memory, dtype(value)))
    return memory, old


ATOMICS: dict[str, tuple[str, Any, Any]] = {
    "atomicAdd(m, x)": ("int", 5, lambda m, x: m + x),
    "atomicSub(m, x)": ("int", 5, lambda m, x: m - x),
    "atomicMin(m, x)": ("int", 5, min),
    "atomicMax(m, x)": ("int", 5, max),
    "atomicAnd(m, x)": ("int", -1, lambda m, x: m & x),
    "atomicOr(m, x)": ("int", 0, lambda m, x: m | x),
    "atomicXor(m, x)": ("int", 7, lambda m, x: m ^ x),
    "atomicExch(m, x)": ("int", 7, lambda m, x: x),
    "atomicCAS(m, 7, x)": ("int", 7, lambda m, x: x if m == 7 else m),
    "atomicInc(m, 12u)": ("unsigned", 5, lambda m, x: 0 if m >= 12 else m + np.uint32(1)),
    "atomicDec(m, 12u)": ("unsigned", 5, lambda m, x: 12 if m == 0 or m > 12 else m - np.uint32(1)),
    "atomicAdd(m, (unsigned long long)x)": ("unsigned long long", 1, lambda m, x: m + x),
    "atomicMax(m, (long long)x)": ("long long", -3, max),
    "atomicAdd(m, 0.1f * x)": ("float", 0, lambda m, x: m + np.float32(np.float32(0.1) * x)),
    "atomicAdd(m, 0.1 * x)": ("double", 0, lambda m, x: m + 0.1 * x),
}
DTYPES = {
    "int": np.int32, "unsigned": np.uint32, "unsigned long long": np.uint64, "long long": np.int64, "float": np.float32,
    "double": np.float64,
}  # fmt: skip


@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize("expression", ATOMICS)
def test_atomic_in_lane_order(expression: str, space: str) -> None:
    kind, start, function = ATOMICS[expression]
    shared = f"__shared__ {kind} s[1]; if (threadIdx.x == 0) s[0] = g[0]; __syncthreads(); {kind}* m = s;"
    source = f"""extern "C" __global__ void k({kind}* o, {kind}* g, const {kind}* a) {{
  int i = threadIdx.x; {kind} x = a[i];
  {shared if space == "shared" else f"{kind}* m = g;"}
  o[i] = {expression};
  __syncthreads();
  if (i == 0) g[0] = m[0];
}}"""
    dtype = DTYPES[kind]
    values = VALUES.astype(dtype)
    graph = graph_of(compile_cuda(source))
    launched = launch(Interpreter(graph), graph, [np.zeros(32, dtype), np.array([start], dtype), values])
    assert launched.report.fault is None
    memory, old = in_order(function, start, values, dtype)
    assert launched.arrays[1][0] == memory
    assert launched.arrays[0].tolist() == np.array(old, dtype).tolist()


def test_warps_and_lanes_take_turns_in_a_critical_section() -> None:
    """A lock taken in one instruction and given back in another: lanes of a warp must not starve each other."""
    source = """extern "C" __global__ void k(int* lock, int* count) {
  for (bool done = false; !done;) {
    if (atomicExch(lock, 1) == 0) {
      *(volatile int*)count += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}"""
    graph = graph_of(compile_cuda(source))
    zero = np.zeros(1, np.int32)
    launched = launch(Interpreter(graph), graph, [zero, zero], Setting(grid=(2, 1, 1), block=(40, 1, 1)))
    assert launched.report.fault is None
    assert launched.arrays[1][0] == 80
