"""What the machine gives, how long the harness takes to start, and how long one message takes there and back.

    python -m benchmarks.measurement.roundtrip --output DIR [--device gpu:0]

Target: round trip under 1 ms.
"""

import statistics
import sys
import time

from benchmarks.measurement.machine import asked, machine_of, opened, spoken_to
from benchmarks.measurement.study import Study, parse_options, print_table

from warpwright.device.gpu.process.client import HarnessClient
from warpwright.isolation.bubblewrap import sandbox

BEATS, STARTS = 1000, 5
LIMIT_MS = 1.0

PROTOCOL = """One harness process: 1000 `heartbeat` requests one after the other, each from writing its line to having parsed
the reply. Starts: wall time of process and `hello` (driver initialised), then of `open` (CUDA context), five times, one
process at a time."""


def main() -> int:
    """1 if the median round trip is too long."""
    options = parse_options(__doc__)
    study = Study("roundtrip", PROTOCOL, options)
    study.rows.clear()
    for _ in range(STARTS):
        began = time.perf_counter()
        with spoken_to(options.device) as (client, hello):
            greeted = time.perf_counter()
            asked(client, "open")
            study.add({"hello_s": greeted - began, "open_s": time.perf_counter() - greeted})
    with spoken_to(options.device) as (client, hello):
        asked(client, "open")
        beats_ms = sorted(_beat(client) for _ in range(BEATS))
    with opened(options.device) as machine:
        identity = machine_of(machine.device)
    study.describe(identity)
    summary = {
        "heartbeat_median_ms": statistics.median(beats_ms),
        "heartbeat_p99_ms": beats_ms[BEATS * 99 // 100],
        "heartbeat_most_ms": beats_ms[-1],
        "hello_median_s": statistics.median(row["hello_s"] for row in study.rows),
        "open_median_s": statistics.median(row["open_s"] for row in study.rows),
        "capabilities": hello.capabilities,
        "bubblewrap": sandbox([]).reason or "works here",
    }
    study.finish(summary)
    print_table("machine", ("what", "value"), identity.items())
    print_table("harness", ("what", "value"), summary.items())
    return 0 if summary["heartbeat_median_ms"] < LIMIT_MS else 1


def _beat(client: HarnessClient) -> float:
    began = time.perf_counter()
    asked(client, "heartbeat")
    return (time.perf_counter() - began) * 1e3


if __name__ == "__main__":
    sys.exit(main())
