"""Values across a warp: shuffle, vote, match, reduction, masks."""

from warpwright.emulator.ops.builder import Builder, LaneType, Value
from warpwright.emulator.ops.declare import Family, Shape, is_signed, shaped
from warpwright.emulator.ops.table import Form, Pipe, Signature

FAMILY = Family("Parallel Synchronization and Communication Instructions")
op = FAMILY.op

_I1, _I32 = LaneType.I1, LaneType.I32
_SHUFFLES = "up down bfly idx"


@op("shfl.sync", shaped({"b32"}, (_I32, _I1), (_I32, _I32, _I32, _I32)), Pipe.LSU, _SHUFFLES)
def shfl(b: Builder, form: Form, x: Value, y: Value, clamp: Value, mask: Value) -> tuple[Value, Value]:
    """(x of the source lane, whether that lane lies in range); out of range a lane keeps its own x.

    Source: PTX ISA, shfl.sync, pseudo code: bits 8..12 of c are the segment mask, 0..4 the clamp.
    """
    five = b.const(31, _I32)
    offset, bound = b.and_(y, five), b.and_(clamp, five)
    segment = b.and_(b.lshr(clamp, b.const(8, _I32)), five)
    lane = b.lane()
    highest = b.or_(b.and_(lane, segment), b.and_(bound, b.not_(segment)))
    lowest = b.and_(lane, segment)
    source, inside = _source(b, form, (lane, offset), (lowest, highest, segment))
    source = b.select(inside, source, lane)
    return b.permute(x, b.and_(source, five)), inside


def _source(
    b: Builder, form: Form, place: tuple[Value, Value], segment: tuple[Value, Value, Value]
) -> tuple[Value, Value]:
    lane, offset = place
    lowest, highest, mask = segment
    if "up" in form.modifiers:
        # The clamp of `up` is the lowest lane, so `highest` is the lower limit here.
        source = b.sub(lane, offset)
        return source, b.compare("sge", source, highest)
    if "down" in form.modifiers:
        source = b.add(lane, offset)
    elif "bfly" in form.modifiers:
        source = b.xor(lane, offset)
    else:
        source = b.or_(lowest, b.and_(offset, b.not_(mask)))
    return source, b.compare("sle", source, highest)


def _participants(b: Builder, mask: Value) -> Value:
    """I1: active lanes that the membership mask names."""
    bit = b.and_(b.lshr(mask, b.lane()), b.const(1, _I32))
    return b.and_(b.active(), b.compare("ne", bit, b.const(0, _I32)))


_VOTE = Shape(frozenset({"pred"}), lambda _: Signature((_I1,), (_I1, _I32)))
_BALLOT = Shape(frozenset({"b32"}), lambda _: Signature((_I32,), (_I1, _I32)))


@op("vote.sync.ballot", _BALLOT, Pipe.ALU)
def ballot(b: Builder, form: Form, p: Value, mask: Value) -> Value:
    """A bit for each named lane whose predicate holds."""
    return b.ballot(b.and_(p, _participants(b, mask)))


@op("vote.sync", _VOTE, Pipe.ALU, "all any uni")
def vote(b: Builder, form: Form, p: Value, mask: Value) -> Value:
    """Whether all or any named lanes hold, or all agree."""
    named = _participants(b, mask)
    zero = b.const(0, _I32)
    none = b.compare("eq", b.ballot(b.and_(p, named)), zero)
    every = b.compare("eq", b.ballot(b.and_(b.not_(p), named)), zero)
    if "any" in form.modifiers:
        return b.not_(none)
    return every if "all" in form.modifiers else b.or_(every, none)


_ACTIVE = Shape(frozenset({"b32"}), lambda _: Signature((_I32,), ()))


@op("activemask", _ACTIVE, Pipe.ALU)
def activemask(b: Builder, form: Form) -> Value:
    """A bit for each lane that executes this instruction."""
    return b.ballot(b.active())


def _match_signature(form: Form) -> Signature:
    return Signature((_I32, _I1), (LaneType.I64 if form.type == "b64" else _I32, _I32))


_MATCH = Shape(frozenset({"b32", "b64"}), _match_signature)


@op("match.any.sync", _MATCH, Pipe.ALU)
def match_any(b: Builder, form: Form, x: Value, mask: Value) -> tuple[Value, Value]:
    """A bit for each named lane that has the same x."""
    named = _participants(b, mask)
    total = b.const(0, _I32)
    for lane in range(32):
        other = b.permute(x, b.const(lane, _I32))
        here = b.permute(named, b.const(lane, _I32))
        same = b.and_(here, b.compare("eq", x, other))
        total = b.or_(total, b.select(same, b.const(1 << lane, _I32), b.const(0, _I32)))
    return total, b.const(1, _I1)


@op("match.all.sync", _MATCH, Pipe.ALU)
def match_all(b: Builder, form: Form, x: Value, mask: Value) -> tuple[Value, Value]:
    """(the named lanes, true) if all of them have the same x, else (0, false)."""
    named = _participants(b, mask)
    lanes = b.ballot(named)
    lowest = b.and_(lanes, b.sub(b.const(0, _I32), lanes))
    first = b.sub(b.const(31, _I32), b.leading_zeros(lowest))
    differs = b.and_(named, b.compare("ne", x, b.permute(x, b.and_(first, b.const(31, _I32)))))
    same = b.compare("eq", b.ballot(differs), b.const(0, _I32))
    return b.select(same, lanes, b.const(0, _I32)), same


_REDUX = shaped({"s32", "u32", "b32"}, (_I32,), (_I32, _I32))


@op("redux.sync", _REDUX, Pipe.ALU, "add min max and or xor")
def redux(b: Builder, form: Form, x: Value, mask: Value) -> Value:
    """The reduction of x over the named lanes, in all of them."""
    neutral = b.const(_neutral(form), _I32)
    total = b.select(_participants(b, mask), x, neutral)
    for distance in (16, 8, 4, 2, 1):
        other = b.permute(total, b.xor(b.lane(), b.const(distance, _I32)))
        total = _reduced(b, form, total, other)
    return total


def _neutral(form: Form) -> int:
    if "and" in form.modifiers:
        return -1
    if "min" in form.modifiers:
        return 0x7FFFFFFF if is_signed(form.type) else -1
    return -(1 << 31) if "max" in form.modifiers and is_signed(form.type) else 0


def _reduced(b: Builder, form: Form, x: Value, y: Value) -> Value:
    if "min" in form.modifiers or "max" in form.modifiers:
        less = b.compare("slt" if is_signed(form.type) else "ult", x, y)
        return b.select(less, x, y) if "min" in form.modifiers else b.select(less, y, x)
    steps = {"add": b.add, "and": b.and_, "or": b.or_, "xor": b.xor}
    return next(step for word, step in steps.items() if word in form.modifiers)(x, y)


_ELECT = Shape(frozenset(), lambda _: Signature((_I32, _I1), (_I32,)))


@op("elect.sync", _ELECT, Pipe.ALU)
def elect(b: Builder, form: Form, mask: Value) -> tuple[Value, Value]:
    """(the lowest named lane's number, whether this lane is it)."""
    lanes = b.ballot(_participants(b, mask))
    lowest = b.and_(lanes, b.sub(b.const(0, _I32), lanes))
    first = b.sub(b.const(31, _I32), b.leading_zeros(lowest))
    return first, b.compare("eq", b.lane(), first)
