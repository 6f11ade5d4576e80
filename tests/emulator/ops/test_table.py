"""Every row of the operation table, in every form, against Python's integers, fractions and `math`.

A new row fails here until `truths` or `warp_truths` says what it means.
"""

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest

from emulator.ops import exact
from emulator.ops.forms import forms, lanes_of
from emulator.ops.patterns import Outcome
from emulator.ops.truths import NEAR, ONE_LANE
from emulator.ops.warp_truths import WHOLE_WARP
from warpwright.emulator.interp.array_builder import DTYPES, ArrayBuilder
from warpwright.emulator.interp.exact import Lanes
from warpwright.emulator.ops.builder import LaneType
from warpwright.emulator.ops.registry import TABLE
from warpwright.emulator.ops.table import Bound, Form, Operation

ROWS = [row for row in TABLE.rows() if row.define is not None]
ULPS = 2


def name_of(row: Operation) -> str:
    return "-".join(
        [row.name, *sorted(row.types)[:2], *(["from", *sorted(row.result_types)[:1]] if row.result_types else [])]
    )


def as_lanes(patterns: Sequence[int], kind: LaneType) -> Lanes:
    if kind is LaneType.I1:
        return np.array(patterns, np.bool_)
    return np.array(patterns, f"uint{kind.bits}").view(DTYPES[kind])


def patterns_of(lanes: Lanes) -> list[int]:
    if lanes.dtype == np.bool_:
        return [int(v) for v in lanes]
    return [int(v) for v in np.ascontiguousarray(lanes).view(f"uint{lanes.dtype.itemsize * 8}")]


def evaluated(row: Operation, form: Form, inputs: list[list[int]], mask: Lanes) -> list[list[int]]:
    """Patterns of every result."""
    builder = ArrayBuilder(lambda name, axis: pytest.fail(f"reads %{name}"))
    builder.mask = mask
    kinds = row.signature(form).inputs
    with np.errstate(all="ignore"):
        results = Bound(row, form).evaluate(builder, *map(as_lanes, inputs, kinds))
    return [patterns_of(result) for result in results]


def float_type(form: Form, kind: LaneType) -> str | None:
    """Format of a result, if it is a float."""
    first = form.types[0] if form.types else ""
    if kind.is_float:
        return f"f{kind.bits}"
    return first if first in exact.FORMATS and kind is not LaneType.I1 else None


def agrees(actual: int, expected: Outcome, form: Form, kind: LaneType) -> bool:
    if expected is None:
        return True
    named = float_type(form, kind)
    if isinstance(expected, float):
        assert named is not None, form
        if math.isnan(expected):
            return math.isnan(exact.decode(actual, named))
        return actual == exact.encode(expected, named)
    return actual == int(expected) & ((1 << kind.bits) - 1)


def near(actual: int, exact_value: float | None, kind: str, form: Form) -> bool:
    if exact_value is None:
        return True
    value = exact.decode(actual, kind)
    if math.isnan(exact_value) or math.isnan(value):
        return math.isnan(exact_value) and math.isnan(value)
    bits, least, greatest = exact.FORMATS[kind]
    if math.isinf(value) or math.isinf(exact_value):
        return value == exact_value or abs(exact_value) >= 2.0**greatest
    if "ftz" in form.modifiers and abs(exact_value) < 2.0**least * 1.001:
        return abs(value) <= 2.0**least
    exponent = max(math.frexp(exact_value)[1] - 1, least)
    return abs(value - exact_value) <= ULPS * 2.0 ** (exponent - bits + 1)


def check_approximation(row: Operation, form: Form, inputs: list[list[int]]) -> None:
    kind, pair = form.type.removesuffix("x2"), form.type.endswith("x2")
    (actual,) = evaluated(row, form, inputs, np.ones(32, np.bool_))
    for lane, pattern in enumerate(inputs[0]):
        for shift in (0, 16) if pair else (0,):
            keep = 0xFFFF if pair else -1
            x = exact.decode(pattern >> shift & keep, kind)
            x = exact.flushed(x, kind) if "ftz" in form.modifiers and kind in ("f32", "f64") else x
            expected, got = NEAR[form.base](x), actual[lane] >> shift & keep
            assert near(got, expected, kind, form), f"{form}: {x!r} gives {exact.decode(got, kind)!r}, not {expected!r}"


def check_lanes(row: Operation, form: Form, inputs: list[list[int]]) -> None:
    kinds = row.signature(form).results
    actual = evaluated(row, form, inputs, np.ones(32, np.bool_))
    for lane, values in enumerate(zip(*inputs, strict=True)):
        truth = ONE_LANE[form.base](form, *values)
        for number, expected in enumerate(truth if isinstance(truth, tuple) else (truth,)):
            got = actual[number][lane]
            shown = [hex(value) for value in values]
            assert agrees(got, expected, form, kinds[number]), f"{form}: {shown} gives {got:#x}, not {expected!r}"


def check_warp(row: Operation, form: Form, inputs: list[list[int]], source: random.Random) -> None:
    mask = [source.random() < 0.8 for _ in range(32)]
    mask[source.randrange(32)] = True
    if inputs:  # the membership mask, the same in all lanes, names every executing one
        inputs[-1] = [source.getrandbits(32) | sum(1 << n for n in range(32) if mask[n])] * 32
    actual = evaluated(row, form, inputs, np.array(mask))
    kinds = row.signature(form).results
    for lane in (n for n in range(32) if mask[n]):
        truth = WHOLE_WARP[form.base](form, lane, mask, *inputs)
        for number, expected in enumerate(truth):
            got = actual[number][lane]
            assert agrees(got, expected, form, kinds[number]), f"{form}, lane {lane}: {got:#x}, not {expected!r}"


@pytest.mark.parametrize("row", ROWS, ids=map(name_of, ROWS))
def test_row(row: Operation) -> None:
    found = list(forms(row))
    assert found, "no form of this row is tested"
    rounds = max(2, 12 // len(found))
    for number, form in enumerate(form for form in found for _ in range(rounds)):
        source = random.Random(f"{row.name}{number}")
        inputs = [lanes_of(kind, source) for kind in row.signature(form).inputs]
        if form.base in NEAR:
            check_approximation(row, form, inputs)
        elif form.base in WHOLE_WARP:
            check_warp(row, form, inputs, source)
        else:
            check_lanes(row, form, inputs)
