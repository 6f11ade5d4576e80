import math
import operator
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.knowledge.field_guide.condition import ConditionError, condition

NAMES = ("a", "b", "c", "d")
NUMBERS = st.integers(-4, 4).map(float)
VALUES = st.fixed_dictionaries(dict.fromkeys(NAMES, NUMBERS))


def numbers() -> st.SearchStrategy[str]:
    leaves = st.sampled_from(NAMES) | st.integers(0, 4).map(str)
    return st.recursive(
        leaves,
        lambda inner: (
            st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
            | st.tuples(st.sampled_from(("min", "max")), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})")
            | inner.map(lambda t: f"(-{t})")
        ),
        max_leaves=6,
    )


def conditions() -> st.SearchStrategy[str]:
    relations = st.sampled_from(("<", "<=", ">", ">=", "==", "!="))
    leaves = st.tuples(numbers(), relations, numbers()).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
    return st.recursive(
        leaves | st.sampled_from(("true", "false")),
        lambda inner: (
            st.tuples(inner, st.sampled_from(("and", "or")), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
            | inner.map(lambda t: f"(not {t})")
        ),
        max_leaves=5,
    )


@given(conditions(), VALUES)
def test_with_every_name_known_it_is_what_python_says(text: str, values: Mapping[str, float]) -> None:
    try:
        expected = eval(text, {"min": min, "max": max, "true": True, "false": False, **values})
    except ZeroDivisionError:
        return
    assert condition(text).holds(values) is expected


@given(conditions(), VALUES, st.sets(st.sampled_from(NAMES)))
def test_what_is_decided_stays_so_when_more_is_known(text: str, values: Mapping[str, float], known: set[str]) -> None:
    before = condition(text).holds({name: values[name] for name in known})
    assert before is None or condition(text).holds(values) is before


@given(numbers(), VALUES)
def test_a_comparison_with_an_unknown_name_is_undecided(text: str, values: Mapping[str, float]) -> None:
    assert condition(f"{text} + missing > 0").holds(values) is None


@given(conditions(), conditions(), VALUES, st.sets(st.sampled_from(NAMES)))
def test_negation_and_joining_follow_the_logic_of_three_values(
    left: str, right: str, values: Mapping[str, float], known: set[str]
) -> None:
    some = {name: values[name] for name in known}
    first, second = condition(left).holds(some), condition(right).holds(some)
    assert condition(f"not {left}").holds(some) is (None if first is None else operator.not_(first))
    assert condition(f"{left} and {right}").holds(some) is condition(f"{right} and {left}").holds(some)
    assert condition(f"not ({left} or {right})").holds(some) is condition(f"not {left} and not {right}").holds(some)
    if False in (first, second):
        assert condition(f"{left} and {right}").holds(some) is False
    elif None in (first, second):
        assert condition(f"{left} and {right}").holds(some) is None


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read = condition(text)
    except ConditionError:
        return
    assert read.holds({}) in (True, False, None)


@pytest.mark.parametrize(
    ("text", "values", "holds"),
    [
        ("a > 0.5", {"a": 0.6}, True),
        ("a > 0.5", {}, None),
        ("a > 0.5 or b > 0.5", {"b": 0.6}, True),
        ("a > 0.5 and b > 0.5", {"b": 0.4}, False),
        ("1 < a < 3", {"a": 2.0}, True),
        ("1 < a < b", {"a": 0.0}, False),
        ("a / b > 0.6", {"a": 1.0, "b": 0.0}, None),
        ("a > 0.5", {"a": math.nan}, None),
        ("a - b > 0", {"a": math.inf, "b": math.inf}, None),
        ("a\n  > 0.5", {"a": 0.6}, True),
        ("true", {}, True),
    ],
)
def test_decides(text: str, values: dict[str, float], holds: bool | None) -> None:
    assert condition(text).holds(values) is holds


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a >", "is no condition"),
        ("a", "'a' stands where a comparison is due"),
        ("a + 1", "'a + 1' stands where a comparison is due"),
        ("not a", "'a' stands where a comparison is due"),
        ("(a > 1) + 1 > 0", "'a > 1' stands where a number is due"),
        ("a ** 2 > 1", "'a ** 2' stands where a number is due"),
        ("abs(a) > 1", "'abs(a)' stands where a number is due"),
        ("min(a) > 1", "'min(a)' stands where a number is due"),
        ("min > 1", "'min' stands where a number is due"),
        ("a > 'x'", "stands where a number is due"),
        ("a > True", "stands where a number is due"),
        ("a in b", "'a in b' stands where a comparison is due"),
        ("a.b > 1", "'a.b' stands where a number is due"),
        ("__import__('os').abort() > 1", "stands where a number is due"),
        ("", "is no condition"),
    ],
)
def test_refuses(text: str, complaint: str) -> None:
    with pytest.raises(ConditionError) as caught:
        condition(text)
    assert complaint in str(caught.value)
    assert repr(text) in str(caught.value)
    assert "allowed: comparisons, and, or, not" in str(caught.value)


def test_names_are_the_counters_alone() -> None:
    read = condition("max(b, a) > 1 and true")
    assert read.names == ("a", "b")
    assert read.unknown({"a": 1.0}) == ("b",)
