import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.proposer.model.client.scrub import HIDDEN, scrub


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-abcdefghijklmnop1234",
        "key AIzaSyA1234567890abcdefgh is not valid",
        "header Authorization: Bearer abcdefgh12345678",
        "https://x/v1?key=abcdefgh12345678&alt=json",
        "https://user:abcdefgh12345678@host/v1",
        "api_key=abcdefgh12345678",
        "http://h/v1#key=abcdefgh12345678",
        "key hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
        "key pk_live_abcdefgh12345678",
        "key sk-abcdefgh********",
        "key sk-SECRETSECRETSECRET",
    ],
)
def test_what_looks_like_a_key_is_hidden(text: str) -> None:
    hidden = scrub(text)
    assert HIDDEN in hidden
    assert "12345678" not in hidden
    assert "abcdefgh" not in hidden


@pytest.mark.parametrize(
    "text",
    [
        "HTTP 404: no model gpt-5-mini",
        "static 4 + dynamic 49152 > 49152",
        "risk-averse skipping of tasks",
        "no kernel skinny_matmul_kernel_v2, sk_matmul_kernel_v2 or hf_attention_kernel",
        "asked https://skynet.internal.example/v1, https://hf-inference.example.com/v1, http://pk-models.corp.example:8000/v1",
        "",
    ],
)
def test_other_text_is_left(text: str) -> None:
    assert scrub(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "provided: sk-proj-abcdefgh12345678. Check the key",
        "provided: AIzaSyA1234567890abcdefgh. Check the key",
        "Bearer abcdefgh12345678. Check the key",
        "api_key=abcdefgh12345678. Check the key",
        "asked http://h/v1?key=abcdefgh12345678. Check the key",
    ],
)
def test_the_full_stop_after_a_key_stays(text: str) -> None:
    assert scrub(text).endswith(f"{HIDDEN}. Check the key")


@given(st.text(), st.text(min_size=8), st.text())
def test_a_known_key_is_hidden_wherever_it_stands(before: str, key: str, after: str) -> None:
    hidden = scrub(f"{before}{key}{after}", (key,))
    assert key not in hidden.replace(HIDDEN, "")
