"""Measure what the emulator only estimated: initial and best kernel of every example on a real GPU (needs CuPy).

    python benchmarks/examples/measure_on_gpu.py BUNDLE.json RESULT.json

Protocol: 10 warm-ups and 100 launches, each between its own events, two input sets in turn, L2 flushed before every
launch by writing twice its size; the median counts. Outputs of the best kernel are compared with the initial kernel's.
This is a check of the cost model, not the replay-proof harness: a person runs it on kernels that are already verified.
"""

import datetime as dt
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import cupy as cp
import numpy as np

WARM_UPS, LAUNCHES = 10, 100


class Bound:
    """A compiled side with its arguments on the device."""

    def __init__(self, entry: dict[str, Any], kind: str, arrays: dict[str, Any]) -> None:
        side = entry[kind]
        options = ("--std=c++17", *(f"-D{name}={value}" for name, value in side["defines"].items()))
        module = cp.RawModule(code=side["source"], options=options)
        scalars = {p["name"]: np.dtype(p["dtype"]).type(p["value"]) for p in entry["parameters"] if "value" in p}
        scratch = {s["name"]: cp.zeros(s["shape"], s["dtype"]) for s in side["scratch"]}
        known = {**arrays, **scalars, **scratch}
        self.zeroed = [arrays[p["name"]] for p in entry["parameters"] if p.get("zeroed")]
        self.launches = []
        for launch in side["launches"]:
            function = module.get_function(launch["entry"])
            function.max_dynamic_shared_size_bytes = launch["shared_bytes"]
            arguments = tuple(known[name] for name in launch["args"])
            self.launches.append(
                (function, tuple(launch["grid"]), tuple(launch["block"]), arguments, launch["shared_bytes"])
            )

    def run(self) -> None:
        """All launches of the plan once; clearing a zeroed output is part of it."""
        for array in self.zeroed:
            array.fill(0)
        for function, grid, block, arguments, shared in self.launches:
            function(grid, block, arguments, shared_mem=shared)


def make_arrays(entry: dict[str, Any], seed: int) -> dict[str, Any]:
    """Random inputs; outputs full of NaN patterns."""
    rng = cp.random.RandomState(seed)
    arrays = {}
    for p in entry["parameters"]:
        if "shape" not in p:
            continue
        dtype, shape = np.dtype(p["dtype"]), tuple(p["shape"])
        if p["role"] == "out":
            arrays[p["name"]] = cp.full(int(np.prod(shape)) * dtype.itemsize, 0xFF, cp.uint8).view(dtype).reshape(shape)
        elif dtype.kind == "f":
            arrays[p["name"]] = rng.standard_normal(shape, dtype=cp.float32).astype(dtype)
        else:
            arrays[p["name"]] = rng.randint(0, 256, shape).astype(dtype)
    return arrays


def measure(sides: list[Bound], flush: Any) -> list[float]:
    """Times in us of 100 launches, the input sets in turn."""
    times = []
    for number in range(WARM_UPS + LAUNCHES):
        bound = sides[number % len(sides)]
        flush.fill(number % 251)
        start, stop = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        bound.run()
        stop.record()
        stop.synchronize()
        if number >= WARM_UPS:
            times.append(cp.cuda.get_elapsed_time(start, stop) * 1e3)
    return times


def compare(entry: dict[str, Any], first: dict[str, Any], second: dict[str, Any]) -> float:
    """Largest difference of the outputs over the largest magnitude of the initial kernel's."""
    worst = 0.0
    for p in entry["parameters"]:
        if p.get("role") in ("out", "inout"):
            a, b = first[p["name"]].astype(cp.float64), second[p["name"]].astype(cp.float64)
            worst = max(worst, float(cp.nan_to_num(cp.abs(a - b), nan=cp.inf).max() / (cp.abs(a).max() + 1e-300)))
    return worst


def main() -> None:
    """One row for each case; written after every case, so that a stopped run keeps what it has."""
    entries = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    device = cp.cuda.runtime.getDeviceProperties(0)
    flush = cp.zeros(2 * device["l2CacheSize"], cp.uint8)
    rows: list[dict[str, Any]] = []
    document = {
        "gpu": device["name"].decode(),
        "driver_cuda": cp.cuda.runtime.driverGetVersion(),
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "protocol": (__doc__ or "").split("Protocol: ")[1].split("\n\n")[0].replace("\n", " ").strip(),
        "cases": rows,
    }
    for entry in entries:
        sets = [make_arrays(entry, seed) for seed in (1, 2)]
        others = [{name: a.copy() for name, a in arrays.items()} for arrays in sets]
        row: dict[str, Any] = {"workload": entry["workload"], "case": entry["case"], "dims": entry["dims"]}
        initial = [Bound(entry, "initial", arrays) for arrays in sets]
        best = [Bound(entry, "best", arrays) for arrays in others]
        for name, sides in (("initial", initial), ("best", best)):
            times = measure(sides, flush)
            row[f"{name}_us"] = round(float(np.median(times)), 3)
            row[f"{name}_p5_p95_us"] = [round(float(q), 3) for q in np.percentile(times, (5, 95))]
            row[f"{name}_sha256"] = hashlib.sha256(json.dumps(entry[name], sort_keys=True).encode()).hexdigest()[:16]
        row["speedup"] = round(row["initial_us"] / row["best_us"], 3)
        row["estimated_us"] = entry["estimated_us"]
        row["largest_difference"] = max(compare(entry, a, b) for a, b in zip(sets, others, strict=True))
        rows.append(row)
        print(json.dumps(row), flush=True)
        Path(sys.argv[2]).write_text(json.dumps(document, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
