"""Many CUDA expressions in one kernel, run lane by lane in the interpreter."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from emulator.jit.launching import Argument, Setting, compile_cuda, graph_of, launch
from warpwright.emulator.interp import Interpreter

Array = np.ndarray[Any, np.dtype[Any]]
LANES = 32


def kernel_of(expressions: Sequence[str], source_type: str, result_type: str, includes: str = "") -> str:
    """Every expression of x and y; number n stores to row n of the result."""
    lines = [f"  if (only < 0 || only == {n}) o[{n} * 32 + i] = {text};" for n, text in enumerate(expressions)]
    body = "\n".join(lines)
    return f"""{includes}
extern "C" __global__ void k({result_type}* o, const {source_type}* a, const {source_type}* c, int only) {{
  int i = threadIdx.x;
  {source_type} x = a[i], y = c[i];
{body}
}}"""


def run(source: str, result_dtype: Any, rows: int, x: Array, y: Array) -> Array:
    """Rows of 32 results."""
    graph = graph_of(compile_cuda(source))
    results = np.zeros((rows, LANES), result_dtype)
    arguments: list[Argument] = [results, np.ascontiguousarray(x), np.ascontiguousarray(y), -1]
    launched = launch(Interpreter(graph), graph, arguments, Setting())
    assert launched.report.fault is None, launched.report.fault
    return launched.arrays[0]


@functools.cache
def evaluated(expressions: tuple[str, ...], kinds: tuple[str, str], dtypes: tuple[Any, Any], inputs: bytes) -> Array:
    """`run` of `kernel_of`, remembered. inputs: x, then y, as bytes. dtypes: of sources and results."""
    values = np.frombuffer(inputs, dtypes[0])
    source = kernel_of(expressions, *kinds)
    return run(source, dtypes[1], len(expressions), values[:LANES], values[LANES:])
