"""Every row of the operation table, in every type and modifier it takes: machine code equals NumPy bit for bit."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from emulator.jit.conftest import DTYPES, Array, Evaluate
from warpwright.emulator.interp.array_builder import ArrayBuilder
from warpwright.emulator.jit.codegen.builder import LlvmBuilder
from warpwright.emulator.jit.codegen.emitter import Lanes
from warpwright.emulator.ops.builder import LaneType
from warpwright.emulator.ops.registry import TABLE
from warpwright.emulator.ops.table import Bound, Form, Operation

ROWS = [row for row in TABLE.rows() if row.define is not None]
EXECUTING = np.arange(32) % 7 != 3
"""Lanes that take part, as warp operations see them."""


def forms(row: Operation) -> Iterator[Form]:
    """The row's forms: its required tokens with each type, alone and with each further modifier."""
    base, *required = row.name.split(".")
    types: list[tuple[str, ...]] = [(last,) for last in sorted(row.types)] or [()]
    if row.result_types:
        types = [(first, *last) for first, last in product(sorted(row.result_types), types)]
    for names, extra in product(types, ["", *sorted(row.modifiers)]):
        modifiers = (*required, extra) if extra else tuple(required)
        form = Form(base, names, frozenset(modifiers), (*modifiers, *names))
        if row.accepts(form) and has_signature(row, form):
            yield form


def has_signature(row: Operation, form: Form) -> bool:
    """Whether the types make sense together: b16 has no four parts."""
    try:
        row.signature(form)
    except KeyError:
        return False
    return True


def lanes_of(kind: LaneType, seed: int) -> Array:
    """Random lanes: bit patterns, small numbers and edges; floats of ordinary size among them."""
    random = np.random.default_rng(seed)
    if kind is LaneType.I1:
        return random.integers(0, 2, 32).astype(np.uint8)
    patterns = random.integers(0, 1 << kind.bits, 32, dtype=np.uint64).astype(f"uint{kind.bits}")
    if kind.is_float:
        lanes = patterns.view(DTYPES[kind]).copy()
        lanes[:16] = random.normal(0, 10, 16)
        lanes[16:24] = [0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 0.5, -1.5]
        return lanes
    patterns[:12] = random.integers(0, 40, 12)
    patterns[12:16] = [0, 1, (1 << kind.bits) - 1, 1 << (kind.bits - 1)]
    return patterns


def in_numpy(bound: Bound, inputs: list[Array]) -> tuple[Array, ...] | None:
    """The definition's results; None for a form that names too little (a shuffle without its direction)."""
    builder = ArrayBuilder(lambda name, axis: pytest.fail(f"reads %{name}"))
    builder.mask = EXECUTING
    try:
        with np.errstate(all="ignore"):
            return tuple(np.asarray(result) for result in bound.evaluate(builder, *inputs))
    except (StopIteration, KeyError):
        return None


def prepared(row: Operation) -> list[tuple[Bound, list[tuple[LaneType, Array]], tuple[Array, ...]]]:
    """(operation, typed inputs, expected results) of each form."""
    cases = []
    for number, form in enumerate(forms(row)):
        bound = Bound(row, form)
        kinds = row.signature(form).inputs
        arrays = [lanes_of(kind, 10 * number + place) for place, kind in enumerate(kinds)]
        typed = list(zip(kinds, arrays, strict=True))
        expected = in_numpy(bound, [a.astype(np.bool_) if k is LaneType.I1 else a for k, a in typed])
        if expected is not None:
            cases.append((bound, typed, expected))
    return cases


@pytest.mark.parametrize("row", ROWS, ids=["-".join([row.name, *sorted(row.types)[:1]]) for row in ROWS])
def test_row(evaluate: Evaluate, row: Operation) -> None:
    cases = prepared(row)
    assert cases, "no form of this row can be evaluated"

    def definition(builder: LlvmBuilder, executing: Lanes, *inputs: Lanes) -> tuple[Lanes, ...]:
        builder.executing = executing
        results: list[Lanes] = []
        rest = list(inputs)
        for bound, own, _ in cases:
            taken, rest = rest[: len(own)], rest[len(own) :]
            results += bound.evaluate(builder, *taken)
        return tuple(results)

    everything = [pair for _, own, _ in cases for pair in own]
    actual = iter(evaluate(definition, (LaneType.I1, EXECUTING), *everything))
    for bound, own, expected in cases:
        for result in expected:
            assert_same(bound, own, next(actual), result)


def assert_same(bound: Bound, inputs: list[tuple[LaneType, Array]], actual: Array, expected: Array) -> None:
    wanted = np.ascontiguousarray(expected.astype(np.uint8) if expected.dtype == np.bool_ else expected)
    unsigned = f"uint{wanted.dtype.itemsize * 8}"
    wrong = np.flatnonzero(actual.view(unsigned) != wanted.view(unsigned))
    shown = [[array[lane] for _, array in inputs] for lane in wrong]
    assert not len(wrong), f"{bound.form}: lanes {wrong}, inputs {shown}: {actual[wrong]} instead of {wanted[wrong]}"
