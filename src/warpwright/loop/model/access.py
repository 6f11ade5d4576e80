"""How a session's options reach its model, and what is refused before a session with a model begins."""

from dataclasses import replace

from warpwright.errors import ModelUnavailable, UsageError
from warpwright.proposer.conversation import ModelClient
from warpwright.proposer.model.client.options import ModelOptions
from warpwright.proposer.model.client.scrub import scrub
from warpwright.proposer.registry import REPLAY, ModelSettings, names_model
from warpwright.record.options import SessionOptions


def model_settings(options: SessionOptions, user: ModelSettings, replayed: int = 0) -> ModelSettings:
    """user: key and prices of the person who runs the session. replayed: replies that the session has had already."""
    chosen: ModelOptions = replace(
        user.options,
        base_url=options.base_url,
        max_output_tokens=options.max_output_tokens,
        temperature=options.temperature,
        replayed=replayed,
    )
    if options.model_timeout_s is not None:
        chosen = replace(chosen, timeout_s=options.model_timeout_s)
    return replace(user, options=chosen)


def check_model_options(options: SessionOptions, user: ModelSettings) -> None:
    """Refuse what does not fit together. Raises: UsageError."""
    name = options.proposer
    if not names_model(name):
        _refuse_idle(options)
        return
    if options.base_url is not None and scrub(options.base_url) != options.base_url:
        raise UsageError(
            "--base-url holds a password or key, and the record keeps this address. Give the key by the environment variable "
            "WARPWRIGHT_API_KEY instead."
        )
    known = user.costs.known(name)
    if options.budget_usd is not None and not known and not options.allow_unknown_price:
        raise UsageError(
            f"--budget-usd {options.budget_usd:g}: the price of {name} is unknown, so the cap could not be held. Give its "
            "price in a file named by WARPWRIGHT_PRICES, cap --max-tokens or --max-model-calls instead, or add "
            "--allow-unknown-price."
        )


def check_model(options: SessionOptions, user: ModelSettings) -> None:
    """Send one tiny request, so that a model that cannot be used is known before anything is spent on the search.

    Nothing is sent for proposers of ours and recorded replies. Raises: ModelUnavailable with the remedy.
    """
    if not names_model(options.proposer) or options.proposer.startswith(REPLAY):
        return
    from warpwright.proposer.model.client.opening import open_model
    from warpwright.proposer.model.client.preflight import preflight

    client: ModelClient = open_model(options.proposer, model_settings(options, user).options)
    fault = preflight(client)
    if fault is not None:
        raise ModelUnavailable(
            f"{fault.message} ({fault.kind.value}). Nothing was begun; --model builtin needs no model."
        )


def _refuse_idle(options: SessionOptions) -> None:
    """Settings of a model where none is asked are a mistake: the cap or the address would be taken to hold."""
    given = {
        "--base-url": options.base_url,
        "--model-timeout": options.model_timeout_s,
        "--max-output-tokens": options.max_output_tokens,
        "--temperature": options.temperature,
        "--budget-usd": options.budget_usd,
        "--max-model-calls": options.max_model_calls,
        "--max-tokens": options.max_tokens,
    }
    idle = [name for name, value in given.items() if value is not None]
    if idle:
        raise UsageError(
            f"{', '.join(idle)}: --model {options.proposer} asks no model. Name one (--model PROVIDER:NAME) or leave this out."
        )
