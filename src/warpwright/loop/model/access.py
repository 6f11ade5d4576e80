"""How a session's options reach its model, and what is refused before a session with a model begins."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from warpwright.errors import Interrupted, ModelUnavailable, UsageError
from warpwright.proposer.model.client.address import checked_address, shown_address
from warpwright.proposer.model.client.found import Found
from warpwright.proposer.model.client.options import ModelOptions
from warpwright.proposer.model.costs import EXPECTED_REPLY_TOKENS
from warpwright.proposer.registry import REPLAY, ModelSettings
from warpwright.record.options import SessionOptions

ANSWER_WITHIN_S = 30.0
"""Silence before the one tiny request counts as failed, where the person set no other limit: a screen with nothing on it."""
_TRIES = 2


@dataclass(frozen=True, slots=True)
class Refused:
    """What is said where a model does not answer. left: how things stand then. remedy: what to do instead."""

    left: str
    remedy: str = ""


_NOT_BEGUN = Refused("nothing was begun", "; --model builtin needs no model")
_NOT_GONE_ON = Refused("the session stays as it is")


def model_settings(options: SessionOptions, user: ModelSettings, replayed: int = 0) -> ModelSettings:
    """user: key and prices of the person who runs the session. replayed: replies that the session has had already.

    Under a cap on money or tokens a reply is never longer than it is reckoned at.
    """
    capped = options.budget_usd is not None or options.max_tokens is not None
    chosen: ModelOptions = replace(
        user.options,
        base_url=options.base_url,
        max_output_tokens=options.max_output_tokens or (EXPECTED_REPLY_TOKENS if capped else None),
        temperature=options.temperature,
        replayed=replayed,
    )
    if options.model_timeout_s is not None:
        chosen = replace(chosen, timeout_s=options.model_timeout_s)
    return replace(user, options=chosen)


def check_model_options(options: SessionOptions, user: ModelSettings) -> None:
    """Refuse what does not fit together. Raises: UsageError."""
    name = options.proposer
    if not options.asks_model:
        _refuse_idle(options)
        return
    if options.base_url is not None:
        checked_address(options.base_url)
    known = user.costs.known(name)
    if options.budget_usd is not None and not known and not options.allow_unknown_price:
        raise UsageError(
            f"--budget-usd {options.budget_usd:g}: the price of {name} is unknown, so the cap could not be held. Give its "
            "price in a file named by WARPWRIGHT_PRICES, cap --max-tokens or --max-model-calls instead, or add "
            "--allow-unknown-price."
        )


def check_model(
    options: SessionOptions,
    user: ModelSettings,
    tell: Callable[[str], None],
    known: Found | None = None,
    *,
    begun: bool = False,
) -> Found | None:
    """Send one tiny request, so that a model that cannot be used is known before anything is spent on the search.

    What is found out about the server; None for proposers of ours and recorded replies, to which nothing is sent. tell: hears
    what is waited for. known: found out before. begun: the session is there already.

    Raises: ModelUnavailable with the remedy, Interrupted by Ctrl-C.
    """
    if not options.asks_model or options.proposer.startswith(REPLAY):
        return None
    limit_s = options.model_timeout_s or ANSWER_WITHIN_S
    if options.time_limit_s is not None:
        limit_s = min(limit_s, options.time_limit_s)
    settings = with_found(model_settings(options, user), known).options
    return find_out(options.proposer, settings, tell, _NOT_GONE_ON if begun else _NOT_BEGUN, limit_s)


def find_out(
    name: str, settings: ModelOptions, tell: Callable[[str], None], refused: Refused, limit_s: float = ANSWER_WITHIN_S
) -> Found:
    """Ask a chat model with little patience whether it answers. Raises: ModelUnavailable, Interrupted by Ctrl-C, UsageError."""
    from warpwright.proposer.model.client.chat import ChatClient
    from warpwright.proposer.model.client.opening import open_model
    from warpwright.proposer.model.client.preflight import preflight

    chosen = replace(settings, timeout_s=limit_s, total_s=2 * limit_s, retries=_TRIES - 1)
    client = open_model(name, chosen, tell)
    assert isinstance(client, ChatClient)
    where = "" if settings.base_url is None else f" at {shown_address(settings.base_url)}"
    tell(f"asking {name}{where} whether it answers ({_TRIES} times, {limit_s:g} s at most)")
    try:
        fault = preflight(client)
    except KeyboardInterrupt:
        raise Interrupted(refused.left) from None
    if fault is not None:
        left = refused.left[0].upper() + refused.left[1:]
        raise ModelUnavailable(f"{fault.message.rstrip('.')} ({fault.kind.value}). {left}{refused.remedy}.")
    return Found(client.takes_tools, client.streams)


def with_found(settings: ModelSettings, found: Found | None) -> ModelSettings:
    """The settings for a server of which that was found out."""
    if found is None:
        return settings
    return replace(settings, options=replace(settings.options, tools=found.takes_tools, stream=found.streams))


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
