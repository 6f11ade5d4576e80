"""Atomics: lane after lane in ascending order, each step defined by the operation table on values of one lane."""

from warpwright.emulator.jit.codegen.accesses import Accesses, Request
from warpwright.emulator.jit.codegen.builder import LlvmBuilder
from warpwright.emulator.jit.codegen.emitter import WARP, Lanes, scalar_type
from warpwright.emulator.ops.builder import LaneType, integer
from warpwright.emulator.ops.table import Bound


def emit_atomic(request: Request, bound: Bound, values: list[Lanes], builder: LlvmBuilder, accesses: Accesses) -> Lanes:
    """The read-modify-writes of one request with the operands' values; old values as integers."""
    emitter = builder.emitter
    kinds = bound.operation.signature(bound.form).inputs
    accesses.check(request)
    pointers = ("ptr", request.site), ("ptr", "%scratch.addresses")
    emitter.call("ww_count_serial", "void", *pointers, ("i32", request.mask))
    for number, value in enumerate(values):
        emitter.store(builder.type_of(value.kind), builder.canonical(value).text, "%scratch.data", _slot(number + 1))
    _emit_loop(request, bound, builder)
    kind = integer(kinds[0].bits)
    return Lanes(kind, emitter.load(builder.type_of(kind), "%scratch.data"))


def _slot(number: int) -> int:
    """Byte offset of a 32-lane value in the scratch area; slot 0 takes the old values."""
    return number * 8 * WARP


def _emit_loop(request: Request, bound: Bound, builder: LlvmBuilder) -> None:
    emitter = builder.emitter
    kinds = bound.operation.signature(bound.form).inputs
    one = LlvmBuilder(emitter, has_f16c=builder.has_f16c, width=1)
    before, loop, after = emitter.current, emitter.label("lane"), emitter.label("lanes.done")
    rest_next = f"%{loop}.rest"
    emitter.jump(loop)
    emitter.begin(loop)
    rest = emitter.assign(f"phi i32 [ {request.mask}, %{before} ], [ {rest_next}, %{loop} ]")
    lane = emitter.call("llvm.cttz.i32", "i32", ("i32", rest), ("i1", "true"))
    place = emitter.assign(f"getelementptr i64, ptr %scratch.addresses, i32 {lane}")
    pointer = emitter.load("ptr", place)
    old = _load_lane(one, kinds[0], pointer, align=kinds[0].bits // 8)
    inputs = [_lane_of(one, kind, number + 1, lane) for number, kind in enumerate(kinds[1:])]
    (new,) = bound.evaluate(one, old, *inputs)
    kind = integer(kinds[0].bits)
    emitter.line(f"store {one.typed(one.bitcast(new, kind))}, ptr {pointer}, align {kind.bits // 8}")
    kept = emitter.assign(f"getelementptr {scalar_type(kind)}, ptr %scratch.data, i32 {lane}")
    emitter.line(f"store {one.typed(one.bitcast(old, kind))}, ptr {kept}, align {kind.bits // 8}")
    less = emitter.assign(f"sub i32 {rest}, 1")
    emitter.line(f"{rest_next} = and i32 {rest}, {less}")
    emitter.branch(emitter.assign(f"icmp eq i32 {rest_next}, 0"), after, loop)
    emitter.begin(after)


def _load_lane(one: LlvmBuilder, kind: LaneType, pointer: str, align: int) -> Lanes:
    bits = integer(kind.bits)
    loaded = one.emit(bits, f"load {one.type_of(bits)}, ptr {pointer}, align {align}")
    return one.bitcast(loaded, kind)


def _lane_of(one: LlvmBuilder, kind: LaneType, slot: int, lane: str) -> Lanes:
    base = one.emitter.address("%scratch.data", _slot(slot))
    place = one.emitter.assign(f"getelementptr {scalar_type(integer(kind.bits))}, ptr {base}, i32 {lane}")
    return _load_lane(one, kind, place, align=kind.bits // 8)
