"""Conditions and amounts over counters that may be unknown."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.conditions.language import Comparison, ExpressionError, parse_amount, parse_condition

NAMES = ("a", "b", "c")
VALUES = st.dictionaries(st.sampled_from(NAMES), st.floats(0, 10), max_size=3)
AMOUNTS = st.recursive(
    st.sampled_from(NAMES) | st.integers(0, 5).map(str),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        st.tuples(st.sampled_from(("min", "max")), inner, inner).map(lambda p: f"{p[0]}({p[1]}, {p[2]})"),
    ),
    max_leaves=6,
)
CONDITIONS = st.recursive(
    st.tuples(AMOUNTS, st.sampled_from((">", ">=", "<", "<=")), AMOUNTS).map(" ".join),
    lambda inner: st.tuples(inner, st.sampled_from(("and", "or")), inner).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
    max_leaves=4,
)


@pytest.mark.parametrize(
    ("text", "values", "holds"),
    [
        ("a > 1", {"a": 2}, True),
        ("a > 1", {"a": 1}, False),
        ("a >= 1", {"a": 1}, True),
        ("a > 1", {}, None),
        ("a >= 0", {}, True),
        ("a + b > 1", {"a": 2}, True),
        ("a + b > 1", {"a": 0.5}, None),
        ("a + b < 1", {"a": 2}, False),
        ("max(a, b) > 1", {"b": 3}, True),
        ("min(a, b) < 1", {"b": 0.5}, True),
        ("a > 1 and b > 1", {"a": 0}, False),
        ("a > 1 and b > 1", {"a": 2}, None),
        ("a > 1 or b > 1", {"a": 2}, True),
        ("a > 1 or b > 1", {"a": 0}, None),
        ("a / b > 0.5", {"a": 1, "b": 0}, None),
        ("a / b > 0.5", {"a": 1, "b": 1}, True),
        ("a < 2 * b", {"a": 3, "b": 2}, True),
        ("ceil(a) / a > 1.1", {"a": 1.5}, True),
        ("true", {}, True),
        ("true and a > 1", {"a": 0}, False),
        ("a > 1", {"a": math.nan}, None),
        ("a\n  > 0.5", {"a": 0.6}, True),
    ],
)
def test_conditions_are_decided_by_what_is_known(text: str, values: dict[str, float], holds: bool | None) -> None:
    assert parse_condition(text).answer(values).holds is holds


def test_what_could_not_be_decided_is_named() -> None:
    answer = parse_condition("a + b > 1 and c < 1").answer({"a": 0.5})
    assert (answer.holds, answer.unknown) == (None, ("b", "c"))


def test_evidence_is_what_held() -> None:
    answer = parse_condition("a + b > 0.5 and (c < 1 or a > 9)").answer({"a": 0.5, "b": 0.25, "c": 0.0})
    assert answer.evidence == (Comparison("a + b", 0.75, ">", 0.5), Comparison("c", 0.0, "<", 1.0))


def test_evidence_keeps_what_a_computed_threshold_was_made_of() -> None:
    (found,) = parse_condition("a >= max(b, c / 2)").answer({"a": 0.41, "b": 0.36, "c": 0.1}).evidence
    assert found == Comparison("a", 0.41, ">=", 0.36, "max(b, c / 2)")


@pytest.mark.parametrize(
    ("text", "value", "threshold"),
    [("min(a, b) < 26", 8.0, 26.0), ("a + b > 5", 8.0, 5.0), ("a > min(b, 4)", 8.0, 4.0), ("a < max(b, 9)", 8.0, 9.0)],
)
def test_evidence_of_a_side_that_is_partly_unknown_is_the_end_that_decided(
    text: str, value: float, threshold: float
) -> None:
    (found,) = parse_condition(text).answer({"a": 8.0}).evidence
    assert (found.value, found.threshold) == (value, threshold)


@pytest.mark.parametrize(
    "text",
    [
        *("", "a", "a >", "a > 1 > b", "not a > 1", "a == 1", "a in b", "f(a) > 1", "a.b > 1", "a[0] > 1"),
        *("'x' > 1", "a > 1 and b", "a > True", "max > 1", "true > 0", "a > 1" + 400 * "0"),
    ],
)
def test_what_is_no_condition_is_refused_with_its_text(text: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse_condition(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    "text", ["a > 1", "a and b", "lambda: 1", "a ** 2", "max()", "__import__('os')", "True + f'{a}'"]
)
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse_amount(text)


def test_an_amount_with_an_unknown_name_is_unknown_but_for_its_least() -> None:
    amount = parse_amount("1 + a + b")
    assert amount.value({"a": 2.0}) is None
    assert amount.least({"a": 2.0}) == 3.0
    assert amount.value({"a": 2.0, "b": 1.0}) == 4.0
    assert parse_amount("1 / a").value({"a": 0.0}) is None
    assert amount.names == ("a", "b")


@given(CONDITIONS, VALUES, st.fixed_dictionaries({name: st.floats(0, 10) for name in NAMES}))
def test_a_decided_condition_stays_so_whatever_the_unknown_turns_out_to_be(
    text: str, known: dict[str, float], rest: dict[str, float]
) -> None:
    condition = parse_condition(text)
    early = condition.answer(known)
    if early.holds is not None:
        assert condition.answer(rest | known).holds in (early.holds, None)  # None: a divisor of 0


@given(AMOUNTS, st.fixed_dictionaries({name: st.floats(0.5, 10) for name in NAMES}))
def test_known_names_give_what_python_gives(text: str, values: dict[str, float]) -> None:
    value = parse_amount(text).value(values)
    try:
        expected = float(eval(text, {"min": min, "max": max}, values))  # the text is ours
    except ZeroDivisionError:
        return
    if value is not None:
        assert math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-9)


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read = parse_condition(text)
    except ExpressionError:
        return
    assert read.answer({}).holds in (True, False, None)


def test_a_name_that_is_no_number_is_named_as_unknown() -> None:
    assert parse_condition("a > 1 and true").answer({"a": math.nan}).unknown == ("a",)
    assert parse_condition("max(a, b) > 1 and true").names == ("a", "b")
