"""Whether a candidate that kills its process costs one attempt and nothing else: after each, the next measures as before.

python -m benchmarks.measurement.faults --output DIR [--device gpu:0] [--only NAME ...]
"""

import secrets
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from benchmarks.measurement.machine import free_device_bytes, machine_of
from benchmarks.measurement.processes import kill_harnesses
from benchmarks.measurement.study import Row, Study, load_kernels, parse_options, print_table

from warpwright.candidate.candidate import Candidate, Scratch
from warpwright.cli.bench_options import bench_options
from warpwright.errors import InfrastructureError
from warpwright.evaluation.bench import Bench, open_bench
from warpwright.evaluation.outcome import Evaluation
from warpwright.units import GIB

SAME_RATIO = 1.1
"""How far the next candidate's time may be from the first one's; two processes differ by a few per cent."""
KILLED = "infrastructure"
"""What stands for a label when the machine, and not the candidate, is to blame."""

PROTOCOL = """Workload `axpb`, one bench. First the honest kernel is evaluated; then each fault, and after each the honest
kernel again with a new comment. `time_ratio`: its time over that of the first evaluation. `killed_harness`: SIGKILL to every
harness process while a kernel of half a second runs, which may cost the run in hand and nothing else."""


@dataclass(frozen=True, slots=True)
class Fault:
    """body: what stands in place of the kernel's last line. expect: beginnings of right labels."""

    name: str
    body: str
    expect: tuple[str, ...]
    before: str = ""
    launch: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    scratch_bytes: int = 0
    kill: bool = False


HONEST = "if (i < n) y[i] = a * x[i] + b[i];"
_SLEEP = """if (n == 1) {
        long long end = clock64() + 1000000000ll;
        while (clock64() < end) __nanosleep(1000);
    }
    """
"""About half a second, in the check case of one element only: long enough to be hit, and soon over."""

FAULTS = (
    Fault("illegal_access", "if (i < n) y[i + (1ll << 40)] = a * x[i] + b[i];", ("crash.illegal_address",)),
    Fault("misaligned", "if (i < n) *(float*)((char*)(y + i) + 1) = 1.0f;", ("crash.misaligned",)),
    Fault("assert", f"assert(i < 0 || n < 0); {HONEST}", ("crash.assert",), before="#include <cassert>"),
    Fault("trap", f"if (i == 0) __trap(); {HONEST}", ("crash.trap",)),
    Fault("infinite_loop", f"while (((volatile int*)&x[0])[0] != 0x12345678) {{}} {HONEST}", ("timeout",)),
    Fault("block_too_large", HONEST, ("launch_error", "invalid_plan"), launch={"block": ("2048",)}),
    Fault("grid_too_large", HONEST, ("launch_error", "invalid_plan"), launch={"grid": ("1", "70000")}),
    Fault("too_much_scratch", HONEST, ("launch_error", "invalid_plan"), scratch_bytes=2 * GIB),
    Fault("killed_harness", f"{_SLEEP}{HONEST}", (KILLED, "passed", "crash", "timeout"), kill=True),
)


def main() -> int:
    """1 if a verdict was wrong or the next candidate was hurt."""
    names = ", ".join(fault.name for fault in FAULTS)
    options = parse_options(__doc__, [("--only", {"nargs": "*", "default": [], "help": names})])
    study = Study("faults", PROTOCOL, options)
    workload = load_kernels("axpb", options)
    free = free_device_bytes(options.device)
    with open_bench(workload, options.device, secrets.token_hex(32), bench_options()) as bench:
        study.describe(machine_of(bench.device))
        first = bench.evaluator.evaluate(honest_variant(bench))
        for fault in FAULTS:
            if study.has(name=fault.name) or (options.only and fault.name not in options.only):
                continue
            if study.time_left:
                study.add(attempted(bench, fault, first, free))
                print(f"{fault.name}: {study.rows[-1]['label']}", flush=True)
    return _report(study.rows, study)


def attempted(bench: Bench, fault: Fault, first: Evaluation, free: int | None) -> Row:
    """One fault, and the honest kernel after it. first: the honest kernel's evaluation; free: device memory in bytes."""
    began = time.monotonic()
    label, message = _attempt(bench, _candidate(bench, fault, free), kill=fault.kill)
    lost = time.monotonic() - began
    following = bench.evaluator.evaluate(honest_variant(bench))
    ratio = None
    if following.geomean_us is not None and first.geomean_us is not None:
        ratio = following.geomean_us / first.geomean_us
    same = ratio is None or 1 / SAME_RATIO < ratio < SAME_RATIO
    return {
        "name": fault.name,
        "expected": list(fault.expect),
        "label": label,
        "right": label.startswith(fault.expect),
        "seconds_lost": round(lost, 2),
        "next_label": following.label,
        "next_right": following.label == "passed" and same,
        "time_ratio": ratio,
        "message": message,
    }


def _attempt(bench: Bench, candidate: Candidate, *, kill: bool) -> tuple[str, str]:
    """The label of an attempt. kill: the harness is ended while it verifies."""
    killer = threading.Thread(target=_kill_soon) if kill else None

    def on_stage(stage: str) -> None:
        if killer is not None and stage.startswith("verify") and not killer.ident:
            killer.start()

    try:
        found = bench.evaluator.evaluate(candidate, on_stage=on_stage)
        return found.label, found.message
    except InfrastructureError as error:
        return KILLED, str(error)
    finally:
        if killer is not None and killer.ident:
            killer.join()


def _kill_soon() -> None:
    time.sleep(0.8)
    kill_harnesses()


def honest_variant(bench: Bench) -> Candidate:
    """The honest kernel with a comment that no cache has seen."""
    initial = bench.evaluator.workload.initial
    return replace(initial, source=f"{initial.source}// {secrets.token_hex(4)}\n")


def _candidate(bench: Bench, fault: Fault, free: int | None) -> Candidate:
    initial = bench.evaluator.workload.initial
    source = f"{fault.before}\n{initial.source}".replace(HONEST, fault.body)
    launch = replace(initial.plan.launches[0], **fault.launch)  # type: ignore[arg-type]
    plan = replace(initial.plan, launches=(launch,))
    if fault.scratch_bytes:
        floats = ((free or bench.device.spec.memory.dram_bytes) + fault.scratch_bytes) // 4
        launch = replace(launch, args=("y", "x", "b", "a", "n"))
        plan = replace(plan, launches=(launch,), scratch=(Scratch("scratch", "float32", (str(floats),)),))
    return replace(initial, source=source, plan=plan)


def _report(rows: Sequence[Row], study: Study) -> int:
    right = sum(row["right"] for row in rows)
    unhurt = sum(row["next_right"] for row in rows)
    study.finish({"faults": len(rows), "right": right, "next_unhurt": unhurt})
    columns = ("fault", "verdict", "right", "s lost", "next", "unhurt", "time / first")
    shown = [
        (r["name"], r["label"], r["right"], r["seconds_lost"], r["next_label"], r["next_right"], r["time_ratio"])
        for r in rows
    ]
    print_table("faults", columns, shown)
    for row in rows:
        if not row["right"]:
            print(f"WRONG {row['name']}: expected {row['expected']}: {row['message']}")
    return 0 if right == unhurt == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
