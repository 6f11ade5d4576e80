"""The runtime: its text with offsets and constants filled in, compiled once per process and found by name."""

import functools
from collections.abc import Iterator
from importlib.resources import files
from string import Template

from warpwright.emulator.counters.raw import MemoryCount
from warpwright.emulator.jit import native
from warpwright.emulator.jit.cache import ObjectCache
from warpwright.emulator.jit.codegen.target import HostCpu
from warpwright.emulator.jit.context import ROW_SHAPES, FaultCode, SpaceCode, State, offsets
from warpwright.emulator.ops.windows import LOCAL_WINDOW, SHARED_WINDOW

PAIR_PHASE_LANES = 16
"""Lanes of one phase of a 64-bit shared access."""

_DIVISIONS = {"udiv": "unsigned.safe", "urem": "unsigned.safe", "sdiv": "signed.safe", "srem": "signed.safe"}

FUNCTIONS = (
    "ww_run",
    "ww_lowest",
    "ww_stop",
    "ww_check_global",
    "ww_check_shared",
    "ww_check_local",
    "ww_check_generic",
    "ww_count_serial",
    *(f"ww_{name}64" for name in _DIVISIONS),
    *(f"ww_{name}_rows_{size}_{parts}" for name in ("load", "store") for size, parts in ROW_SHAPES),
    *(f"ww_{name}_{size}" for name in ("gather", "scatter", "permute") for size in (1, 2, 4, 8)),
)
"""What kernels may call."""


@functools.cache
def text(cpu: HostCpu) -> str:
    """The runtime's LLVM IR for a CPU."""
    return "\n".join(_parts(cpu))


class Runtime:
    """The compiled runtime. Kernels are linked against `symbols`."""

    def __init__(self, cache: ObjectCache, cpu: HostCpu) -> None:
        ir_text = text(cpu)
        key = cache.key("runtime", ir_text)
        object_file = cache.load(key)
        if object_file is None:
            object_file = native.compile_object(ir_text, cpu, optimise=True)
            cache.save(key, object_file)
        self._loaded = native.Loaded(object_file, {})
        self.symbols = {name: self._loaded.address(name) for name in FUNCTIONS}
        self.run = native.call_pointer(self.symbols["ww_run"], 1)


_RUNTIMES: dict[HostCpu, Runtime] = {}


def runtime(cache: ObjectCache, cpu: HostCpu) -> Runtime:
    """The runtime of this process for a CPU, compiled or read from the cache at the first call."""
    if cpu not in _RUNTIMES:
        _RUNTIMES[cpu] = Runtime(cache, cpu)
    return _RUNTIMES[cpu]


def _parts(cpu: HostCpu) -> Iterator[str]:
    values = _values(cpu)
    for name in ("count", "access", "shared", "barriers", "schedule"):
        yield _source(name).substitute(values)
    for name, safe in _DIVISIONS.items():
        yield _source("arithmetic").substitute(values, name=name, operation=name, safe=safe)
    for size in (1, 2, 4, 8):
        yield _source("move").substitute(values, bytes=size, bits=size * 8)
        yield _source("permute").substitute(values, bytes=size, bits=size * 8)

    for size, parts in ROW_SHAPES:
        yield _source("rows").substitute(values, **_row_values(size, parts))


def _row_values(size: int, parts: int) -> dict[str, object]:
    """Shuffles between memory order (lane by lane) and register order (part by part)."""
    count, bits = 32 * parts, size * 8
    vector = f"<{count} x i{bits}>"
    lines = []
    for part in range(parts):
        chosen = ", ".join(f"i32 {lane * parts + part}" for lane in range(32))
        lines.append(f"  %row.{part} = shufflevector {vector} %all, {vector} poison, <32 x i32> <{chosen}>")
        lines.append(f"  %place.{part} = getelementptr i8, ptr %out, i64 {part * 32 * size}")
        lines.append(f"  store <32 x i{bits}> %row.{part}, ptr %place.{part}, align {min(64, 32 * size)}")
    order = ", ".join(f"i32 {place % parts * 32 + place // parts}" for place in range(count))
    take = "\n".join(lines)
    return {
        "bytes": size,
        "bits": bits,
        "parts": parts,
        "count": count,
        "take": take,
        "order": order,
        "align": min(64, 32 * size),
    }


def _source(name: str) -> Template:
    return Template(files(__package__).joinpath("runtime", f"{name}.ll").read_text(encoding="utf-8"))


def _values(cpu: HostCpu) -> dict[str, object]:
    lanes = ", ".join(f"i64 {lane}" for lane in range(32))
    return {
        **dict(offsets()),
        **{f"STATE_{state.name}": state.value for state in State},
        **{f"FAULT_{code.name}": code.value for code in FaultCode},
        **{f"SPACE_{space.name}": space.value for space in SpaceCode},
        **{column.name: column.value for column in MemoryCount},
        "SHARED_WINDOW": SHARED_WINDOW,
        "LOCAL_WINDOW": LOCAL_WINDOW,
        "PAIR_PHASE_LANES": PAIR_PHASE_LANES,
        "lane_numbers": f"<{lanes}>",
        "attributes": cpu.attributes,
    }
