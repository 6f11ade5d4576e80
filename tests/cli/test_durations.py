import pytest

from warpwright.cli.durations import parse_duration
from warpwright.errors import UsageError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90.0), ("90s", 90.0), ("1.5m", 90.0), ("2h", 7200.0), ("1h30m", 5400.0), (" 1H 5s ", 3605.0), (None, None)],
)
def test_durations_are_seconds(text: str | None, seconds: float | None) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "5d", "-3s", "10m!", "m"])
def test_what_is_no_duration_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_duration(text)
    expected = f"--time-limit {text!r} is no duration. Write seconds or units: 90, 90s, 10m, 1h30m."
    assert str(caught.value) == expected


def test_zero_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        parse_duration("0m")
    assert str(caught.value) == "--time-limit '0m' is zero. Give a positive duration such as 10m."
