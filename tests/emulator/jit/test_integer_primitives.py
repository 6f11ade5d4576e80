"""Integer primitives of the LLVM builder against Python's integers."""

from collections.abc import Callable

import numpy as np
import pytest

from emulator.jit.conftest import DTYPES, Array, Evaluate
from warpwright.emulator.ops.builder import LaneType

WIDTHS = (LaneType.I8, LaneType.I16, LaneType.I32, LaneType.I64)
widths = pytest.mark.parametrize("kind", WIDTHS, ids=lambda kind: kind.name)


def values(kind: LaneType, seed: int) -> Array:
    """Random lanes with the edges of the range among them."""
    random = np.random.default_rng(seed)
    lanes = random.integers(0, 1 << kind.bits, 32, dtype=np.uint64)
    top = (1 << kind.bits) - 1
    edges = [0, 1, top, top >> 1, (top >> 1) + 1, 2, top - 1]
    lanes[random.permutation(32)[: len(edges)]] = edges
    return lanes.astype(DTYPES[kind])


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def trunc_div(x: int, y: int) -> int:
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


BINARY: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda x, y, n: x + y,
    "sub": lambda x, y, n: x - y,
    "mul": lambda x, y, n: x * y,
    "and_": lambda x, y, n: x & y,
    "or_": lambda x, y, n: x | y,
    "xor": lambda x, y, n: x ^ y,
    "shl": lambda x, y, n: x << (y % n),
    "lshr": lambda x, y, n: x >> (y % n),
    "ashr": lambda x, y, n: signed(x, n) >> (y % n),
    "udiv": lambda x, y, n: x // (y or 1),
    "urem": lambda x, y, n: x % (y or 1),
    "sdiv": lambda x, y, n: trunc_div(signed(x, n), signed(y, n) or 1),
    "srem": lambda x, y, n: signed(x, n) - trunc_div(signed(x, n), signed(y, n) or 1) * (signed(y, n) or 1),
}


def legal(name: str, y: Array, x: Array, kind: LaneType) -> Array:
    """Second operands as the protocol allows them."""
    if name in ("shl", "lshr", "ashr"):
        return y % kind.bits
    if name.endswith(("div", "rem")):
        y = np.where(y == 0, 1, y).astype(y.dtype)
        overflows = (x == 1 << (kind.bits - 1)) & (y == (1 << kind.bits) - 1)
        return np.where(overflows & (name[0] == "s"), 3, y).astype(y.dtype)
    return y


@widths
@pytest.mark.parametrize("name", BINARY)
def test_binary(evaluate: Evaluate, name: str, kind: LaneType) -> None:
    x = values(kind, 1)
    y = legal(name, values(kind, 2), x, kind)
    (actual,) = evaluate(lambda b, p, q: getattr(b, name)(p, q), (kind, x), (kind, y))
    mask = (1 << kind.bits) - 1
    expected = [BINARY[name](int(p), int(q), kind.bits) & mask for p, q in zip(x, y, strict=True)]
    assert actual.tolist() == expected


@widths
@pytest.mark.parametrize("name", BINARY)
def test_constants_fold_to_the_same(evaluate: Evaluate, name: str, kind: LaneType) -> None:
    x, y = 0x96, 5
    (actual,) = evaluate(lambda b: getattr(b, name)(b.const(x, kind), b.const(y, kind)))
    assert int(actual[0]) == BINARY[name](x, y, kind.bits) & ((1 << kind.bits) - 1)


UNARY: dict[str, Callable[[int, int], int]] = {
    "not_": lambda x, n: ~x,
    "popcount": lambda x, n: x.bit_count(),
    "leading_zeros": lambda x, n: n - x.bit_length(),
    "reverse_bits": lambda x, n: int(f"{x:0{n}b}"[::-1], 2),
}


@widths
@pytest.mark.parametrize("name", UNARY)
def test_unary(evaluate: Evaluate, name: str, kind: LaneType) -> None:
    x = values(kind, 3)
    (actual,) = evaluate(lambda b, p: getattr(b, name)(p), (kind, x))
    assert actual.tolist() == [UNARY[name](int(p), kind.bits) & ((1 << kind.bits) - 1) for p in x]


@widths
@pytest.mark.parametrize("predicate", ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"])
def test_compare(evaluate: Evaluate, predicate: str, kind: LaneType) -> None:
    x, y = values(kind, 4), values(kind, 5)
    y[:4] = x[:4]
    (actual,) = evaluate(lambda b, p, q: b.compare(predicate, p, q), (kind, x), (kind, y))
    view = f"int{kind.bits}" if predicate[0] == "s" else f"uint{kind.bits}"
    p, q = x.view(view), y.view(view)
    expected = {"eq": p == q, "ne": p != q, "lt": p < q, "le": p <= q, "gt": p > q, "ge": p >= q}[predicate[-2:]]
    assert actual.tolist() == expected.astype(int).tolist()


def test_compare_constants(evaluate: Evaluate) -> None:
    def definition(b, p):  # type: ignore[no-untyped-def]
        minus, one = b.const(-1, LaneType.I32), b.const(1, LaneType.I32)
        return b.and_(b.compare("slt", minus, one), b.not_(b.compare("ult", minus, one)))

    (actual,) = evaluate(definition, (LaneType.I32, values(LaneType.I32, 6)))
    assert actual.tolist() == [1] * 32


@pytest.mark.parametrize("kind", [*WIDTHS, LaneType.I1], ids=lambda kind: kind.name)
def test_select(evaluate: Evaluate, kind: LaneType) -> None:
    condition = np.arange(32) % 3 == 0
    x, y = (values(kind, seed) & ((1 << kind.bits) - 1) for seed in (7, 8))
    inputs = (LaneType.I1, condition), (kind, x), (kind, y)
    (actual,) = evaluate(lambda b, c, p, q: b.select(c, p, q), *inputs)
    assert actual.tolist() == np.where(condition, x, y).tolist()


@pytest.mark.parametrize("target", WIDTHS, ids=lambda kind: f"to_{kind.name}")
@pytest.mark.parametrize("source", [*WIDTHS, LaneType.I1], ids=lambda kind: kind.name)
def test_change_of_width(evaluate: Evaluate, source: LaneType, target: LaneType) -> None:
    x = values(source, 9) & ((1 << source.bits) - 1)
    mask = (1 << target.bits) - 1
    if target.bits <= source.bits:
        (actual,) = evaluate(lambda b, p: b.trunc(p, target), (source, x))
        assert actual.tolist() == [int(p) & mask for p in x]
        return
    zero, sign = evaluate(lambda b, p: (b.zext(p, target), b.sext(p, target)), (source, x))
    assert zero.tolist() == x.tolist()
    assert sign.tolist() == [signed(int(p), source.bits) & mask for p in x]


def test_lane_numbers_and_masks(evaluate: Evaluate) -> None:
    chosen = np.arange(32) % 5 == 0
    lane, ballot, back = evaluate(lambda b, p: (b.lane(), b.ballot(p), b.lanes_of(b.mask_of(p))), (LaneType.I1, chosen))
    assert lane.tolist() == list(range(32))
    assert ballot.tolist() == [sum(1 << i for i in range(0, 32, 5))] * 32
    assert back.tolist() == chosen.astype(int).tolist()


@pytest.mark.parametrize("kind", list(LaneType), ids=lambda kind: kind.name)
def test_permute(evaluate: Evaluate, kind: LaneType) -> None:
    x = (np.arange(32) * 37 % 2 if kind is LaneType.I1 else np.arange(32) + 100).astype(DTYPES[kind])
    source = np.random.default_rng(1).integers(0, 32, 32).astype(np.uint32)
    variable, fixed = evaluate(
        lambda b, p, s: (b.permute(p, s), b.permute(p, b.xor(b.lane(), b.const(5, LaneType.I32)))),
        (kind, x),
        (LaneType.I32, source),
    )
    assert variable.tolist() == x[source].tolist()
    assert fixed.tolist() == x[np.arange(32) ^ 5].tolist()
