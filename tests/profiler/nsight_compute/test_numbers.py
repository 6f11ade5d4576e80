import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.profiler.nsight_compute.reading.numbers import (
    Convention,
    UnclearNumbers,
    convention_of,
    parse_number,
)

SWAPPED = str.maketrans(",.", ".,")
FINITE = st.floats(min_value=-1e15, max_value=1e15).map(lambda value: round(value, 4))


@given(FINITE)
def test_what_the_c_locale_prints_is_read_back(value: float) -> None:
    assert parse_number(f"{value:,.4f}") == value


@given(FINITE)
def test_what_a_locale_with_decimal_commas_prints_is_read_back(value: float) -> None:
    text = f"{value:,.4f}".translate(SWAPPED)
    assert parse_number(text, Convention.COMMA) == value
    assert convention_of([text]) is Convention.COMMA


@given(st.lists(st.one_of(st.integers(0, 10**12), FINITE), min_size=1, max_size=20), st.booleans())
def test_a_file_of_one_locale_is_never_misread(values: list[float], comma: bool) -> None:
    """Whatever a file proves about itself, a file that proves something is read right."""
    texts = [f"{value:,}" if isinstance(value, int) else f"{value:,.4f}" for value in values]
    if comma:
        texts = [text.translate(SWAPPED) for text in texts]
    found = convention_of(texts)
    proven = any(isinstance(value, float) for value in values) or any(abs(v) >= 1_000_000 for v in values)
    if proven or not comma:
        assert [parse_number(text, found) for text in texts] == values


@pytest.mark.parametrize(
    "text", ["", "n/a", "N/A", "nan", "-nan", "NaN", "-nan(ind)", "inf", "(1, 1, 1)", "CachePreferNone"]
)
def test_what_is_no_number_is_unknown(text: str) -> None:
    assert parse_number(text) is None


@pytest.mark.parametrize("text", ["1,23", "1,2345", "12,34,567", "1.2.3", "1,234.5.6", ",5", "1,,234"])
def test_groups_that_are_none_are_not_guessed_at(text: str) -> None:
    assert parse_number(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [("8 388 608", 8388608), ("8'388'608.5", 8388608.5), ("1\u202f234", 1234), ("1e-05", 1e-5), ("0", 0)],
)
def test_other_forms(text: str, value: float) -> None:
    assert parse_number(text) == value


def test_a_file_of_two_minds_is_refused() -> None:
    with pytest.raises(UnclearNumbers) as mixed:
        convention_of(["1,234", "12.5", "12,5"])
    assert "12.5" in str(mixed.value)
    assert "12,5" in str(mixed.value)


def test_groups_of_three_prove_nothing() -> None:
    assert convention_of(["1,234", "999"]) is Convention.POINT
    assert convention_of(["1.234", "0,5"]) is Convention.COMMA


@pytest.mark.parametrize("text", ["12.4.1", "1,2,3", "1.2,3.4", "12,34,567"])
def test_what_is_no_number_proves_nothing(text: str) -> None:
    """A version, a list: neither a number nor a sign of how numbers are written."""
    assert convention_of([text, "12.5"]) is Convention.POINT
    assert convention_of([text, "12,5"]) is Convention.COMMA


@pytest.mark.parametrize(("text", "value"), [("0.125", 0.125), ("1.234e+05", 123400.0), ("0.001", 0.001)])
def test_a_leading_zero_or_an_exponent_has_no_groups(text: str, value: float) -> None:
    assert convention_of([text]) is Convention.POINT
    assert parse_number(text) == value
    swapped = text.translate(SWAPPED)
    assert convention_of([swapped]) is Convention.COMMA
    assert parse_number(swapped) is None


def test_where_nothing_may_be_presumed_two_readings_are_refused() -> None:
    assert convention_of(["12,345", "7,5"], None) is Convention.COMMA
    assert convention_of(["12", "345"], None) is Convention.POINT
    with pytest.raises(UnclearNumbers, match=r"12,345 may have decimals or thousands"):
        convention_of(["12,345", "7"], None)
