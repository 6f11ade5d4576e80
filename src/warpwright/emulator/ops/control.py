"""Control flow, barriers, fences and what an executor may skip."""

from warpwright.emulator.ops.builder import LaneType
from warpwright.emulator.ops.declare import NO_OPERANDS, Family, Shape
from warpwright.emulator.ops.table import Effect, Pipe, Signature

FAMILY = Family("Control Flow and Synchronization Instructions")
effect = FAMILY.effect

effect("bra", NO_OPERANDS, Pipe.CONTROL, Effect.BRANCH, "uni")
effect("brx.idx", NO_OPERANDS, Pipe.CONTROL, Effect.BRANCH_TABLE, "uni")
effect("exit", NO_OPERANDS, Pipe.CONTROL, Effect.EXIT)
effect("ret", NO_OPERANDS, Pipe.CONTROL, Effect.RETURN, "uni")
effect("trap", NO_OPERANDS, Pipe.CONTROL, Effect.TRAP)
effect("call", NO_OPERANDS, Pipe.CONTROL, Effect.CALL, "uni")
effect("print", NO_OPERANDS, Pipe.CONTROL, Effect.PRINT)

_POPULATION = Shape(frozenset({"u32"}), lambda _: Signature((LaneType.I32,), (LaneType.I1,)))
_AGREEMENT = Shape(frozenset({"pred"}), lambda _: Signature((LaneType.I1,), (LaneType.I1,)))

for _name in ("bar", "barrier"):
    for _kind in ("sync", "arrive"):
        effect(f"{_name}.{_kind}", NO_OPERANDS, Pipe.CONTROL, Effect.BARRIER, "aligned cta")
    effect(f"{_name}.red.popc", _POPULATION, Pipe.CONTROL, Effect.BARRIER, "aligned cta")
    effect(f"{_name}.red.and", _AGREEMENT, Pipe.CONTROL, Effect.BARRIER, "aligned cta")
    effect(f"{_name}.red.or", _AGREEMENT, Pipe.CONTROL, Effect.BARRIER, "aligned cta")
effect("bar.warp.sync", NO_OPERANDS, Pipe.CONTROL, Effect.WARP_BARRIER)

_SCOPES = "sc acq_rel acquire release cta cluster gpu sys gl"
effect("membar", NO_OPERANDS, Pipe.CONTROL, Effect.FENCE, _SCOPES)
effect("fence", NO_OPERANDS, Pipe.CONTROL, Effect.FENCE, _SCOPES)
effect("nanosleep", Shape(frozenset({"u32"}), lambda _: Signature((), ())), Pipe.CONTROL, Effect.NOTHING)
effect("pmevent", NO_OPERANDS, Pipe.CONTROL, Effect.NOTHING, "mask")
effect("griddepcontrol", NO_OPERANDS, Pipe.CONTROL, Effect.NOTHING, "launch_dependents wait")
