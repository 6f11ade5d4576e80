from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from warpwright.errors import ModelUnavailable, RecordError, UsageError
from warpwright.proposer.model.client.opening import open_model
from warpwright.proposer.model.client.options import ModelOptions
from warpwright.proposer.model.client.providers import PROVIDERS, Provider

KEY = "sk-test-0123456789abcdefghijklmnop"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for row in PROVIDERS:
        for variable in row.key_variables:
            monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("gpt-5", "PROVIDER:NAME"),
        ("openai:", "PROVIDER:NAME"),
        (":gpt-5", "PROVIDER:NAME"),
        ("vllm:qwen", "no provider vllm"),
        ("langchain_core.messages.AIMessage:x", "no chat model AIMessage"),
        ("langchain_core.messages.Nothing:x", "no chat model Nothing"),
    ],
)
def test_words_that_name_no_model(words: str, named: str) -> None:
    with pytest.raises(UsageError, match=named):
        open_model(words)


@pytest.mark.parametrize(
    ("words", "variable"),
    [("openai:m", "OPENAI_API_KEY"), ("anthropic:m", "ANTHROPIC_API_KEY"), ("google:m", "GOOGLE_API_KEY")],
)
def test_a_missing_key_is_named_with_its_variable(words: str, variable: str) -> None:
    with pytest.raises(ModelUnavailable, match=f"no key. Set {variable} .*--base-url .*WARPWRIGHT_API_KEY"):
        open_model(words)


@pytest.mark.parametrize(("words", "variable"), [("openai:m", "OPENAI_API_KEY"), ("anthropic:m", "ANTHROPIC_API_KEY")])
def test_a_key_in_the_providers_variable_is_enough(words: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, KEY)
    assert open_model(words).name == words


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Provider("openai", "langchain_not_here", "ChatNothing", "langchain-not-here", "openai")
    monkeypatch.setattr("warpwright.proposer.model.client.opening.provider", lambda name: row)
    with pytest.raises(ModelUnavailable, match=r"pip install 'warpwright\[openai\]'"):
        open_model("openai:m")


def test_nothing_is_installed_by_a_name_that_may_be_mistyped() -> None:
    with pytest.raises(ModelUnavailable) as caught:
        open_model("opnai.ChatModel:m")
    assert "the module opnai is not installed. Known providers: openai, anthropic, " in str(caught.value)
    assert "pip" not in str(caught.value)


def test_the_providers_key_never_goes_to_a_server_of_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    from model_server import Answer, ModelServer
    from proposer.model.client.asking import QUESTION

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ModelServer([Answer("ok")]) as server:
        open_model("openai:m", ModelOptions(base_url=server.base_url)).ask(QUESTION)
        own = ModelOptions(base_url=server.base_url, api_key=SecretStr("key-of-that-server"))
        open_model("openai:m", own).ask(QUESTION)
    assert [request.headers["authorization"] for request in server.requests] == [
        "Bearer none",
        "Bearer key-of-that-server",
    ]


def test_settings_that_a_class_refuses_are_a_message_without_the_key() -> None:
    options = ModelOptions(base_url="http://127.0.0.1:1/v1", api_key=SecretStr(KEY))
    with pytest.raises(ModelUnavailable) as caught:
        open_model("openai:m", replace(options, temperature="hot"))  # type: ignore[arg-type]
    assert "temperature" in str(caught.value)
    assert KEY not in str(caught.value)


def test_options_do_not_show_the_key() -> None:
    assert KEY not in repr(ModelOptions(api_key=SecretStr(KEY)))


def test_replay_of_no_session(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no session"):
        open_model(f"replay:{tmp_path}")
