"""Estimates every launch of `launches.py` and `naive.py` without a GPU and compares with the times measured on one.

    python -m benchmarks.cost_model.predict [--only TEXT] [--save]

Prints a table. `--save` writes `data/h200_profiles.json` (what the emulator counted, so that a change of the cost model is
judged in a second: `judge.py`).
"""

import argparse
import json
import struct
import time
from dataclasses import asdict
from typing import Any

import numpy as np
from benchmarks.cost_model.judge import NAIVE, PROFILES, VARIANTS, judge, measured_rows
from benchmarks.cost_model.launches import KERNELS, Buffer, Case, cases
from benchmarks.cost_model.naive import naive_cases

from warpwright.compiler.compiler import Compiler
from warpwright.compiler.result import Compiled, CompileRequest
from warpwright.emulator.counters.profile import LaunchProfile
from warpwright.emulator.launch import Emulator, ExecutorKind, Launch
from warpwright.emulator.memory.arena import Arena
from warpwright.errors import WarpwrightError
from warpwright.hardware import load_gpu

GPU = load_gpu("h200")
FILLED_BYTES = 64 << 20
"""Larger float buffers stay zero: no kernel of the list branches on their values."""


def main() -> None:
    """Profile, judge, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="launches whose name contains this text")
    parser.add_argument("--save", action="store_true")
    arguments = parser.parse_args()
    chosen = [case for case in (*cases(), *naive_cases()) if arguments.only in case.name]
    profiles = {case.name: profile for case, profile in zip(chosen, profile_all(chosen), strict=True)}
    if arguments.save:
        rows = [json.dumps({"name": name, **_rounded(asdict(profile))}) for name, profile in profiles.items()]
        PROFILES.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")
    judge(profiles, {**measured_rows(VARIANTS), **measured_rows(NAIVE)})


def _rounded(value: Any) -> Any:
    """Six digits are more than any figure here deserves, and keep the file readable."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(item) for item in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def profile_all(chosen: list[Case]) -> list[LaunchProfile]:
    """One profile for each launch, with a line about its cost."""
    compiled = _compile({case.source for case in chosen}, chosen)
    emulators = {source: Emulator(binary.ptx, ExecutorKind.JIT) for source, binary in compiled.items()}
    found = []
    for case in chosen:
        started = time.perf_counter()
        registers = compiled[case.source].resources[case.entry].registers
        found.append(_profile(emulators[case.source], case, registers))
        print(f"{time.perf_counter() - started:6.2f} s  {found[-1].blocks_run:3d} blocks  {case.name}", flush=True)
    return found


def _compile(sources: set[str], chosen: list[Case]) -> dict[str, Compiled]:
    compiler = Compiler(None)
    compiled = {}
    for source in sorted(sources):
        entries = tuple(dict.fromkeys(case.entry for case in chosen if case.source == source))
        text = (KERNELS / source).read_text(encoding="utf-8")
        outcome = compiler.compile(CompileRequest(text, source, GPU.arch, entries, {}, {}))
        if not isinstance(outcome, Compiled):
            raise WarpwrightError(f"{source} does not compile: {outcome.message}\n{outcome.log}")
        compiled[source] = outcome
    compiler.close()
    return compiled


def _profile(emulator: Emulator, case: Case, registers: int | None) -> LaunchProfile:
    buffers = [argument for argument in case.arguments if isinstance(argument, Buffer)]
    arena = Arena(Arena.capacity_for([b.size_bytes for b in buffers] + list(emulator.variable_sizes(case.entry))))
    packed = tuple(_pack(arena, f"argument {i}", argument) for i, argument in enumerate(case.arguments))
    launch = Launch(case.grid, case.block, 0, packed)
    report = emulator.profile(arena, case.entry, launch, registers, GPU, restore=False)
    if report.profile is None:
        raise WarpwrightError(f"{case.name}: {report.fault}")
    return report.profile


def _pack(arena: Arena, name: str, argument: Buffer | int | float) -> bytes:
    if isinstance(argument, int):
        return struct.pack("<i", argument)
    if isinstance(argument, float):
        return struct.pack("<f", argument)
    allocation = arena.allocate(name, argument.size_bytes)
    _fill(arena.view(allocation), argument)
    return struct.pack("<Q", allocation.address)


def _fill(content: Any, buffer: Buffer) -> None:
    rng = np.random.default_rng(1)
    if buffer.fill == "float" and buffer.size_bytes <= FILLED_BYTES:
        content.view(np.float32)[:] = rng.random(buffer.size_bytes // 4, np.float32)
    if buffer.fill in ("byte", "skewed"):
        content[:] = rng.integers(0, 256, buffer.size_bytes, np.uint8)
    if buffer.fill == "skewed":
        content[rng.random(buffer.size_bytes, np.float32) < 0.9] = 7


if __name__ == "__main__":
    main()
