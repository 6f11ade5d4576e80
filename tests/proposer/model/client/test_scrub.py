import base64

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
        "only basic arithmetic is supported, no basic load/store-instructions on basic 64x64x16 tiles",
        "Basic authentication failed; Bearer authentication is required, or a bearer token",
        "asked https://host.example:8000/v1/@cf/model; kernel.cu:14: a@b",
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


@given(st.text().filter(lambda user: ":" not in user), st.text(), st.booleans(), st.booleans())
def test_a_user_and_password_after_basic_are_hidden(user: str, password: str, safe: bool, padded: bool) -> None:
    encode = base64.urlsafe_b64encode if safe else base64.b64encode
    credential = encode(f"{user}:{password}".encode("utf-8", "surrogatepass")).decode()
    credential = credential if padded else credential.rstrip("=")
    assert scrub(f"sent Basic {credential}, refused") == f"sent {HIDDEN}, refused"


TOKEN_SIGNS = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._~+/-", min_size=12)


@given(
    TOKEN_SIGNS.filter(lambda token: not token.isalpha() and not token.endswith(".")), st.sampled_from(["", "=", "=="])
)
def test_a_token_after_bearer_is_hidden(token: str, end: str) -> None:
    assert scrub(f"sent bearer {token}{end}, refused") == f"sent {HIDDEN}, refused"


@pytest.mark.parametrize(
    "credential",
    [
        "Bearer abc12345",
        "Bearer SECRETSECRET",
        "Bearer abcdefghijklmnopqrstuvwx",
        "Bearer AbcdEfgh",
        "Basic c2tfbGl2ZV8xMjM0NTY",
        "Basic dXNl****",
        "Basic abcdefghijklmnop12345678",
    ],
    ids=["digit", "capitals", "long", "mixed", "cut short", "masked", "no base64"],
)
def test_a_credential_without_a_sign_of_its_own_is_hidden(credential: str) -> None:
    assert scrub(f"sent {credential}, refused") == f"sent {HIDDEN}, refused"


@pytest.mark.parametrize(
    "address",
    [
        "u:secret@host:80/v1",
        "https://u:secret@host:80/v1",
        "https://u:sec/secret@host:80/v1",
        "https://u:sec@secret@host:80/v1",
        "u:sec@secret@host:80/v1",
    ],
)
def test_a_password_in_an_address_is_hidden(address: str) -> None:
    hidden = scrub(f"asked '{address}' in vain")
    assert "sec" not in hidden
    assert hidden.endswith(f"{HIDDEN}host:80/v1' in vain")


@given(st.text(), st.text(min_size=8), st.text())
def test_a_known_key_is_hidden_wherever_it_stands(before: str, key: str, after: str) -> None:
    hidden = scrub(f"{before}{key}{after}", (key,))
    assert key not in hidden.replace(HIDDEN, "")
