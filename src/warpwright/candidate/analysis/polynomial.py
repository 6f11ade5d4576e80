"""Index expressions as integer polynomials over names, so that strides can be read off."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from warpwright.candidate.source_nodes import (
    arguments_of,
    called_name,
    cast_operand,
    field,
    of_type,
    text_of,
    unwrapped,
)


@dataclass(frozen=True, slots=True, order=True)
class Atom:
    """A name (`cols`, `threadIdx.x`) or an expression that is not a polynomial (`i % 4`), with the names inside it."""

    text: str
    names: frozenset[str]


Monomial = tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of integer multiples of products of atoms; equal polynomials are equal values."""

    terms: frozenset[tuple[Monomial, int]]

    def __add__(self, other: "Polynomial") -> "Polynomial":
        return _collect([*self.terms, *other.terms])

    def __neg__(self) -> "Polynomial":
        return Polynomial(frozenset((monomial, -factor) for monomial, factor in self.terms))

    def __sub__(self, other: "Polynomial") -> "Polynomial":
        return self + -other

    def __mul__(self, other: "Polynomial") -> "Polynomial":
        products = [(tuple(sorted(a + b)), x * y) for a, x in self.terms for b, y in other.terms]
        return _collect(products)

    @property
    def value(self) -> int | None:
        """The number, if it is one."""
        if not self.terms:
            return 0
        (monomial, factor), *rest = self.terms
        return factor if not rest and not monomial else None

    @property
    def names(self) -> frozenset[str]:
        """Every name the value depends on."""
        return frozenset(name for monomial, _ in self.terms for atom in monomial for name in atom.names)

    def stride(self, name: str) -> "Polynomial | None":
        """Factor of `name`; None if the polynomial is not linear in it (or the name hides in an atom)."""
        factor: list[tuple[Monomial, int]] = []
        for monomial, count in self.terms:
            inside = [atom for atom in monomial if name in atom.names]
            if not inside:
                continue
            if len(inside) > 1 or inside[0].text != name:
                return None
            factor.append((tuple(atom for atom in monomial if atom != inside[0]), count))
        return _collect(factor)

    def without(self, name: str) -> "Polynomial":
        """The terms that do not depend on `name`."""
        return _collect((m, n) for m, n in self.terms if not any(name in atom.names for atom in m))


def constant(value: int) -> Polynomial:
    """The number as a polynomial."""
    return _collect([((), value)])


def atom(text: str, names: Iterable[str] | None = None) -> Polynomial:
    """One atom; without `names` it is a name itself."""
    return Polynomial(frozenset({((Atom(text, frozenset([text] if names is None else names)),), 1)}))


def _collect(terms: Iterable[tuple[Monomial, int]]) -> Polynomial:
    total: dict[Monomial, int] = {}
    for monomial, factor in terms:
        total[monomial] = total.get(monomial, 0) + factor
    return Polynomial(frozenset((monomial, factor) for monomial, factor in total.items() if factor))


def to_polynomial(node: Node, known: Mapping[str, Polynomial]) -> Polynomial:
    """The value of an integer expression. known: locals that never change, by name; integer casts are looked through."""
    node = _uncast(node)
    found: Polynomial | None = None
    match node.type:
        case "number_literal":
            value = integer_literal(text_of(node))
            found = None if value is None else constant(value)
        case "identifier":
            found = known.get(text_of(node), atom(text_of(node)))
        case "field_expression":
            found = atom("".join(text_of(node).split()))
        case "unary_expression" if text_of(field(node, "operator")) == "-":
            found = -to_polynomial(field(node, "argument"), known)
        case "binary_expression":
            found = _binary(node, known)
    return _opaque(node, known) if found is None else found


def _uncast(node: Node) -> Node:
    """The expression inside parentheses and integer casts."""
    node = unwrapped(node)
    operand = cast_operand(node)
    if operand is not None:
        return _uncast(operand)
    if node.type == "call_expression" and called_name(node) in ("static_cast", "int", "unsigned", "size_t"):
        arguments = arguments_of(node)
        return _uncast(arguments[0]) if len(arguments) == 1 else node
    return node


def _binary(node: Node, known: Mapping[str, Polynomial]) -> Polynomial | None:
    left, right = to_polynomial(field(node, "left"), known), to_polynomial(field(node, "right"), known)
    sign = text_of(field(node, "operator"))
    if sign == "+":
        return left + right
    if sign == "-":
        return left - right
    if sign == "*":
        return left * right
    if sign == "<<" and right.value is not None and 0 <= right.value < 63:
        return left * constant(1 << right.value)
    return None


def _opaque(node: Node, known: Mapping[str, Polynomial]) -> Polynomial:
    names: set[str] = set()
    for inner in of_type(node, "identifier", "type_identifier", "field_expression"):
        if inner.parent is None or inner.parent.type != "field_expression":
            text = "".join(text_of(inner).split())
            names |= known[text].names if text in known else {text}
    return atom("".join(text_of(node).split()), names or {text_of(node)})


def integer_literal(text: str) -> int | None:
    """Value of a C integer literal (`0x1F`, `16u`, `1LL`); None for anything else."""
    plain = text.replace("'", "").rstrip("uUlL")
    try:
        return int(plain, 8 if plain.startswith("0") and plain.isdigit() and len(plain) > 1 else 0)
    except ValueError:
        return None
