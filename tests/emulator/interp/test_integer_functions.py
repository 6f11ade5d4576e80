"""CUDA's integer functions, compiled by NVRTC and interpreted, against Python integers."""

from collections.abc import Callable

import numpy as np
import pytest

from emulator.interp.cuda import evaluated

X = [0, 1, -1, 2**31 - 1, -(2**31), 2, 3, 255, 256, -256, 0x12345678, -0x12345678, 0x7FFF8000, 0x00FF00FF, -7, 7,
     0x55555555, -0x55555556,
     1 << 30, 12345, -54321, 0x01020304, 65535, 65536, -65536, 100, -100, 19, 77, -99, 4096, -4097]  # fmt: skip
Y = [1, 3, 7, -1, -1,
     2**31 - 1, -(2**31), 31, 5, -5, 0x7654321, 0x7F7F7F7F, 33, 64, -3, -64, 12, 0x0F0F0F0F, 40, 1000,
     -1000, 0x04030201, 2, 65537, -7, 9, 11, -12, 31, 99, -4096, 8]  # fmt: skip
Reference = Callable[[int, int], int]
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def u(value: int) -> int:
    return value & M32


def s(value: int, bits: int = 32) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def quotient(x: int, y: int) -> int:
    """Toward zero, as C has it."""
    size = abs(x) // abs(y)
    return size if (x < 0) == (y < 0) else -size


def bytes_of(x: int) -> list[int]:
    return [u(x) >> 8 * n & 255 for n in range(4)]


def words_of(x: int) -> list[int]:
    return [u(x) & 0xFFFF, u(x) >> 16]


def joined(parts: list[int], bits: int) -> int:
    return sum((part & ((1 << bits) - 1)) << bits * n for n, part in enumerate(parts))


def per_byte(function: Reference, *, signed: bool = False) -> Reference:
    def apply(x: int, y: int) -> int:
        pairs = zip(bytes_of(x), bytes_of(y), strict=True)
        return joined([function(s(a, 8), s(b, 8)) if signed else function(a, b) for a, b in pairs], 8)

    return apply


def per_word(function: Reference, *, signed: bool = False) -> Reference:
    def apply(x: int, y: int) -> int:
        pairs = zip(words_of(x), words_of(y), strict=True)
        return joined([function(s(a, 16), s(b, 16)) if signed else function(a, b) for a, b in pairs], 16)

    return apply


def low24(x: int) -> int:
    return s(x, 24)


def permuted(x: int, y: int, selector: int) -> int:
    pool = bytes_of(x) + bytes_of(y)
    return joined([pool[selector >> 4 * n & 7] for n in range(4)], 8)


def funnel(x: int, y: int) -> int:
    """hi:lo of y:x."""
    return u(y) << 32 | u(x)


SINGLE: dict[str, Reference] = {
    "__brev(x)": lambda x, _: int(f"{u(x):032b}"[::-1], 2),
    "__popc(x)": lambda x, _: u(x).bit_count(),
    "__ffs(x)": lambda x, _: (x & -x).bit_length(),
    "__clz(x)": lambda x, _: 32 - u(x).bit_length(),
    "__byte_perm(x, y, 0x3254)": lambda x, y: permuted(x, y, 0x3254),
    "__byte_perm(x, y, 0x7160)": lambda x, y: permuted(x, y, 0x7160),
    "__mul24(x, y)": lambda x, y: low24(x) * low24(y),
    "__umul24(x, y)": lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF),
    "__mulhi(x, y)": lambda x, y: x * y >> 32,
    "__umulhi(x, y)": lambda x, y: u(x) * u(y) >> 32,
    "__dp4a(x, y, 7)": lambda x, y: 7 + sum(s(a, 8) * s(b, 8) for a, b in zip(bytes_of(x), bytes_of(y), strict=True)),
    "__dp4a((unsigned)x, (unsigned)y, 9u)": lambda x, y: (
        9 + sum(a * b for a, b in zip(bytes_of(x), bytes_of(y), strict=True))
    ),
    "__dp2a_lo(x, y, 3)": lambda x, y: (
        3 + sum(s(a, 16) * s(b, 8) for a, b in zip(words_of(x), bytes_of(y)[:2], strict=True))
    ),
    "__dp2a_hi((unsigned)x, (unsigned)y, 3u)": lambda x, y: (
        3 + sum(a * b for a, b in zip(words_of(x), bytes_of(y)[2:], strict=True))
    ),
    "__sad(x, y, 5u)": lambda x, y: abs(x - y) + 5,
    "__usad((unsigned)x, (unsigned)y, 5u)": lambda x, y: abs(u(x) - u(y)) + 5,
    "__hadd(x, y)": lambda x, y: (x + y) >> 1,
    "__rhadd(x, y)": lambda x, y: (x + y + 1) >> 1,
    "__uhadd(x, y)": lambda x, y: (u(x) + u(y)) >> 1,
    "__funnelshift_l(x, y, 5)": lambda x, y: funnel(x, y) << 5 >> 32,
    "__funnelshift_l(x, y, (unsigned)y)": lambda x, y: funnel(x, y) << (y & 31) >> 32,
    "__funnelshift_lc(x, y, 40)": funnel,
    "__funnelshift_r(x, y, (unsigned)y)": lambda x, y: funnel(x, y) >> (y & 31),
    "__funnelshift_rc(x, y, 40)": lambda x, y: u(y),
    "__vadd4(x, y)": per_byte(lambda a, b: a + b),
    "__vsub4(x, y)": per_byte(lambda a, b: a - b),
    "__vaddss4(x, y)": per_byte(lambda a, b: min(max(a + b, -128), 127), signed=True),
    "__vaddus2(x, y)": per_word(lambda a, b: min(a + b, 65535)),
    "__vabsdiffu4(x, y)": per_byte(lambda a, b: abs(a - b)),
    "__vabsdiffs4(x, y)": per_byte(lambda a, b: abs(a - b), signed=True),
    "__vsadu4(x, y)": lambda x, y: sum(abs(a - b) for a, b in zip(bytes_of(x), bytes_of(y), strict=True)),
    "__vmaxu4(x, y)": per_byte(max),
    "__vmins4(x, y)": per_byte(min, signed=True),
    "__vmaxs2(x, y)": per_word(max, signed=True),
    "__vcmpeq4(x, y)": per_byte(lambda a, b: 255 * (a == b)),
    "__vcmpgtu2(x, y)": per_word(lambda a, b: 65535 * (a > b)),
    "__vavgu4(x, y)": per_byte(lambda a, b: (a + b + 1) >> 1),
    "__vneg2(x)": per_word(lambda a, _: -a),
    "__viaddmax_s32(x, y, 3)": lambda x, y: max(s(x + y), 3),
    "__vimax3_s32(x, y, 3)": lambda x, y: max(x, y, 3),
    "abs(x)": lambda x, _: abs(x),
    "min(x, y)": min,
    "max((unsigned)x, (unsigned)y)": lambda x, y: max(u(x), u(y)),
    "(x == INT_MIN && y == -1) ? 0 : x / y": lambda x, y: 0 if (x, y) == (-(2**31), -1) else quotient(x, y),
    "(x == INT_MIN && y == -1) ? 0 : x % y": lambda x, y: 0 if (x, y) == (-(2**31), -1) else x - y * quotient(x, y),
    "(unsigned)x / (unsigned)y": lambda x, y: u(x) // u(y),
    "(unsigned)x % (unsigned)y": lambda x, y: u(x) % u(y),
    "x / 7": lambda x, _: quotient(x, 7),
    "x % 10": lambda x, _: x - 10 * quotient(x, 10),
    "(unsigned)x / 7u": lambda x, _: u(x) // 7,
    "x >> (y & 31)": lambda x, y: x >> (y & 31),
    "x << (y & 31)": lambda x, y: x << (y & 31),
    "(unsigned)x >> (y & 31)": lambda x, y: u(x) >> (y & 31),
    "(signed char)x": lambda x, _: s(x, 8),
    "(unsigned char)x": lambda x, _: x & 255,
    "(short)x * (short)y": lambda x, y: s(x, 16) * s(y, 16),
    "(unsigned short)x * 3": lambda x, _: (x & 0xFFFF) * 3,
    "(x & y) | (~x & 0x0ff0) ^ y": lambda x, y: (x & y) | ((~x & 0x0FF0) ^ y),
    "x > y ? x - y : y - x": lambda x, y: abs(x - y),
    "__float2int_rn((float)x)": lambda x, _: min(int(np.float32(x)), 2**31 - 1),
    "__double2int_rz((double)x * 0.5)": lambda x, _: int(x / 2),
    "__double2hiint((double)x)": lambda x, _: int(np.float64(x).view(np.int64)) >> 32,
    "__double2loint(x * 0.1)": lambda x, _: int(np.float64(x * 0.1).view(np.int64)),
    "__float_as_int(__int2float_rz(x))": lambda x, _: int(toward_zero(x).view(np.int32)),
}
LONG: dict[str, Reference] = {
    "__brevll(x)": lambda x, _: int(f"{x & M64:064b}"[::-1], 2),
    "__popcll(x)": lambda x, _: (x & M64).bit_count(),
    "__ffsll(x)": lambda x, _: (x & -x).bit_length(),
    "__clzll(x)": lambda x, _: 64 - (x & M64).bit_length(),
    "__mul64hi(x, y)": lambda x, y: x * y >> 64,
    "__umul64hi(x, y)": lambda x, y: (x & M64) * (y & M64) >> 64,
    "x * y": lambda x, y: x * y,
    "x / y": quotient,
    "x % y": lambda x, y: x - y * quotient(x, y),
    "(unsigned long long)x / (unsigned long long)y": lambda x, y: (x & M64) // (y & M64),
    "(unsigned long long)x % 1000000007ull": lambda x, _: (x & M64) % 1000000007,
    "x >> (y & 63)": lambda x, y: x >> (y & 63),
    "x << (y & 63)": lambda x, y: x << (y & 63),
    "llabs(x)": lambda x, _: abs(x),
    "min(x, y)": min,
    "max((unsigned long long)x, (unsigned long long)y)": lambda x, y: max(x & M64, y & M64),
    "__double_as_longlong(__ll2double_rn(x))": lambda x, _: int(np.float64(x).view(np.int64)),
    "__double_as_longlong(__ll2double_rd(x))": lambda x, _: int(downward(x).view(np.int64)),
    "__double2ll_rd(x * 0.001)": lambda x, _: int(np.floor(x * 0.001)),
    "(long long)(__int128(x) * y >> 64)": lambda x, y: x * y >> 64,
    "(long long)((__int128(x) + y) >> 1)": lambda x, y: (x + y) >> 1,
    "(long long)((__int128(x) * 3 - y) >> 5)": lambda x, y: (x * 3 - y) >> 5,
}


def toward_zero(x: int) -> np.float32:
    near = np.float32(x)
    return near if abs(int(near)) <= abs(x) else np.nextafter(near, np.float32(0))


def downward(x: int) -> np.float64:
    near = np.float64(x)
    return near if int(near) <= x else np.nextafter(near, np.float64(-np.inf))


@pytest.mark.parametrize("expression", SINGLE)
def test_32_bits(expression: str) -> None:
    inputs = np.array([X, Y], np.int64).astype(np.int32).tobytes()
    names = tuple(name.replace("INT_MIN", "(int)0x80000000") for name in SINGLE)
    rows = evaluated(names, ("int", "int"), (np.int32, np.int32), inputs)
    reference = SINGLE[expression]
    assert rows[list(SINGLE).index(expression)].tolist() == [s(reference(x, y)) for x, y in zip(X, Y, strict=True)]


@pytest.mark.parametrize("expression", LONG)
def test_64_bits(expression: str) -> None:
    wide_x = [(x << 29) + 3 * x + 1 for x in X]
    wide_y = [y if n % 2 else (y << 31) - y + 5 for n, y in enumerate(Y)]
    inputs = np.array([wide_x, wide_y], np.int64).tobytes()
    rows = evaluated(tuple(LONG), ("long long", "long long"), (np.int64, np.int64), inputs)
    reference = LONG[expression]
    expected = [s(reference(x, y), 64) for x, y in zip(wide_x, wide_y, strict=True)]
    assert rows[list(LONG).index(expression)].tolist() == expected
