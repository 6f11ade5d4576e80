"""Every form of a row of the operation table, and lanes to try it on."""

import random
from collections.abc import Iterator
from itertools import combinations, product

from warpwright.emulator.ops.builder import LaneType
from warpwright.emulator.ops.table import Effect, Form, Operation

_EXCLUSIVE = [
    set(words.split())
    for words in (
        "rn rz rm rp rni rzi rmi rpi",
        "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan",
        "and or xor",
        "up down bfly idx",
        "all any uni",
        "add min max and or xor",
        "l r",
        "wrap clamp",
        "f4e b4e rc8 ecl ecr rc16",
        "finite infinite number notanumber normal subnormal",
        "global shared local const param shared::cta",
        "sat relu",
    )
]
_NEEDED = {
    "setp": 1, "set": 1, "shfl": 3, "vote": 4, "redux": 5, "shf": 6, "testp": 9, "cvta": 10, "isspacep": 10, "bmsk": 7,
}  # fmt: skip
"""Base -> group of `_EXCLUSIVE` of which a form must have one."""


def forms(row: Operation) -> Iterator[Form]:
    """The row's forms with up to two further modifiers; atomics, whose modifiers mean nothing, without."""
    base, *required = row.name.split(".")
    types: list[tuple[str, ...]] = [(last,) for last in sorted(row.types)] or [()]
    if row.result_types:
        types = [(first, *last) for first, last in product(sorted(row.result_types), types)]
    most = 2 if row.effect is Effect.PURE else 0
    extras = [chosen for count in range(most + 1) for chosen in combinations(sorted(row.modifiers), count)]
    for names, extra in product(types, extras):
        words = {*required, *extra}
        form = Form(base, names, frozenset(words), (*required, *extra, *names))
        if row.accepts(form) and _sensible(form) and _has_signature(row, form):
            yield form


def _sensible(form: Form) -> bool:
    if any(len(group & form.modifiers) > 1 for group in _EXCLUSIVE):
        return False
    if ("xorsign" in form.modifiers) != ("abs" in form.modifiers):
        return False
    if form.base == "vote" and "ballot" in form.modifiers:
        return True
    group = _NEEDED.get(form.base)
    if group is not None and not _EXCLUSIVE[group] & form.modifiers:
        return False
    if form.base == "redux":
        return (form.type == "b32") != bool(form.modifiers & {"add", "min", "max"})
    return form.base not in ("set", "setp") or _comparable(form.type, form.modifiers & _EXCLUSIVE[1])


_SIGNED_WORDS = {"eq", "ne", "lt", "le", "gt", "ge"}
_UNSIGNED_WORDS = {"lo", "ls", "hi", "hs"}


def _comparable(type_name: str, relations: set[str] | frozenset[str]) -> bool:
    if "f" in type_name:
        return relations.isdisjoint(_UNSIGNED_WORDS)
    if type_name.startswith("b"):
        return relations <= {"eq", "ne"}
    return relations <= _SIGNED_WORDS | (_UNSIGNED_WORDS if type_name.startswith("u") else set())


def _has_signature(row: Operation, form: Form) -> bool:
    try:
        row.signature(form)
    except KeyError:
        return False  # b16 in four parts
    return True


_FLOAT_EDGES = {
    LaneType.F32: [0, 1 << 31, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x80000001, 0x007FFFFF,
                   0x00800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F000000, 0x40200000, 0xBFC00000, 0x4B000001, 0x7E800001],
    LaneType.F64: [0, 1 << 63, 0x3FF << 52, 0xBFF << 52, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, 1, (1 << 63) | 1,
                   (1 << 52) - 1, 1 << 52, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x3FE << 52, 0x4004 << 48,
                   0x3690000000000000, 0x380FFFFFE0000000, 0x47EFFFFFF0000000, 0x3FF0000010000000, 0x3FF0020000000000],
}  # fmt: skip
_HALF_EDGES = [
    0,
    0x8000,
    0x3C00,
    0xBC00,
    0x7C00,
    0xFC00,
    0x7E00,
    1,
    0x03FF,
    0x0400,
    0x7BFF,
    0x7F80,
    0xFF80,
    0x3F80,
    0x7FC0,
]


def lanes_of(kind: LaneType, source: random.Random) -> list[int]:
    """32 patterns: edges, numbers of ordinary size and random bits, in random order."""
    top = (1 << kind.bits) - 1
    if kind is LaneType.I1:
        return [source.randint(0, 1) for _ in range(32)]
    if kind.is_float:
        edges = _FLOAT_EDGES[kind]
        exponent = 0x3F8 if kind is LaneType.F64 else 0x7C
        shift = kind.bits - (12 if kind is LaneType.F64 else 9)
        usual = [
            source.randint(0, 1) << (kind.bits - 1)
            | (exponent + source.randint(0, 12)) << shift
            | source.getrandbits(shift)
            for _ in range(12)
        ]
    else:
        edges = [0, 1, top, top - 1, 1 << (kind.bits - 1), (1 << (kind.bits - 1)) - 1, 31, 32, 33, 63, 64, 65, 255, 256]
        edges = [edge & top for edge in edges] + (_HALF_EDGES if kind.bits == 16 else [])
        usual = [source.randint(0, min(top, 70)) for _ in range(8)]
        if kind is LaneType.I32:
            usual += [source.choice(_HALF_EDGES) << 16 | source.choice(_HALF_EDGES) for _ in range(6)]
    lanes = usual + [source.choice(edges) for _ in range(12)]
    lanes += [source.getrandbits(kind.bits) for _ in range(32 - len(lanes))]
    source.shuffle(lanes)
    return lanes
