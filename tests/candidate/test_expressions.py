"""Integer expressions: the grammar against Python's own integers, and every mistake with its message."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.candidate.expressions import DEVICE_NAMES, ExpressionError, device_values, evaluate, parse
from warpwright.hardware import load_gpu

INT64 = range(-(2**63), 2**63)


@dataclass(frozen=True)
class Written:
    """An expression with the value that Python gives it; None where it must be refused."""

    text: str
    value: int | None


def combined(sign: str, left: Written, right: Written) -> Written:
    text = f"({left.text} {sign} {right.text})"
    if left.value is None or right.value is None:
        return Written(text, None)
    a, b = left.value, right.value
    if sign in ("/", "//", "%") and b == 0:
        return Written(text, None)
    if sign == "/" and a % b:
        return Written(text, None)
    value = {"+": a + b, "-": a - b, "*": a * b}.get(sign)
    if value is None:
        value = a % b if sign == "%" else a // b
    return Written(text, value if value in INT64 else None)


def called(name: str, left: Written, right: Written) -> Written:
    text = f"{name}({left.text}, {right.text})"
    if left.value is None or right.value is None:
        return Written(text, None)
    if name == "ceil_div":
        return Written(text, -(-left.value // right.value) if right.value > 0 else None)
    return Written(text, min(left.value, right.value) if name == "min" else max(left.value, right.value))


LEAVES = st.integers(0, 2**40).map(lambda n: Written(str(n), n)) | st.sampled_from(
    [Written("n", 12), Written("BLOCK", 5)]
)
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: (
        st.builds(combined, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner, inner)
        | st.builds(called, st.sampled_from(["ceil_div", "min", "max"]), inner, inner)
        | inner.map(lambda w: Written(f"-{w.text}", None if w.value is None else -w.value))
    ),
    max_leaves=8,
)


@given(EXPRESSIONS)
def test_a_value_is_pythons_value_or_the_expression_is_refused(written: Written) -> None:
    values = {"n": 12, "BLOCK": 5}
    if len(written.text) > 400:
        return
    if written.value is None:
        with pytest.raises(ExpressionError):
            evaluate(written.text, values)
    else:
        assert evaluate(written.text, values) == written.value


@given(st.integers(-10, 2**40))
def test_next_pow2_is_the_least_power_of_two_not_below(n: int) -> None:
    power = evaluate("next_pow2(n)", {"n": n})
    assert power >= n
    assert power & (power - 1) == 0
    assert power == 1 or power // 2 < n


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse(text)
    except ExpressionError:
        return


@pytest.mark.parametrize(
    ("text", "value"),
    [("2 + 3 * 4", 14), ("20 - 5 - 3", 12), ("7 // 2 * 2", 6), ("-7 // 2", -4), ("min(4, 3, 9)", 3), ("- - 3", 3)],
    ids=["precedence", "left to right", "same level", "rounds down", "several values", "double sign"],
)
def test_precedence_is_pythons(text: str, value: int) -> None:
    assert evaluate(text, {}) == value


ALLOWED = "allowed are numbers, names, + - * / // %, parentheses, ceil_div, min, max, next_pow2"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"expression '', column 1: a value is missing at the end; {ALLOWED}"),
        ("(n", f"expression '(n', column 3: ')' is missing before the end; {ALLOWED}"),
        ("n n", f"expression 'n n', column 3: unexpected 'n'; {ALLOWED}"),
        ("n ** 2", f"expression 'n ** 2', column 4: a value is missing before '*'; {ALLOWED}"),
        ("n & 1", f"expression 'n & 1', column 3: unexpected character '&'; {ALLOWED}"),
        ("exp(n)", f"expression 'exp(n)', column 1: unknown function 'exp'; {ALLOWED}"),
        ("min(n)", f"expression 'min(n)', column 1: min takes at least 2 values, found 1; {ALLOWED}"),
        ("next_pow2(1, 2)", f"expression 'next_pow2(1, 2)', column 1: next_pow2 takes 1 value, found 2; {ALLOWED}"),
        ("n / 5", "expression 'n / 5': 12 / 5 is not a whole number; use // or ceil_div"),
        ("n % 0", "expression 'n % 0': 12 % 0 divides by zero"),
        ("ceil_div(n, -1)", "expression 'ceil_div(n, -1)': ceil_div(12, -1) needs a divisor above 0"),
        (
            "4611686018427387904 * 2",
            "expression '4611686018427387904 * 2': 9223372036854775808 does not fit in 64 bits",
        ),
        ("rowz + 1", "expression 'rowz + 1': unknown name 'rowz'; known: n, rows. Did you mean 'rows'?"),
    ],
    ids=lambda value: value if len(value) < 30 else "",
)
def test_a_mistake_is_named(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as error:
        evaluate(text, {"n": 12, "rows": 3})
    assert str(error.value) == message


def test_size_and_depth_are_bounded() -> None:
    with pytest.raises(ExpressionError, match="expression of 501 characters; the limit is 500"):
        parse("1" * 501)
    with pytest.raises(ExpressionError, match="nested deeper than 40"):
        parse("(" * 60 + "1" + ")" * 60)


def test_device_names_have_values_of_the_gpu() -> None:
    values = device_values(load_gpu("h200"))
    assert set(values) == set(DEVICE_NAMES)
    assert evaluate("device.sm_count * 4", values) == 528


def test_names_are_all_that_the_value_depends_on() -> None:
    assert parse("ceil_div(n * BLOCK, device.warp_size) + max(n, 3)").names == {"n", "BLOCK", "device.warp_size"}


def test_the_least_and_the_greatest_of_64_bits_can_be_written() -> None:
    assert evaluate("-9223372036854775808", {}) == -(2**63)
    assert evaluate("9223372036854775807", {}) == 2**63 - 1
    with pytest.raises(ExpressionError, match="does not fit in 64 bits"):
        evaluate("-9223372036854775809", {})
