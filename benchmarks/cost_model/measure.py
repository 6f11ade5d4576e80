"""Times every launch of `launches.py` on the GPU of this machine (needs CuPy) and writes JSON.

    python -m benchmarks.cost_model.measure OUT.json
    ncu ... python -m benchmarks.cost_model.measure --once      each launch once, for a profiler

Each launch is timed between two events, with L2 overwritten before it; the time of an empty kernel between two events is
recorded too. A figure is the median of up to 30 launches after 3 warm-ups.
"""

import datetime as dt
import json
import statistics
import sys
from pathlib import Path
from typing import Any

import cupy as cp
import numpy as np
from benchmarks.cost_model.launches import KERNELS, Buffer, Case, cases

FLUSH_BYTES = 256 << 20
WARM_UPS, LAUNCHES = 3, 30
TIME_LIMIT_MS = 400.0


def main() -> None:
    """Measure all, write the file, print one line each."""
    modules = {p.name: cp.RawModule(code=p.read_text(), options=("--std=c++17",)) for p in sorted(KERNELS.glob("*.cu"))}
    flush = cp.empty(FLUSH_BYTES // 4, cp.float32)
    buffers: dict[tuple[int, Buffer], Any] = {}
    rows = []
    for case in cases():
        function = modules[case.source].get_function(case.entry)
        if sys.argv[1] == "--once":
            function(case.grid, case.block, _arguments(case, buffers))
            cp.cuda.runtime.deviceSynchronize()
            continue
        row = {"name": case.name, **_time(function, case, _arguments(case, buffers), flush)}
        print(row, flush=True)
        rows.append(row)
    if sys.argv[1] == "--once":
        return
    document = {
        "gpu": _gpu(),
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "empty_kernel_us": _empty(flush),
        "rows": rows,
    }
    Path(sys.argv[1]).write_text(json.dumps(document, indent=1), encoding="utf-8")


def _arguments(case: Case, buffers: dict[tuple[int, Buffer], Any]) -> tuple[Any, ...]:
    made: list[Any] = []
    for index, argument in enumerate(case.arguments):
        if isinstance(argument, Buffer):
            key = (index, argument)
            if key not in buffers:
                if sum(b.nbytes for b in buffers.values()) > 16 << 30:
                    buffers.clear()
                buffers[key] = _fill(argument)
            made.append(buffers[key])
        else:
            made.append(np.int32(argument) if isinstance(argument, int) else np.float32(argument))
    return tuple(made)


def _fill(buffer: Buffer) -> Any:
    rng = cp.random.default_rng(1)
    if buffer.fill == "float":
        return rng.random(buffer.size_bytes // 4, dtype=cp.float32)
    if buffer.fill in ("byte", "skewed"):
        values = rng.integers(0, 256, buffer.size_bytes, dtype=cp.uint8)
        if buffer.fill == "skewed":
            values[rng.random(buffer.size_bytes, dtype=cp.float32) < 0.9] = 7
        return values
    return cp.zeros(buffer.size_bytes, cp.uint8)


def _time(function: Any, case: Case, arguments: tuple[Any, ...], flush: Any) -> dict[str, Any]:
    def once() -> float:
        flush.fill(1.0)
        start, stop = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        function(case.grid, case.block, arguments)
        stop.record()
        stop.synchronize()
        return float(cp.cuda.get_elapsed_time(start, stop))

    warm = [once() for _ in range(WARM_UPS)]
    samples = [once() for _ in range(max(5, min(LAUNCHES, int(TIME_LIMIT_MS / min(warm)))))]
    return {"us": statistics.median(samples) * 1e3, "least_us": min(samples) * 1e3, "registers": function.num_regs}


def _empty(flush: Any) -> float:
    function = cp.RawKernel('extern "C" __global__ void empty() {}', "empty")
    case = Case("", "", "empty", (1, 1, 1), (32, 1, 1), ())
    return float(_time(function, case, (), flush)["us"])


def _gpu() -> dict[str, Any]:
    properties = cp.cuda.runtime.getDeviceProperties(0)
    return {
        "name": properties["name"].decode(),
        "sm_count": properties["multiProcessorCount"],
        "l2_bytes": properties["l2CacheSize"],
        "clock_khz": properties.get("clockRate"),
        "driver": cp.cuda.runtime.driverGetVersion(),
        "runtime": cp.cuda.runtime.runtimeGetVersion(),
    }


if __name__ == "__main__":
    main()
