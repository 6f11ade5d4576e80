"""How many machine instructions a PTX instruction becomes. PTX is not SASS: some vanish in ptxas, some become routines.

The numbers are what ptxas emits for small kernels on sm_90 (instruction counters of an H200 for fp32 division and square
root) and are estimates: a fused address computation or a strength-reduced division is not recognised.
"""

from warpwright.emulator.ops.table import Bound, Effect, Pipe

_FREE_BASES = frozenset({"mov", "cvta"})
_WIDE_TYPES = frozenset({"s64", "u64", "b64"})

_ROUTINES: dict[tuple[str, str], int] = {
    ("div", "s32"): 22,
    ("div", "u32"): 20,
    ("rem", "s32"): 24,
    ("rem", "u32"): 22,
    ("div", "s16"): 16,
    ("div", "u16"): 14,
    ("rem", "s16"): 18,
    ("rem", "u16"): 16,
    ("div", "s64"): 75,
    ("div", "u64"): 70,
    ("rem", "s64"): 75,
    ("rem", "u64"): 70,
    ("div", "f64"): 22,
    ("rcp", "f64"): 14,
    ("sqrt", "f64"): 20,
    ("mul.lo", "64"): 4,
    ("mul.hi", "64"): 10,
    ("mad.lo", "64"): 4,
    ("mad.hi", "64"): 10,
}
"""Slots of operations without a machine instruction of their own."""

_EXACT_F32 = {"div": 10, "rcp": 6, "sqrt": 10}
"""Correctly rounded (`.rn`): a table value and Newton steps; the rare slow path is not counted."""

_APPROXIMATE_F32 = {"div": 3, "ex2": 3, "lg2": 3, "rsqrt": 2, "sqrt": 3, "sin": 2, "cos": 2}
"""One table operation with its range handling; with `.ftz` the handling of subnormals goes."""


def issue_slots(bound: Bound) -> float:
    """Estimated machine instructions of one PTX instruction, 0 if it vanishes."""
    operation, form = bound.operation, bound.form
    if operation.effect is Effect.LOAD and "param" in form.modifiers:
        return 0.0
    if form.base in _FREE_BASES or operation.effect is Effect.NOTHING:
        return 0.0
    if form.type == "f32" and operation.effect is Effect.PURE:
        return _float32_slots(form.base, form.modifiers)
    return _integer_slots(form.base, form.type, form.modifiers, operation.effect)


def slots_by_pipe(bound: Bound) -> dict[Pipe, float]:
    """The same by pipe: of a routine, one slot goes to the pipe of the operation and the rest to FMA (or FP64)."""
    slots = issue_slots(bound)
    pipe = bound.operation.pipe
    if slots <= 1 or pipe in (Pipe.ALU, Pipe.FMA, Pipe.LSU):
        return {pipe: slots}
    first = 2.0 if bound.form.base == "div" else 1.0  # the check of its operands goes to the SFU as well
    rest = Pipe.FP64 if bound.form.type == "f64" else Pipe.FMA
    return {pipe: first, rest: slots - first} if pipe is not rest else {pipe: slots}


def _float32_slots(base: str, modifiers: frozenset[str]) -> float:
    if base in _EXACT_F32 and "rn" in modifiers:
        return _EXACT_F32[base]
    if base in _APPROXIMATE_F32:
        return 1.0 if "ftz" in modifiers and base != "div" else _APPROXIMATE_F32[base]
    return 1.0


def _integer_slots(base: str, kind: str, modifiers: frozenset[str], effect: Effect) -> float:
    width = "64" if kind in _WIDE_TYPES else kind
    for name in ("lo", "hi"):
        routine = _ROUTINES.get((f"{base}.{name}", width)) if name in modifiers else None
        if routine is not None:
            return routine
    routine = _ROUTINES.get((base, kind))
    if routine is not None:
        return routine
    if effect is Effect.PURE and kind in _WIDE_TYPES and base not in ("add", "cvt"):
        return 2.0  # two 32-bit halves; a 64-bit add is mostly folded into an address or into IMAD.WIDE
    return 1.0
