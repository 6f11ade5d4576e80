"""One request to one of those who write: asked, kept, read; a paid reply is never asked for twice."""

from dataclasses import dataclass

from warpwright.errors import ModelUnavailable
from warpwright.loop.describing.context import DescribeContext
from warpwright.loop.describing.declaring import authored
from warpwright.loop.describing.prompt import re_ask_message
from warpwright.loop.describing.reply import LANGUAGES, Unusable, Written, read_files
from warpwright.proposer.conversation import Exchange, Message, ModelClient, ModelFault, Purpose, Reply, Role

_MOST_CHARS = 20000
"""Of a reply that is shown again."""


@dataclass(frozen=True, slots=True)
class Request:
    """opening: the first messages. fault: why the last reply was sent back, empty for the first request.

    turn: names this request among all of the draft's thread. known, needed: files that the reply may and must hold.
    disagreement: the fault is that two implementations differ, so that standing by the own one is an answer.
    """

    turn: str
    client: ModelClient
    opening: tuple[Message, ...]
    known: tuple[str, ...]
    needed: tuple[str, ...]
    fault: str = ""
    disagreement: bool = False


def ask(context: DescribeContext, request: Request) -> Written | Unusable:
    """The files of the reply; who uses them says so with `Draft.judge`.

    Raises: ModelUnavailable if the model cannot be reached; the draft stays resumable.
    """
    reply = _kept(context, request) or _fresh(context, request, _messages(context, request))
    read = read_files(reply, request.known, request.needed, may_stand=request.disagreement)
    if isinstance(read, Unusable):
        context.draft.judge(read.verdict)
    return read


def _messages(context: DescribeContext, request: Request) -> tuple[Message, ...]:
    """The opening, and for a re-ask what there is and what is wrong with it: as long the second time as the first.

    What there is: the files as they are now, of one reply or of several; where none was usable yet, the last reply.
    """
    if not request.fault:
        return request.opening
    present = _files_now(context, request) or _last_reply(context, request)
    said = (Message(Role.MODEL, present),) if present else ()
    return (*request.opening, *said, re_ask_message(request.fault, disagreement=request.disagreement))


def _files_now(context: DescribeContext, request: Request) -> str:
    texts = [(name, authored(context.draft, name)) for name in request.known]
    blocks = [(f"~~~{LANGUAGES[name][0]}", text) for name, text in texts if text is not None]
    return "\n".join(f"{head}\n{text.rstrip()}\n~~~\n" for head, text in blocks)


def _last_reply(context: DescribeContext, request: Request) -> str:
    """What this writer said last, of what has been read."""
    for exchange in reversed(context.draft.exchanges()):
        ours = exchange.messages[:1] == request.opening[:1] and exchange.verdict
        if ours and isinstance(exchange.outcome, Reply):
            return exchange.outcome.text[:_MOST_CHARS]
    return ""


def _kept(context: DescribeContext, request: Request) -> Reply | None:
    """The reply to this very request, if a killed process got it and did not come to the end of its step."""
    said, asked = context.draft.exchanges(), context.draft.kept("asking")
    if asked != _asking(context, request, len(said)) or not said or said[-1].model != request.client.name:
        return None
    outcome = said[-1].outcome
    return outcome if isinstance(outcome, Reply) else None


def _asking(context: DescribeContext, request: Request, position: int) -> dict[str, str | int]:
    return {"thread": context.draft.thread, "turn": request.turn, "exchange": position}


def _fresh(context: DescribeContext, request: Request, messages: tuple[Message, ...]) -> Reply:
    context.draft.keep("asking", _asking(context, request, len(context.draft.exchanges()) + 1))
    outcome = request.client.ask(messages)
    money = context.costs.of(request.client.name, outcome)
    purpose = Purpose.RE_ASK if request.fault else Purpose.PROPOSE
    context.draft.keep_exchange(Exchange(purpose, request.client.name, messages, outcome, money))
    if isinstance(outcome, ModelFault):
        context.draft.judge(f"fault: {outcome.kind.value}")
        raise ModelUnavailable(
            f"{request.client.name}: {outcome.message} The draft is kept; go on with: "
            f"warpwright new {context.draft.target} --resume"
        )
    return outcome
