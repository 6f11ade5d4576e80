"""Random kernels: machine code leaves the same memory and the same counts as the interpreter."""

import numpy as np
from hypothesis import HealthCheck, given, settings

from emulator.jit.launching import Setting, graph_of, launch_on_both, ptx_of
from emulator.jit.programs import OUT_WORDS, programs

INPUT = np.random.default_rng(0).integers(0, 2**32, 72, dtype=np.uint64).astype(np.uint32)


@settings(max_examples=60, suppress_health_check=list(HealthCheck), derandomize=True)
@given(programs())
def test_same_as_the_interpreter(body: str) -> None:
    graph = graph_of(ptx_of(body, parameters=".param .u64 in, .param .u64 out"))
    arrays = INPUT, np.zeros(OUT_WORDS, np.uint32)
    launched = launch_on_both(graph, arrays, Setting((2, 1, 1), (64, 1, 1), trace_requests=1000))
    assert launched.report.fault is None
