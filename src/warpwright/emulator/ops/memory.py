"""Loads, stores, fences and address conversion. The executor performs them; `access.access_of` says what to move where."""

from warpwright.emulator.ops import windows
from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.declare import MEMORY, NO_OPERANDS, Family, Shape, lane_type, shaped
from warpwright.emulator.ops.table import Effect, Form, Pipe, Signature

FAMILY = Family("Data Movement and Conversion Instructions")

_SPACES = "global shared local const param param::entry param::func shared::cta"
_CACHE = (
    "ca cg cs lu cv wb wt nc relaxed acquire release weak volatile mmio cta cluster gpu sys "
    "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate "
    "L2::evict_normal L2::evict_first L2::evict_last L2::64B L2::128B L2::256B"
)
_VECTORS = "v2 v4 v8"

_ELEMENT = Shape(MEMORY, lambda form: Signature((lane_type(form.type),), (lane_type(form.type),)))

FAMILY.effect("ld", _ELEMENT, Pipe.LSU, Effect.LOAD, f"{_SPACES} {_CACHE} {_VECTORS}")
FAMILY.effect("ldu", _ELEMENT, Pipe.LSU, Effect.LOAD, f"global {_VECTORS}")
FAMILY.effect("st", _ELEMENT, Pipe.LSU, Effect.STORE, f"{_SPACES} {_CACHE} {_VECTORS}")

_ADDRESS = shaped({"u64", "u32"}, (None,), (None,))


@FAMILY.op("cvta", _ADDRESS, Pipe.ALU, "global const param")
@FAMILY.op("cvta.to", _ADDRESS, Pipe.ALU, "global const param")
def cvta_global(b: Builder, form: Form, x: Value) -> Value:
    """Global and constant addresses are generic addresses already."""
    return x


_WINDOWED = shaped({"u64"}, (LaneType.I64,), (LaneType.I64,))
_WINDOW_SPACES = "shared shared::cta local"


def _window(form: Form) -> int:
    return windows.LOCAL_WINDOW if "local" in form.modifiers else windows.SHARED_WINDOW


@FAMILY.op("cvta", _WINDOWED, Pipe.ALU, _WINDOW_SPACES)
def cvta(b: Builder, form: Form, x: Value) -> Value:
    """A shared or local offset as a generic address."""
    return b.add(x, b.const(_window(form), LaneType.I64))


@FAMILY.op("cvta.to", _WINDOWED, Pipe.ALU, _WINDOW_SPACES)
def cvta_to(b: Builder, form: Form, x: Value) -> Value:
    """A generic address as a shared or local offset."""
    return b.sub(x, b.const(_window(form), LaneType.I64))


_TESTED = Shape(frozenset(), lambda _: Signature((LaneType.I1,), (LaneType.I64,)))


@FAMILY.op("isspacep", _TESTED, Pipe.ALU, "shared shared::cta local global")
def isspacep(b: Builder, form: Form, x: Value) -> Value:
    """Whether a generic address lies in the space."""
    shared, local = (_inside(b, x, start) for start in (windows.SHARED_WINDOW, windows.LOCAL_WINDOW))
    if "local" in form.modifiers:
        return local
    return b.not_(b.or_(shared, local)) if "global" in form.modifiers else shared


def _inside(b: Builder, x: Value, start: int) -> Value:
    return b.compare("ult", b.sub(x, b.const(start, LaneType.I64)), b.const(windows.WINDOW_BYTES, LaneType.I64))


_HINTS = "global L1 L2 L2::evict_last L2::evict_normal"
FAMILY.effect("prefetch", NO_OPERANDS, Pipe.LSU, Effect.NOTHING, _HINTS)
FAMILY.effect("prefetchu", NO_OPERANDS, Pipe.LSU, Effect.NOTHING, "L1")
FAMILY.effect("discard", NO_OPERANDS, Pipe.LSU, Effect.NOTHING, "global L2")

_ASYNC = "shared shared::cta global L2::64B L2::128B L2::256B"
FAMILY.effect("cp.async.ca", NO_OPERANDS, Pipe.LSU, Effect.ASYNC_COPY, _ASYNC)
FAMILY.effect("cp.async.cg", NO_OPERANDS, Pipe.LSU, Effect.ASYNC_COPY, _ASYNC)
FAMILY.effect("cp.async.commit_group", NO_OPERANDS, Pipe.CONTROL, Effect.NOTHING)
FAMILY.effect("cp.async.wait_group", NO_OPERANDS, Pipe.CONTROL, Effect.NOTHING)
FAMILY.effect("cp.async.wait_all", NO_OPERANDS, Pipe.CONTROL, Effect.NOTHING)
