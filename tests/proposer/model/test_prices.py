from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.errors import UsageError
from warpwright.proposer.conversation import Usage
from warpwright.proposer.model import prices
from warpwright.proposer.model.prices import price_of, price_usd, read_prices

OWN = Path(prices.__file__).with_name("prices.toml")


def rows(tmp_path: Path, text: str) -> tuple[prices.Price, ...]:
    path = tmp_path / "prices.toml"
    path.write_text(text, encoding="utf-8")
    return read_prices(path)


def test_a_request_costs_new_kept_and_written_tokens(tmp_path: Path) -> None:
    mine = rows(tmp_path, '[[price]]\nmodels = ["x:y"]\nin = 2\nout = 10\ncached = 0.5\n')
    assert price_usd("x:y", Usage(1_000_000, 100_000, 400_000), mine) == pytest.approx(1.2 + 0.2 + 1.0)


def test_input_of_which_it_is_unknown_whether_it_was_kept_counts_as_new(tmp_path: Path) -> None:
    mine = rows(tmp_path, '[[price]]\nmodels = ["x:y"]\nin = 2\nout = 10\ncached = 0.5\n')
    assert price_usd("x:y", Usage(1_000_000, 0, None), mine) == pytest.approx(2.0)


@pytest.mark.parametrize("usage", [Usage(), Usage(tokens_in=5), Usage(tokens_out=5)])
def test_unknown_tokens_are_an_unknown_price(usage: Usage) -> None:
    assert price_usd("openai:gpt-5", usage) is None


@pytest.mark.parametrize("model", ["openai:gpt-unheard-of", "ollama:qwen3", "openai:gpt-5-imagined", "gpt-5"])
def test_an_unknown_model_has_no_price(model: str) -> None:
    assert price_usd(model, Usage(10, 10)) is None


def test_a_long_prompt_has_the_price_of_long_prompts() -> None:
    at, above = price_of("google:gemini-2.5-pro", 200_000), price_of("google:gemini-2.5-pro", 200_001)
    assert at is not None
    assert above is not None
    assert (at.usd_in, above.usd_in) == (1.25, 2.5)


def test_a_point_release_is_another_model() -> None:
    older, newer = price_of("anthropic:claude-opus-5"), price_of("anthropic:claude-opus-5-5")
    assert older is not None
    assert newer is not None
    assert older.usd_in != newer.usd_in


def test_the_rows_of_the_user_come_first(tmp_path: Path) -> None:
    mine = rows(tmp_path, '[[price]]\nmodels = ["openai:*"]\nin = 0\nout = 0\n')
    assert price_usd("openai:gpt-5", Usage(10, 10), mine) == 0
    assert price_usd("anthropic:claude-opus-5", Usage(10, 10), mine) != 0


def test_every_row_of_ours_says_when_and_where_it_was_read() -> None:
    for row in read_prices(OWN):
        assert row.source.startswith("https://"), row.models
        assert date.fromisoformat(row.date.ljust(10, "-")[:7] + "-01") > date(2025, 1, 1), row.models
        assert row.usd_cached is None or row.usd_cached <= row.usd_in, row.models


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("price = 3", "[[price]]"),
        ("[[price]]\nin = 1\nout = 1\n", "price 1: needs models"),
        ('[[price]]\nmodels = "x"\nin = 1\nout = 1\n', "models is 'x'"),
        ('[[price]]\nmodels = ["x"]\nin = -1\nout = 1\n', "in is -1"),
        ('[[price]]\nmodels = ["x"]\nin = "1"\nout = 1\n', "in is '1'"),
        ('[[price]]\nmodels = ["x"]\nin = 1\nout = inf\n', "out is inf"),
        ('[[price]]\nmodels = ["x"]\nin = 1\nout = 1\ncahced = 1\n', "needs models"),
        ("price = [", "cannot be read"),
    ],
)
def test_a_bad_price_file_is_refused_by_name(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(UsageError) as caught:
        rows(tmp_path, text)
    assert "prices.toml" in str(caught.value)
    assert named in str(caught.value)


@given(st.integers(1, 10**7), st.integers(0, 10**6), st.one_of(st.none(), st.integers(0, 10**8)))
def test_what_was_kept_never_makes_a_request_dearer_nor_free(
    tokens_in: int, tokens_out: int, cached: int | None
) -> None:
    with_cache = price_usd("anthropic:claude-opus-5", Usage(tokens_in, tokens_out, cached))
    without = price_usd("anthropic:claude-opus-5", Usage(tokens_in, tokens_out, 0))
    assert with_cache is not None
    assert without is not None
    assert 0 < with_cache <= without
