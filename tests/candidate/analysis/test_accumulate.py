"""Which scalars a loop accumulates into, and which order-dependent ones are told apart."""

import pytest

from warpwright.candidate.analysis.accumulate import Operation, accumulations
from warpwright.candidate.analysis.loops import carried, counted_loop
from warpwright.candidate.source import parse_source
from warpwright.candidate.source_nodes import of_type

BODIES = [
    ("s += x[c];", Operation.SUM, "a + b"),
    ("s -= x[c];", Operation.SUM, "a + b"),
    ("s = s + x[c];", Operation.SUM, "a + b"),
    ("s = x[c] + (s + 1.0f);", Operation.SUM, "a + b"),
    ("s = fmaf(x[c], x[c], s);", Operation.SUM, "a + b"),
    ("++s;", Operation.SUM, "a + b"),
    ("if (x[c] > 0) s += 2;", Operation.SUM, "a + b"),
    ("s *= x[c];", Operation.PRODUCT, "a * b"),
    ("s = fmaxf(s, x[c]);", Operation.MAXIMUM, "fmaxf(a, b)"),
    ("s = max(x[c], s);", Operation.MAXIMUM, "max(a, b)"),
    ("s = fminf(x[c], s);", Operation.MINIMUM, "fminf(a, b)"),
    ("s = s > x[c] ? s : x[c];", Operation.MAXIMUM, "a > b ? a : b"),
    ("s = x[c] > s ? s : x[c];", Operation.MINIMUM, "a < b ? a : b"),
    ("if (x[c] > s) s = x[c];", Operation.MAXIMUM, "a > b ? a : b"),
    ("if (s > x[c]) { s = x[c]; }", Operation.MINIMUM, "a < b ? a : b"),
    ("s |= x[c];", Operation.OR, "a | b"),
    ("s = s ^ x[c];", Operation.XOR, "a ^ b"),
]
ORDERED = [
    "s += x[c] * s;",
    "s = s * 0.5f + x[c];",
    "s = x[c] - s;",
    "s += x[c]; y[c] = s;",
    "s += x[c]; s *= 2;",
    "if (x[c] > s) { s = x[c]; }  y[c] = s;",
    "s = x[c];",
    "s = fmaxf(s, x[c]); s += 1;",
    "s = fmaxf(s, s * x[c]);",
    "s += f(&s);",
    "v.x += x[c];",
]


def loop_with(body: str) -> str:
    return f"__global__ void k(float* x, float* y, int n) {{ float s = 0; float4 v; for (int c = 0; c < n; ++c) {{ {body} }} }}"


@pytest.mark.parametrize(("body", "operation", "combine"), BODIES, ids=[row[0] for row in BODIES])
def test_accumulations(body: str, operation: Operation, combine: str) -> None:
    node = next(of_type(parse_source(loop_with(body)).tree.root_node, "for_statement"))
    found = accumulations(node.child_by_field_name("body") or node)
    assert [(a.name, a.operation, a.combine) for a in found.values()] == [("s", operation, combine)]


@pytest.mark.parametrize("body", ORDERED)
def test_loops_whose_order_matters(body: str) -> None:
    loop = counted_loop(next(of_type(parse_source(loop_with(body)).tree.root_node, "for_statement")))
    assert loop is not None
    assert isinstance(carried(loop), str)


@pytest.mark.parametrize(
    ("head", "counted"),
    [
        ("int c = 0; c < n; ++c", True),
        ("unsigned c = 3; n > c; c += 4", True),
        ("size_t c = 0; c < n / 2; c = c + n", True),
        ("int c = 0; c <= n; ++c", False),
        ("int c = n; c > 0; --c", False),
        ("int c = 0; c < n; c *= 2", False),
        ("int c = 0, d = 1; c < n; ++c", False),
        (";;", False),
    ],
)
def test_counted_loops(head: str, counted: bool) -> None:
    source = parse_source(f"__global__ void k(float* x, int n) {{ for ({head}) {{ x[0] = 1; }} }}")
    assert (counted_loop(next(of_type(source.tree.root_node, "for_statement"))) is not None) == counted


@pytest.mark.parametrize("body", ["c += 1;", "n = n - 1;", "int n = 3; x[n] = 0;"])
def test_a_loop_that_changes_its_own_bounds_is_not_counted(body: str) -> None:
    source = parse_source(loop_with(body))
    assert counted_loop(next(of_type(source.tree.root_node, "for_statement"))) is None
