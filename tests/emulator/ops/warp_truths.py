"""What warp operations give one lane, from the values of all 32 in Python integers."""

from collections.abc import Callable

from emulator.ops.patterns import Outcome, number
from warpwright.emulator.ops.table import Form

Lanes = list[int]
Mask = list[bool]


def named(mask: Mask, members: int) -> Lanes:
    """Executing lanes that the membership mask names."""
    return [lane for lane in range(32) if mask[lane] and members >> lane & 1]


def word_of(lanes: Lanes) -> int:
    return sum(1 << lane for lane in lanes)


def shuffled(
    form: Form, lane: int, mask: Mask, x: Lanes, y: Lanes, clamp: Lanes, members: Lanes
) -> tuple[Outcome, ...]:
    """The ISA's pseudo code of shfl.sync."""
    offset, bound, segment = y[lane] & 31, clamp[lane] & 31, clamp[lane] >> 8 & 31
    most = (lane & segment) | (bound & ~segment & 31)
    least = lane & segment
    if "up" in form.modifiers:
        source, inside = lane - offset, lane - offset >= most
    elif "down" in form.modifiers:
        source, inside = lane + offset, lane + offset <= most
    elif "bfly" in form.modifiers:
        source, inside = lane ^ offset, lane ^ offset <= most
    else:
        source = least | (offset & ~segment & 31)
        inside = source <= most
    source = source if inside else lane
    return x[source & 31], inside


def voted(form: Form, lane: int, mask: Mask, p: Lanes, members: Lanes) -> tuple[Outcome, ...]:
    lanes = named(mask, members[lane])
    answers = {
        "ballot": word_of([n for n in lanes if p[n]]),
        "all": all(p[n] for n in lanes),
        "any": any(p[n] for n in lanes),
        "uni": len({p[n] for n in lanes}) <= 1,
    }
    return (next(answer for word, answer in answers.items() if word in form.modifiers),)


def matched(form: Form, lane: int, mask: Mask, x: Lanes, members: Lanes) -> tuple[Outcome, ...]:
    lanes = named(mask, members[lane])
    if "any" in form.modifiers:
        return (word_of([n for n in lanes if x[n] == x[lane]]),)
    same = len({x[n] for n in lanes}) <= 1
    return (word_of(lanes) if same else 0), same


def reduced(form: Form, lane: int, mask: Mask, x: Lanes, members: Lanes) -> tuple[Outcome, ...]:
    values = [number(x[n], form.type) for n in named(mask, members[lane])]
    if not values:
        return (None,)
    steps: dict[str, Callable[[int, int], int]] = {
        "add": lambda a, b: a + b,
        "min": min,
        "max": max,
        "and": lambda a, b: a & b,
        "or": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b,
    }
    step = next(function for word, function in steps.items() if word in form.modifiers)
    total = values[0]
    for value in values[1:]:
        total = step(total, value)
    return (total,)


def elected(form: Form, lane: int, mask: Mask, members: Lanes) -> tuple[Outcome, ...]:
    lanes = named(mask, members[lane])
    return (lanes[0], lane == lanes[0]) if lanes else (None, False)


def active(form: Form, lane: int, mask: Mask) -> tuple[Outcome, ...]:
    return (word_of(named(mask, -1)),)


WHOLE_WARP: dict[str, Callable[..., tuple[Outcome, ...]]] = {
    "shfl": shuffled,
    "vote": voted,
    "match": matched,
    "redux": reduced,
    "elect": elected,
    "activemask": active,
}
