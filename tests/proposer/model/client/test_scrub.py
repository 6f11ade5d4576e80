import base64
from collections.abc import Callable
from functools import partial
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.proposer.model.client.scrubbing.scrub import HIDDEN, scrub


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
        "Bearer Bearer abcdefgh12345678",
        "basic bearer abcdefgh12345678",
        'Bearer "abcdefgh12345678"',
        "Bearer%20abcdefgh12345678",
        "Bearer+abcdefgh12345678",
        "Bearer: abcdefgh12345678",
        "invalid bearer token: abcdefgh12345678",
        "Basic: dXNlcjphYmNkZWZnaDEyMzQ1Njc4",
        "basic http://bearer abcdefgh12345678",
        'Authorization: Digest username="abcdefgh", response="12345678"',
        "GET /v1%3Fkey%3Dabcdefgh12345678",
        "Incorrect API key provided: abcdefgh12345678.",
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
        "only basic arithmetic is supported, no basic instructions",
        "Basic authentication failed; Bearer authentication is required, or a bearer token",
        "asked https://host.example:8000/v1/@cf/model; kernel.cu:14: a@b",
        "bearer credentials are missing; Bearer format: Bearer <token>; basic Output of a basic Operator",
        "file.cu:12:foo@bar: no std::vector<int>@x, L1:@p1 or std::min@x",
        "mul.lo:s32@p, setp:x@p and @%p1 bra L1",
        '{"note":"a:b","mail":"me@x.example"} or mailto:me@x.example',
        "a key: value; token: 3; const auto key=3; kernel<<<g, b>>>; sig=0",
        "sk-learn-style-estimators, cookies: 3, authorization failed, the api key is wrong",
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


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("password", ["user:swordfish", "aladdin:opensesame", "user:~~~???"])
def test_a_user_and_password_after_basic_are_hidden(encode: Callable[[bytes], bytes], password: str) -> None:
    assert scrub(f"sent Basic {encode(password.encode()).decode()}, refused") == f"sent {HIDDEN}, refused"


TOKEN_SIGNS = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._~+/-", min_size=12)


@given(
    TOKEN_SIGNS.filter(lambda token: any(map(str.isdigit, token)) and not token.endswith(".")),
    st.sampled_from(["", "=", "=="]),
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
    "address", ["u:secret@host:80/v1", "u:sec@secret@host:80/v1", "secret@host:80/v1", ":secret@host:80/v1"]
)
@pytest.mark.parametrize("encode", [str, partial(quote, safe="")], ids=["plain", "encoded"])
@pytest.mark.parametrize("around", ["asked '%s' in vain", "asked %s in vain", '{"url":"%s","note":"a:b"}'])
def test_a_user_of_an_address_is_hidden(address: str, encode: Callable[[str], str], around: str) -> None:
    hidden = scrub(around % encode(f"https://{address}"))
    assert hidden == around % encode(f"https://{HIDDEN}host:80/v1").replace(encode(HIDDEN), HIDDEN)


@pytest.mark.parametrize("name", ["x-api-key", "api_key", "apikey", "client secret"])
@pytest.mark.parametrize("value", ["swordfish", "SWORDFISH", "my-secret-x", "abc1234", "a=b;c", "mein-schlüssel"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (": ", ""),
        ("=", ""),
        ("='", "'"),
        ('": "', '"'),
        ('":"', '"'),
        ('\\": \\"', '\\"'),
        ("', b'", "'"),
        ('": ["', '"]'),
    ],
    ids=["header", "assigned", "repr", "JSON", "compact JSON", "JSON in JSON", "bytes", "list"],
)
def test_what_follows_the_name_of_a_secret_is_hidden_whatever_it_is(
    name: str, value: str, before: str, after: str
) -> None:
    assert scrub(f"sent {name}{before}{value}{after}, refused") == f"sent {name}{before}{HIDDEN}{after}, refused"


@pytest.mark.parametrize("name", ["Authorization", "proxy-authorization", "Cookie"])
@pytest.mark.parametrize(
    "value", ["swordfish", "Bearer swordfish", "Token my-secret", 'Digest a="b", c="d"', "a=b; c=d"]
)
def test_a_header_is_hidden_to_the_end_of_its_line_or_quote(name: str, value: str) -> None:
    assert scrub(f"sent {name}: {value}, refused\nCheck it") == f"sent {name}: {HIDDEN}\nCheck it"
    assert scrub(f"sent {{'{name}': '{value}'}}, refused") == f"sent {{'{name}': '{HIDDEN}'}}, refused"


PIECES = (
    "Authorization", "Bearer ", "basic ", "api_key", ": ", "=", '"', "'", "\\", "\n", " ", "@", "://", "user", ":", "/v1", "[",
    "]", "sk-", "abcd1234EFGH5678", "%40", "%", "&#34;", "?key=", "Cookie", ";", ",", ".", "\\u0041", HIDDEN,
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_what_is_hidden_once_stays_hidden(text: str) -> None:
    """A fault's message is made of words that were scrubbed before."""
    once = scrub(text)
    assert scrub(once).count("abcd1234EFGH5678") <= once.count("abcd1234EFGH5678") <= text.count("abcd1234EFGH5678")


@pytest.mark.parametrize(
    "unit",
    [
        "x:y,", "a:a ", "http://a:", "bearer ", "bearer:", "bearer .", "sk-", "sk-a-", "a@", "@a.a.", "abc:d.e@", "\\", '\\"',
        "%25", "authorization: ", 'api_key="', "cookie: a=b; ", "?a", "a1B2", ".",
    ],
)  # fmt: skip
@pytest.mark.parametrize("before", ["", "sk-", "u:"])
def test_a_long_text_takes_time_with_its_length(before: str, unit: str) -> None:
    """With its square, one of these would take an hour and end at the time limit of all tests."""
    text = before + unit * (200_000 // len(unit))
    assert len(scrub(text, ("aB3+dE/gH5=jK7lmN9",))) <= len(text) + len(HIDDEN) * text.count(unit)
