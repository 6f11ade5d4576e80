"""What each operation gives for one lane, in Python integers: bit patterns in, bit patterns out."""

import math
from collections.abc import Callable

from emulator.ops import exact
from emulator.ops.conversions import convert
from emulator.ops.exact import BITS, decode, encode
from emulator.ops.patterns import Outcome, Truth, finished, half_pattern, is_float, number, width
from warpwright.emulator.ops import windows
from warpwright.emulator.ops.table import Form


def by_kind(on_integers: Truth, on_floats: Truth) -> Truth:
    """One base, two meanings."""
    return lambda form, *values: (on_floats if is_float(form.type) else on_integers)(form, *values)


def on_numbers(function: Callable[..., int]) -> Truth:
    """An integer function of the inputs as their type means them."""
    return lambda form, *values: function(*(number(v, form.type) for v in values))


def floats(function: Callable[..., float]) -> Truth:
    """A function of (values, format, mode), with `.ftz`, `.sat` and `.relu`; on pairs of halves, of each."""

    def one(form: Form, kind: str, values: tuple[int, ...]) -> float:
        inputs = [decode(v, kind) for v in values]
        if "ftz" in form.modifiers:
            inputs = [exact.flushed(v, kind) for v in inputs]
        mode = next((m for m in exact.MODES if m in form.modifiers), "rn")
        return finished(form, kind, function(*inputs, kind, mode))

    return lambda form, *values: on_halves(form, one, values)


def on_halves(form: Form, one: Callable[[Form, str, tuple[int, ...]], float], values: tuple[int, ...]) -> Outcome:
    """Apply to a value, or to both halves of a word."""
    kind = form.type.removesuffix("x2")
    if kind == form.type:
        return one(form, kind, values)
    low, high = one(form, kind, tuple(v & 0xFFFF for v in values)), one(form, kind, tuple(v >> 16 for v in values))
    return half_pattern(high, kind) << 16 | half_pattern(low, kind)


def high_half(form: Form, x: int, y: int) -> int:
    return number(x, form.type) * number(y, form.type) >> width(form.type)


def divided(form: Form, x: int, y: int) -> Outcome:
    left, right = number(x, form.type), number(y, form.type)
    if right == 0:
        return -1  # what GPUs give; the ISA leaves it open
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def remainder(form: Form, x: int, y: int) -> Outcome:
    left, right = number(x, form.type), number(y, form.type)
    return left if right == 0 else abs(left) % abs(right) * (-1 if left < 0 else 1)


def carried(form: Form, exact_value: int) -> tuple[int, int]:
    """Result and carry (or borrow) out."""
    bits = width(form.type)
    return exact_value, (exact_value >> bits) & 1


def multiply_add(form: Form, x: int, y: int, z: int, carry: int = 0) -> tuple[int, int]:
    bits = width(form.type)
    part = x * y if "lo" in form.modifiers else number(x, form.type) * number(y, form.type) >> bits
    return carried(form, (part & ((1 << bits) - 1)) + z + carry)


def clamped(form: Form, value: int) -> int:
    return min(max(value, -(2**31)), 2**31 - 1) if "sat" in form.modifiers else value


def add_integers(form: Form, x: int, y: int) -> Outcome | tuple[int, int]:
    if "cc" in form.modifiers:
        return carried(form, x + y)
    return clamped(form, number(x, form.type) + number(y, form.type))


def subtract_integers(form: Form, x: int, y: int) -> Outcome | tuple[int, int]:
    if "cc" in form.modifiers:
        return carried(form, x - y)
    return clamped(form, number(x, form.type) - number(y, form.type))


def mad_integers(form: Form, x: int, y: int, z: int) -> Outcome | tuple[int, int]:
    if "cc" in form.modifiers:
        return multiply_add(form, x, y, z)
    product = number(x, form.type) * number(y, form.type)
    return (product >> width(form.type) if "hi" in form.modifiers else product) + z


def low24(value: int, name: str) -> int:
    return number(value, f"{name[0]}24")


def parts(value: int, bits: int, name: str) -> list[int]:
    return [number(value >> bits * n, f"{name[0]}{bits}") for n in range(32 // bits)]


def dot2(form: Form, x: int, y: int, z: int) -> int:
    rights = parts(y, 8, form.types[1])
    return z + sum(
        a * b
        for a, b in zip(parts(x, 16, form.types[0]), rights[2:] if "hi" in form.modifiers else rights[:2], strict=True)
    )


def shifted_right(form: Form, x: int, count: int) -> int:
    return number(x, form.type) >> min(count, 64)


def funnel(form: Form, low: int, high: int, count: int) -> int:
    count = count & 31 if "wrap" in form.modifiers else min(count, 32)
    wide = high << 32 | low
    return wide << count >> 32 if "l" in form.modifiers else wide >> count


def logic3(form: Form, x: int, y: int, z: int, table: int) -> int:
    chosen = [table >> (4 * (x >> n & 1) + 2 * (y >> n & 1) + (z >> n & 1)) & 1 for n in range(32)]
    return sum(bit << n for n, bit in enumerate(chosen))


def leading_one(form: Form, x: int) -> int:
    value = number(x, form.type)
    value = ~value if value < 0 else value
    if value == 0:
        return -1
    place = value.bit_length() - 1
    return width(form.type) - 1 - place if "shiftamt" in form.modifiers else place


def extracted(form: Form, x: int, position: int, length: int) -> int:
    """The ISA's pseudo code, bit by bit."""
    bits, position, length = width(form.type), position & 255, length & 255
    signed = form.type[0] == "s" and length > 0
    fill = x >> min(position + length - 1, bits - 1) & 1 if signed else 0
    chosen = [x >> (position + n) & 1 if n < length and position + n < bits else fill for n in range(bits)]
    return sum(bit << n for n, bit in enumerate(chosen))


def inserted(form: Form, x: int, into: int, position: int, length: int) -> int:
    position, length = position & 255, length & 255
    for n in range(length):
        if position + n < width(form.type):
            into = into & ~(1 << (position + n)) | (x >> n & 1) << (position + n)
    return into


def mask_of(form: Form, position: int, length: int) -> int:
    if "wrap" in form.modifiers:
        position, length = position & 31, length & 31
    return sum(1 << n for n in range(32) if position <= n < position + length)


def permuted(form: Form, x: int, y: int, selector: int) -> int:
    pool = [(y << 32 | x) >> 8 * n & 255 for n in range(8)]
    modes: dict[str, Callable[[int, int], int]] = {
        "f4e": lambda s, n: s + n,
        "b4e": lambda s, n: (s - n) % 8,
        "rc8": lambda s, n: s,
        "ecl": max,
        "ecr": min,
        "rc16": lambda s, n: 2 * (s & 1) + (n & 1),
    }
    mode = next((m for m in modes if m in form.modifiers), None)
    chosen = []
    for n in range(4):
        nibble = selector >> 4 * n & 15
        if mode is not None:
            chosen.append(pool[modes[mode](selector & 3, n)])
        else:
            byte = pool[nibble & 7]
            chosen.append(255 * (byte >> 7) if nibble & 8 else byte)
    return sum(byte << 8 * n for n, byte in enumerate(chosen))


_ORDER: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
}
_WORDS = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
_RELATIONS = (*_ORDER, *_WORDS, *(f"{name}u" for name in _ORDER), "num", "nan")


def related(form: Form, x: int, y: int, kind: str) -> bool:
    word = next(token for token in form.tokens if token in _RELATIONS)
    if not is_float(kind):
        name = f"u{width(kind)}" if word in _WORDS else kind
        return _ORDER[_WORDS.get(word, word)](number(x, name), number(y, name))
    left, right = decode(x, kind), decode(y, kind)
    if "ftz" in form.modifiers and kind in ("f16", "f32"):
        left, right = exact.flushed(left, kind), exact.flushed(right, kind)
    unordered = math.isnan(left) or math.isnan(right)
    if word in ("num", "nan"):
        return unordered == (word == "nan")
    return word.endswith("u") if unordered else _ORDER[word.removesuffix("u")](left, right)


def combined(form: Form, value: bool, third: tuple[int, ...]) -> bool:
    if not third:
        return value
    other = bool(third[0])
    return value and other if "and" in form.modifiers else value or other if "or" in form.modifiers else value != other


def set_predicates(form: Form, x: int, y: int, *third: int) -> tuple[Outcome, ...]:
    kind = form.type.removesuffix("x2")
    if kind == form.type:
        held = related(form, x, y, kind)
        return combined(form, held, third), combined(form, not held, third)
    return tuple(combined(form, related(form, x >> n & 0xFFFF, y >> n & 0xFFFF, kind), third) for n in (0, 16))


def set_register(form: Form, x: int, y: int, *third: int) -> Outcome:
    result, kind = form.types[0], form.type.removesuffix("x2")
    true = encode(1.0, result.removesuffix("x2")) if is_float(result) else -1
    if kind == form.type:
        return true if combined(form, related(form, x, y, kind), third) else 0
    low, high = (related(form, x >> n & 0xFFFF, y >> n & 0xFFFF, kind) for n in (0, 16))
    return (true & 0xFFFF) * low | (true & 0xFFFF) * high << 16


def extreme_of(form: Form, *values: int) -> Outcome | tuple[Outcome, ...]:
    least = form.base == "min"
    if not is_float(form.type):
        numbers = [number(v, form.type) for v in values]
        return min(numbers) if least else max(numbers)

    def pick(x: float, y: float, kind: str, mode: str) -> float:
        if "xorsign" not in form.modifiers:
            return exact.extreme(x, y, least=least, keep_nan="NaN" in form.modifiers)
        size = exact.extreme(abs(x), abs(y), least=least, keep_nan="NaN" in form.modifiers)
        return math.copysign(size, exact.sign(x) * exact.sign(y))

    return floats(pick)(form, *values)


def classified(form: Form, x: int) -> bool:
    value, least = decode(x, form.type), 2.0 ** exact.FORMATS[form.type][1]
    tests = {
        "finite": math.isfinite(value),
        "infinite": math.isinf(value),
        "number": not math.isnan(value),
        "notanumber": math.isnan(value),
        "normal": math.isfinite(value) and abs(value) >= least,
        "subnormal": 0 < abs(value) < least,
    }
    return next(answer for word, answer in tests.items() if word in form.modifiers)


def approximate_quotient(x: float, y: float, kind: str, mode: str) -> float:
    if "inf" not in str(y) and abs(y) > 2.0**126:
        return x * 0.0 * exact.sign(y)
    return exact.divide(x, y, kind, mode)


def byte_distances(form: Form, x: int, y: int, z: int) -> int:
    pairs = zip(parts(x, 8, form.types[-2]), parts(y, 8, form.types[-1]), strict=True)
    distances = [abs(a - b) for a, b in pairs]
    return z + sum(distances) if "add" in form.modifiers else sum((d & 255) << 8 * n for n, d in enumerate(distances))


def packed(form: Form, *values: int) -> int:
    return sum(v << n * (width(form.type) // len(values)) for n, v in enumerate(values))


def unpacked(form: Form, x: int) -> tuple[int, ...]:
    count = 4 if "unpack4" in form.modifiers else 2
    return tuple(x >> n * (width(form.type) // count) for n in range(count))


def moved(form: Form, *values: int) -> Outcome | tuple[int, ...]:
    if not form.modifiers:
        return values[0]
    return packed(form, *values) if len(values) > 1 else unpacked(form, values[0])


def selected_by_sign(form: Form, x: int, y: int, c: int) -> int:
    if form.type == "s32":
        return x if number(c, "s32") >= 0 else y
    return x if decode(c, "f32") >= 0 or ("ftz" in form.modifiers and abs(decode(c, "f32")) < 2.0**-126) else y


def address_converted(form: Form, x: int) -> int:
    window = windows.LOCAL_WINDOW if "local" in form.modifiers else windows.SHARED_WINDOW
    distance = window if form.modifiers & {"local", "shared", "shared::cta"} else 0
    return x - distance if "to" in form.modifiers else x + distance


def in_space(form: Form, x: int) -> bool:
    inside = [start <= x < start + windows.WINDOW_BYTES for start in (windows.LOCAL_WINDOW, windows.SHARED_WINDOW)]
    if "global" in form.modifiers:
        return not any(inside)
    return inside[0] if "local" in form.modifiers else inside[1]


def updated(form: Form, old: int, *operands: int) -> Outcome | tuple[Outcome, ...]:
    """New value of an atomic."""
    x = operands[0]
    word = next(
        w for w in ("add", "max", "min", "and", "or", "xor", "exch", "cas", "inc", "dec") if w in form.modifiers
    )
    if word in ("add", "min", "max"):
        plain = Form(word, form.types, frozenset(), form.types)
        return ONE_LANE[word](plain, old, x)
    answers = {
        "and": old & x,
        "or": old | x,
        "xor": old ^ x,
        "exch": x,
        "cas": operands[-1] if old == x else old,
        "inc": 0 if old >= x else old + 1,
        "dec": x if old == 0 or old > x else old - 1,
    }
    return answers[word]


def sign_changed(change: Callable[[int, int], int]) -> Truth:
    """neg and abs of floats are on the sign bit; what they do to a NaN is open."""

    def apply(x: float, kind: str, mode: str) -> float:
        return x if math.isnan(x) else decode(change(encode(x, kind), 1 << (BITS[kind] - 1)), kind)

    return floats(apply)


ONE_LANE: dict[str, Truth] = {
    "add": by_kind(add_integers, floats(exact.add)),
    "sub": by_kind(subtract_integers, floats(lambda x, y, kind, mode: exact.add(x, -y, kind, mode))),
    "mul": by_kind(
        lambda f, x, y: high_half(f, x, y) if "hi" in f.modifiers else number(x, f.type) * number(y, f.type),
        floats(exact.multiply),
    ),
    "mad": by_kind(mad_integers, floats(lambda x, y, z, kind, mode: exact.fused(x, y, z, (kind, mode)))),
    "fma": floats(lambda x, y, z, kind, mode: exact.fused(x, y, z, (kind, mode))),
    "div": by_kind(
        divided,
        lambda f, x, y: floats(approximate_quotient if "approx" in f.modifiers else exact.divide)(f, x, y),
    ),
    "rem": remainder,
    "neg": by_kind(on_numbers(lambda x: -x), sign_changed(lambda bits, sign: bits ^ sign)),
    "abs": by_kind(on_numbers(abs), sign_changed(lambda bits, sign: bits & ~sign)),
    "min": extreme_of,
    "max": extreme_of,
    "sad": lambda f, x, y, z: abs(number(x, f.type) - number(y, f.type)) + z,
    "mul24": lambda f, x, y: low24(x, f.type) * low24(y, f.type),
    "mad24": lambda f, x, y, z: low24(x, f.type) * low24(y, f.type) + z,
    "dp4a": lambda f, x, y, z: (
        z + sum(a * b for a, b in zip(parts(x, 8, f.types[0]), parts(y, 8, f.types[1]), strict=True))
    ),
    "dp2a": dot2,
    "addc": lambda f, x, y, carry: carried(f, x + y + carry),
    "subc": lambda f, x, y, carry: carried(f, x - y - carry),
    "madc": multiply_add,
    "and": lambda f, x, y: x & y,
    "or": lambda f, x, y: x | y,
    "xor": lambda f, x, y: x ^ y,
    "not": lambda f, x: ~x,
    "cnot": lambda f, x: x == 0,
    "shl": lambda f, x, count: x << min(count, 64),
    "shr": shifted_right,
    "shf": funnel,
    "lop3": logic3,
    "popc": lambda f, x: x.bit_count(),
    "clz": lambda f, x: width(f.type) - x.bit_length(),
    "brev": lambda f, x: int(f"{x:0{width(f.type)}b}"[::-1], 2),
    "bfind": leading_one,
    "bfe": extracted,
    "bfi": inserted,
    "bmsk": mask_of,
    "prmt": permuted,
    "setp": set_predicates,
    "set": set_register,
    "rcp": floats(lambda x, kind, mode: exact.divide(1.0, x, kind, mode)),
    "sqrt": floats(exact.root),
    "copysign": lambda f, s, x: x & ~(1 << (width(f.type) - 1)) | s & 1 << (width(f.type) - 1),
    "testp": classified,
    "cvt": convert,
    "vabsdiff4": byte_distances,
    "mov": moved,
    "selp": lambda f, x, y, p: x if p else y,
    "slct": selected_by_sign,
    "cvta": address_converted,
    "isspacep": in_space,
    "atom": updated,
    "red": updated,
}
"""Exact to the bit, the approximate forms of div, rcp and sqrt included, which the emulator computes in full precision."""


def sine(function: Callable[[float], float]) -> Callable[[float], float | None]:
    return lambda x: math.nan if not math.isfinite(x) else function(x) if abs(x) < 2.0**20 else None


def power(x: float) -> float:
    return math.inf if x > 1100 else math.exp2(x)


def logarithm(x: float) -> float:
    return math.nan if math.isnan(x) or x < 0 else -math.inf if x == 0 else math.log2(x)


def reciprocal_root(x: float) -> float:
    return math.nan if math.isnan(x) or x < 0 else math.copysign(math.inf, x) if x == 0 else 1 / math.sqrt(x)


NEAR: dict[str, Callable[[float], float | None]] = {
    "ex2": power,
    "lg2": logarithm,
    "sin": sine(math.sin),
    "cos": sine(math.cos),
    "tanh": math.tanh,
    "rsqrt": reciprocal_root,
}
"""To be met within two units of the last place."""
