"""Lines of a session's ledger for what a proposer asked and looked up, also for what a killed process had no time to charge."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from warpwright.proposer.conversation import REFUSED, Estimate, Exchange, ModelFault, ToolUse, Tries
from warpwright.proposer.exchange_files import Asking
from warpwright.proposer.registry import REPLAY
from warpwright.record.event import LedgerEntry
from warpwright.record.ledger.spending import FAULT

_REPLY = "reply"
TRIED_AGAIN = f"{FAULT}: tried again"
CUT_OFF = f"{FAULT}: cut off by a kill"


def exchange_lines(number: int, exchange: Exchange) -> tuple[LedgerEntry, ...]:
    """A line for each request of an exchange: the last one, which had the outcome, then those that were tried before it.

    number: of the attempt.
    """
    outcome = exchange.outcome
    before = Tries(outcome.tries - 1, outcome.refused)
    return (
        _last_line(number, exchange),
        *fruitless_lines(number, exchange.model, before, exchange.estimate, TRIED_AGAIN),
    )


def tool_line(number: int, use: ToolUse) -> LedgerEntry:
    """The line of a look-up."""
    return LedgerEntry("tool", number, use.seconds, outcome=use.name)


def forgotten_lines(number: int, exchanges: Sequence[Exchange], charged: Sequence[str]) -> Iterator[LedgerEntry]:
    """Lines of exchanges that the ledger lacks, behind its last line: the kill came there. charged: outcomes in the ledger.

    Each exchange has one line with its outcome, and in a ledger of an older version that alone, however often it was
    tried: lines are therefore counted within the last exchange that has one, never over several.
    """
    own = [outcome for outcome in charged if outcome != CUT_OFF]
    first_lines = [place for place, outcome in enumerate(own) if outcome != TRIED_AGAIN]
    known = len(first_lines)
    for exchange in exchanges[:known][-1:]:
        yield from exchange_lines(number, exchange)[len(own) - first_lines[-1] :]
    for exchange in exchanges[known:]:
        yield from exchange_lines(number, exchange)


def cut_off_lines(
    number: int, exchanges: int, asking: Asking | None, charged: Sequence[str]
) -> tuple[LedgerEntry, ...]:
    """Lines of the requests of an exchange that a kill cut off, as far as the ledger lacks them: the server may have worked
    on the last of them, so what it took is unknown. exchanges: how many the attempt has.
    """
    if asking is None or asking.exchange <= exchanges:
        return ()
    sent = replace(asking.tries, sent=asking.tries.sent + 1)
    lines = fruitless_lines(number, asking.model, sent, asking.estimate, CUT_OFF)
    return lines[max(charged.count(CUT_OFF) - asking.cut_off, 0) :]


def fruitless_lines(
    number: int, model: str, tries: Tries, estimate: Estimate | None, outcome: str
) -> tuple[LedgerEntry, ...]:
    """Requests that brought nothing: those that the server turned away took nothing, what the others took is unknown."""
    money_usd = 0.0 if model.startswith(REPLAY) else None
    lost = _reckoned(LedgerEntry("model", number, 0.0, model=model, money_usd=money_usd, outcome=outcome), estimate)
    refused = replace(lost, tokens_in=0, tokens_out=0, money_usd=0.0)
    return (*[refused] * tries.refused, *[lost] * (tries.sent - tries.refused))


def _reckoned(line: LedgerEntry, estimate: Estimate | None) -> LedgerEntry:
    if estimate is None:
        return line
    return replace(line, most_tokens=estimate.tokens, most_usd=estimate.money_usd)


def _last_line(number: int, exchange: Exchange) -> LedgerEntry:
    outcome = exchange.outcome
    line = _reckoned(
        LedgerEntry("model", number, outcome.seconds, model=exchange.model, money_usd=exchange.money_usd),
        exchange.estimate,
    )
    if isinstance(outcome, ModelFault):
        tokens = 0 if outcome.kind in REFUSED else None
        return replace(line, tokens_in=tokens, tokens_out=tokens, outcome=f"{FAULT}: {outcome.kind.value}")
    usage = outcome.usage
    return replace(
        line,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        tokens_cached=usage.tokens_cached,
        outcome=_REPLY,
    )
