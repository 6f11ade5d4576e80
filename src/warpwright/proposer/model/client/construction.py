"""Makes LangChain's chat model of a provider with our settings, whatever it calls them."""

import importlib
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableLambda
from pydantic import SecretStr, ValidationError

from warpwright.errors import ModelUnavailable, UsageError
from warpwright.proposer.model.client.options import ModelOptions
from warpwright.proposer.model.client.providers import Provider
from warpwright.proposer.model.client.scrubbing.scrub import scrub

DUMMY_KEY = "none"
"""For servers that want no key, where the provider's library wants one."""

_SECRET_ENDS = ("key", "token", "secret", "password")
"""How the fields end in which some classes keep a secret as a plain text."""

LEAST_OUTPUT_TOKENS = 16384
"""A kernel with its reasons must fit: a class that caps models it does not know gets this cap instead."""

_NAMES = {
    "model": ("model", "model_name"),
    "timeout": ("timeout", "request_timeout"),
    "retries": ("max_retries",),
    "output": ("max_tokens", "max_output_tokens", "num_predict"),
    "base_url": ("base_url",),
    "key": ("api_key",),
    "temperature": ("temperature",),
    "context": ("num_ctx",),
}
"""What the classes call one setting; the first that a class takes is used."""

_FIRST_TRY_ONLY = {"google": 1}
"""`max_retries` that means one request; 0 elsewhere. We retry ourselves, the same way for all."""


def make_chat_model(provider: Provider, name: str, options: ModelOptions) -> BaseChatModel:
    """The chat model `name` of a provider.

    Raises: ModelUnavailable if the package or the key is missing or the settings are refused, UsageError if `provider` names no
    chat model.
    """
    chat_class = _chat_class(provider)
    settings = _settings(chat_class, provider, name, options)
    outcome = _constructed(chat_class, settings)
    if isinstance(outcome, BaseChatModel) and _too_short(outcome, options):
        outcome = _constructed(chat_class, {**settings, "max_tokens": LEAST_OUTPUT_TOKENS})
    if isinstance(outcome, ValidationError):
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in outcome.errors())
        raise _refused(provider, name, options, faults)
    if isinstance(outcome, Exception):
        raise _refused(provider, name, options, str(outcome))
    if provider.key_variables and options.base_url is None and not keys_of(outcome, options):
        raise _no_key(provider, name)
    return outcome


def keys_of(model: BaseChatModel, options: ModelOptions) -> tuple[str, ...]:
    """Secrets that a chat model holds, so that they can be taken out of texts. The dummy key is a word like any other."""
    fields = {name: getattr(model, name, None) for name in type(model).model_fields}
    found = {value.get_secret_value() for value in (*fields.values(), options.api_key) if isinstance(value, SecretStr)}
    found |= {value for name, value in fields.items() if isinstance(value, str) and name.endswith(_SECRET_ENDS)}
    return tuple(sorted(found - {"", DUMMY_KEY}))


def _too_short(model: BaseChatModel, options: ModelOptions) -> bool:
    """Whether the class has set a low cap of its own on a model that it does not know."""
    cap = getattr(model, "max_tokens", None)
    return (
        options.max_output_tokens is None and not model.profile and isinstance(cap, int) and cap < LEAST_OUTPUT_TOKENS
    )


def _constructed(chat_class: type[BaseChatModel], settings: dict[str, Any]) -> BaseChatModel | Exception:
    """A batch gives what a class raises, whatever its kind, as data. In a list: a lambda that returns a model would call it."""
    make: RunnableLambda[None, list[BaseChatModel]] = RunnableLambda(lambda _: [chat_class(**settings)])
    outcome: list[BaseChatModel] | Exception = make.batch([None], return_exceptions=True)[0]
    return outcome[0] if isinstance(outcome, list) else outcome


def _chat_class(provider: Provider) -> type[BaseChatModel]:
    if not provider.installed:
        missing = f"package {provider.package}" if provider.package else f"module {provider.module}"
        raise ModelUnavailable(f"{provider.name}: the {missing} is not installed. {provider.remedy}")
    try:
        module = importlib.import_module(provider.module)
    except ImportError as error:
        raise ModelUnavailable(
            f"{provider.name}: {provider.module} cannot be imported: {error}. {provider.remedy}"
        ) from error
    chat_class = getattr(module, provider.chat_class, None)
    if not (isinstance(chat_class, type) and issubclass(chat_class, BaseChatModel)):
        raise UsageError(f"{provider.name}: {provider.module} has no chat model {provider.chat_class}.")
    return chat_class


def _settings(chat_class: type[BaseChatModel], provider: Provider, name: str, options: ModelOptions) -> dict[str, Any]:
    """Keyword arguments of the class: those of our settings that it knows."""
    wanted: dict[str, Any] = {
        "model": name,
        "timeout": options.timeout_s,
        "retries": _FIRST_TRY_ONLY.get(provider.name, 0),
        "output": options.max_output_tokens,
        "temperature": options.temperature,
        "base_url": options.base_url,
        "key": _key(options),
        "context": options.context_tokens,
    }
    known = set(chat_class.model_fields) | {field.alias for field in chat_class.model_fields.values() if field.alias}
    settings: dict[str, Any] = {}
    for setting, value in wanted.items():
        argument = next((candidate for candidate in _NAMES[setting] if candidate in known), None)
        if value is not None and argument is not None:
            settings[argument] = value
        elif value is not None and setting in ("base_url", "model"):
            raise ModelUnavailable(f"{provider.name}: {chat_class.__name__} takes no {setting}.")
    if "client_kwargs" in known and "api_key" not in known:
        settings["client_kwargs"] = {"timeout": options.timeout_s, **_bearer(options)}
    if "stream_usage" in known:
        settings["stream_usage"] = True
    if provider.name == "google":
        settings["transport"] = "rest"  # gRPC heeds neither proxies nor, while it connects, the timeout
    if options.base_url is not None and "use_responses_api" in known:
        settings["use_responses_api"] = False
    return settings


def _key(options: ModelOptions) -> SecretStr | None:
    """None leaves it to the provider's library, which reads its own variable; never for a server of the user's."""
    if options.base_url is None:
        return None
    return options.api_key or SecretStr(DUMMY_KEY)


def _bearer(options: ModelOptions) -> dict[str, Any]:
    """Ollama's class has no key of its own: a server behind a gate gets it as a header."""
    if options.api_key is None or options.base_url is None:
        return {}
    return {"headers": {"Authorization": f"Bearer {options.api_key.get_secret_value()}"}}


def _refused(provider: Provider, name: str, options: ModelOptions, reason: str) -> ModelUnavailable:
    if "api_key" in reason.lower() or "credentials" in reason.lower():
        return _no_key(provider, name)
    keys = (options.api_key.get_secret_value(),) if options.api_key else ()
    return ModelUnavailable(f"{provider.name}:{name}: {scrub(reason, keys)}")


def _no_key(provider: Provider, name: str) -> ModelUnavailable:
    variable = " or ".join(provider.key_variables) or "the variable that its library names"
    return ModelUnavailable(
        f"{provider.name}:{name}: no key. Set {variable} to your key; for a server of your own give its address with "
        "--base-url (and its key in WARPWRIGHT_API_KEY, if it wants one)."
    )
