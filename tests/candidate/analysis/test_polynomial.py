"""Index polynomials agree with the expressions they were read from, and give their strides."""

import re
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpwright.candidate.analysis.polynomial import Polynomial, atom, constant, integer_literal, to_polynomial
from warpwright.candidate.source import parse_source
from warpwright.candidate.source_nodes import field, of_type

expressions = st.recursive(
    st.sampled_from(["i", "j", "n", "2", "7", "threadIdx.x"]),
    lambda inner: st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*"]), inner),
    max_leaves=8,
)


def read(text: str, known: dict[str, Polynomial] | None = None) -> Polynomial:
    root = parse_source(f"__global__ void k() {{ int v = {text}; }}").tree.root_node
    return to_polynomial(field(next(of_type(root, "init_declarator")), "value"), known or {})


def value(polynomial: Polynomial, names: dict[str, int]) -> int:
    return sum(factor * prod(names[part.text] for part in monomial) for monomial, factor in polynomial.terms)


@settings(max_examples=80)
@given(text=expressions, numbers=st.tuples(*[st.integers(-50, 50)] * 4))
def test_a_polynomial_has_the_value_of_its_expression(text: str, numbers: tuple[int, ...]) -> None:
    names = dict(zip(["i", "j", "n", "threadIdx.x"], numbers, strict=True))
    plain = re.sub(r"threadIdx\.x", "t", text)
    polynomial = read(text)
    if all(part.text in names for monomial, _ in polynomial.terms for part in monomial):  # the rest was not understood
        assert value(polynomial, names) == eval(plain, {"t": names["threadIdx.x"], **names})


@pytest.mark.parametrize(
    ("text", "name", "stride"),
    [
        ("r * cols + c", "c", constant(1)),
        ("r * cols + c", "r", atom("cols")),
        ("(long long)r * cols + static_cast<int>(c)", "r", atom("cols")),
        ("(r << 3) + c", "r", constant(8)),
        ("2 * (c + 1) - c", "c", constant(1)),
        ("c * c", "c", None),
        ("c / 4 + r", "c", None),
        ("c / 4 + r", "r", constant(1)),
        ("x[c] + r", "c", None),
        ("n - n", "n", constant(0)),
    ],
    ids=str,
)
def test_strides(text: str, name: str, stride: Polynomial | None) -> None:
    assert read(text).stride(name) == stride


def test_a_product_that_the_grammar_reads_as_a_cast_is_not_understood() -> None:
    found = read("(i * (j * k)) + c")
    assert found.names == {"i", "j", "k", "c"}
    assert found.stride("c") is None


def test_known_locals_are_put_in_and_hide_in_atoms() -> None:
    known = {"lane": read("threadIdx.x % 32")}
    assert read("lane + 1", known) == read("threadIdx.x % 32 + 1")
    assert read("(lane / 2) * 4", known).names == {"threadIdx.x"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [("16", 16), ("0x1Fu", 31), ("010", 8), ("0", 0), ("1'000LL", 1000), ("1.0f", None), ("1e3", None)],
)
def test_integer_literals(text: str, expected: int | None) -> None:
    assert integer_literal(text) == expected
