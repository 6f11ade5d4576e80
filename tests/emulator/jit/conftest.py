"""Compile one small function over 32 lanes and call it."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import pytest

from warpwright.emulator.jit import native
from warpwright.emulator.jit.cache import ObjectCache
from warpwright.emulator.jit.codegen.builder import LlvmBuilder
from warpwright.emulator.jit.codegen.emitter import Emitter, Lanes
from warpwright.emulator.jit.machine import aligned_zeros
from warpwright.emulator.jit.runtime_library import runtime
from warpwright.emulator.ops.builder import LaneType

Array = np.ndarray[Any, np.dtype[Any]]
Definition = Callable[..., Lanes | tuple[Lanes, ...]]

DTYPES = {
    LaneType.I1: np.uint8, LaneType.I8: np.uint8, LaneType.I16: np.uint16, LaneType.I32: np.uint32,
    LaneType.I64: np.uint64, LaneType.F32: np.float32, LaneType.F64: np.float64,
}  # fmt: skip
_SLOT = 8 * 32


class Evaluate(Protocol):
    """Runs a definition on arrays of 32 lanes; results have the NumPy type of their lanes (uint8 for I1)."""

    def __call__(self, definition: Definition, *inputs: tuple[LaneType, Array], has_f16c: bool = True) -> list[Array]:
        """Compile and call."""
        ...


def _load(builder: LlvmBuilder, kind: LaneType, number: int) -> Lanes:
    stored = LaneType.I8 if kind is LaneType.I1 else kind
    loaded = Lanes(stored, builder.emitter.load(builder.type_of(stored), "%in", number * _SLOT))
    return builder.trunc(loaded, LaneType.I1) if kind is LaneType.I1 else loaded


def _store(builder: LlvmBuilder, value: Lanes, number: int) -> None:
    value = builder.zext(value, LaneType.I8) if value.kind is LaneType.I1 else builder.canonical(value)
    builder.emitter.store(builder.type_of(value.kind), value.text, "%out", number * _SLOT)


def _text(emitter: Emitter) -> str:
    scratch = "\n".join(f"%scratch.{name} = alloca [256 x i8], align 256" for name in "abc")
    declarations = "\n".join(emitter.declarations.values())
    body = "\n".join(emitter.lines)
    attributes = native.host_cpu().attributes
    return f"{declarations}\ndefine i32 @ww_test(ptr %in, ptr %out) {attributes} {{\n{scratch}\n{body}\nret i32 0\n}}\n"


@pytest.fixture(scope="session")
def evaluate() -> Evaluate:
    cpu = native.host_cpu()
    library = runtime(ObjectCache(None, cpu), cpu)

    def run(definition: Definition, *inputs: tuple[LaneType, Array], has_f16c: bool = True) -> list[Array]:
        emitter = Emitter()
        builder = LlvmBuilder(emitter, has_f16c=has_f16c)
        results = definition(builder, *(_load(builder, kind, n) for n, (kind, _) in enumerate(inputs)))
        results = results if isinstance(results, tuple) else (results,)
        for number, value in enumerate(results):
            _store(builder, value, number)
        loaded = native.Loaded(native.compile_object(_text(emitter), cpu, optimise=False), library.symbols)
        memory_in, memory_out = aligned_zeros(_SLOT * len(inputs)), aligned_zeros(_SLOT * len(results))
        for number, (kind, lanes) in enumerate(inputs):
            content = np.ascontiguousarray(lanes, DTYPES[kind]).view(np.uint8)
            memory_in[number * _SLOT : number * _SLOT + content.size] = content
        native.call_pointer(loaded.address("ww_test"), 2)(memory_in.ctypes.data, memory_out.ctypes.data)
        return [_lanes(memory_out, value.kind, number) for number, value in enumerate(results)]

    return run


def _lanes(memory: Array, kind: LaneType, number: int) -> Array:
    size = np.dtype(DTYPES[kind]).itemsize * 32
    return memory[number * _SLOT : number * _SLOT + size].view(DTYPES[kind]).copy()
