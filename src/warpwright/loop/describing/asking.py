"""One request to one of those who write: asked, kept, read; a paid reply is never asked for twice."""

from dataclasses import dataclass

from warpwright.errors import ModelUnavailable
from warpwright.loop.describing.context import DescribeContext
from warpwright.loop.describing.prompt import re_ask_message
from warpwright.loop.describing.reply import Unusable, Written, read_files
from warpwright.proposer.conversation import Exchange, Message, ModelClient, ModelFault, Purpose, Reply, Role


@dataclass(frozen=True, slots=True)
class Request:
    """opening: the first messages. fault: why the last reply was sent back, empty for the first request.

    disagreement: the fault is that two implementations differ, so that standing by the own one is an answer.
    known, needed: files that the reply may and must hold.
    """

    client: ModelClient
    opening: tuple[Message, ...]
    known: tuple[str, ...]
    needed: tuple[str, ...]
    fault: str = ""
    disagreement: bool = False


def ask(context: DescribeContext, request: Request) -> Written | Unusable:
    """The files of the reply. Raises: ModelUnavailable if the model cannot be reached; the draft stays resumable."""
    messages = _messages(context, request)
    reply = _kept(context, request, messages) or _fresh(context, request, messages)
    read = read_files(reply, request.known, request.needed, may_stand=request.disagreement)
    context.draft.judge(read.verdict if isinstance(read, Unusable) else "used")
    return read


def _messages(context: DescribeContext, request: Request) -> tuple[Message, ...]:
    """The opening, and for a re-ask the last reply to it and what is wrong: as long the second time as the first."""
    if not request.fault:
        return request.opening
    last = _last_reply(context, request)
    said = () if last is None else (Message(Role.MODEL, last.text),)
    return (*request.opening, *said, re_ask_message(request.fault, disagreement=request.disagreement))


def _last_reply(context: DescribeContext, request: Request) -> Reply | None:
    """What this writer said last, of what has been read."""
    for exchange in reversed(context.draft.exchanges()):
        ours = exchange.messages[:1] == request.opening[:1] and exchange.verdict
        if ours and isinstance(exchange.outcome, Reply):
            return exchange.outcome
    return None


def _kept(context: DescribeContext, request: Request, messages: tuple[Message, ...]) -> Reply | None:
    """The reply to this very request, if a killed process got it and did not come to read it."""
    said = context.draft.exchanges()
    if not said or said[-1].verdict or said[-1].messages != messages or said[-1].model != request.client.name:
        return None
    outcome = said[-1].outcome
    return outcome if isinstance(outcome, Reply) else None


def _fresh(context: DescribeContext, request: Request, messages: tuple[Message, ...]) -> Reply:
    outcome = request.client.ask(messages)
    usage = outcome.usage if isinstance(outcome, Reply) else None
    money = None if usage is None else context.price(request.client.name, usage)
    purpose = Purpose.RE_ASK if request.fault else Purpose.PROPOSE
    context.draft.keep_exchange(Exchange(purpose, request.client.name, messages, outcome, money))
    if isinstance(outcome, ModelFault):
        context.draft.judge(f"fault: {outcome.kind.value}")
        raise ModelUnavailable(
            f"{request.client.name}: {outcome.message} The draft is kept; go on with: "
            f"warpwright new {context.draft.target} --resume"
        )
    return outcome
