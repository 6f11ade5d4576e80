"""What a proposer that converses says and hears, in forms of our own: no provider's, no library's."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    MODEL = "model"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model asks for a look-up. arguments: as it gave them; a text where they were no JSON object."""

    id: str
    name: str
    arguments: Mapping[str, Any] | str


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. calls: of a model. call_id: of the call that a tool's text answers."""

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A look-up as a model sees it. parameters: JSON schema of its arguments, an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request; None is unknown, never 0. cached: part of `tokens_in` that the provider had kept."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None


class Stop(StrEnum):
    """Why a reply ended."""

    END = "end"
    TOOL_CALLS = "tool calls"
    LENGTH = "length"
    """Cut off: what came is not all."""
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said. tries: requests that it took. refused: how many of those before the last one the server turned away;
    the others brought nothing either, and may have cost. calls_left_out: how many it asked for beyond those that are kept.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    stop: Stop = Stop.UNKNOWN
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    tries: int = 1
    refused: int = 0
    calls_left_out: int = 0


class FaultKind(StrEnum):
    """Why a model could not be used; what to do about it is in the fault's message."""

    AUTHENTICATION = "authentication"
    RATE_LIMIT = "rate limit"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    SERVER = "server"
    REQUEST = "request"
    """Refused as it is: unknown model, context too long."""
    REPLY = "reply"
    """No reply of the protocol: an HTML page, malformed JSON, nothing."""
    USED_UP = "used up"
    """A recorded session holds no further reply: the search ends where that one did."""


REFUSED = frozenset({FaultKind.AUTHENTICATION, FaultKind.RATE_LIMIT, FaultKind.REQUEST})
"""Requests that a server turns away before any work: no token is read or written, nothing is charged. Others may have been."""


@dataclass(frozen=True, slots=True)
class ModelFault:
    """A request that brought no reply, after all retries. Never holds a key. tries, refused: as in `Reply`."""

    kind: FaultKind
    message: str
    tries: int
    seconds: float
    refused: int = 0


@dataclass(frozen=True, slots=True)
class Tries:
    """Requests of one exchange that brought nothing so far. refused: those of them that the server turned away."""

    sent: int = 0
    refused: int = 0


NO_TRIES = Tries()

Forbids = Callable[[Tries], str | None]
"""Why no other request may follow these, or None; asked before each one that follows the first."""


class ModelClient(Protocol):
    """One chat model. Safe to use from several threads."""

    @property
    def name(self) -> str:
        """`openai:gpt-5`, as `--model` names it."""
        ...

    @property
    def takes_tools(self) -> bool:
        """False: what tools would give must stand in the prompt."""
        ...

    def ask(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), forbids: Forbids | None = None
    ) -> Reply | ModelFault:
        """One request with its retries. Never raises for what a provider does. forbids: None = every retry may be made."""
        ...


class Purpose(StrEnum):
    """What an exchange is for."""

    PROPOSE = "propose"
    REPAIR = "repair"
    RE_ASK = "re-ask"
    """The last reply could not be used; the request says exactly why."""
    TOOL = "tool"
    """The request ends with the answers of tools."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The most that a request may take. tokens: read and written. money_usd: None is unknown."""

    tokens: int
    money_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what came of it, `attempts/NNNN/proposal/exchange-MM.json`.

    messages: what was said in addition to the exchanges before it in this attempt. verdict: what was wrong with the reply
    (`no_code`, `header: ...`), empty if it was usable or asked for tools. money_usd: None is unknown. estimate: of each of its
    requests; None where no cap is held, and in older records.
    """

    purpose: Purpose
    model: str
    messages: tuple[Message, ...]
    outcome: Reply | ModelFault
    money_usd: float | None = None
    verdict: str = ""
    estimate: Estimate | None = None


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One look-up of a model: what it asked, how long that took, what it was told (as it was told, capped)."""

    name: str
    arguments: Mapping[str, Any] | str
    answer: str
    seconds: float


class Notebook(Protocol):
    """Where a proposer writes down what it spent, before it does anything with it: a paid reply is never lost or paid twice."""

    def exchanges(self) -> Sequence[Exchange]:
        """Those of the attempt that is being proposed, in order; not empty if a killed process had begun it."""
        ...

    def keep(self, exchange: Exchange) -> None:
        """On disk, and in the ledger, when this returns."""
        ...

    def judge(self, verdict: str) -> None:
        """What was wrong with the reply kept last, beside it on disk; `Exchange.verdict` says how."""
        ...

    def tool_uses(self) -> Sequence[ToolUse]:
        """Look-ups of the attempt that is being proposed, in order."""
        ...

    def keep_tool(self, use: ToolUse) -> None:
        """The same as `keep`, for a look-up."""
        ...

    def admit(self, model: str, estimate: Estimate, tries: Tries = NO_TRIES) -> str | None:
        """Note that a request is about to be sent, so that it counts even if this process is killed; or say why it must not be.

        To be called before each request, retries too. estimate: of this request and each of `tries`, which are those of the
        same exchange before it.
        """
        ...

    def end(self, reason: str) -> None:
        """Nothing can be asked any more; the session ends for that reason, as after a refusal of `admit`."""
        ...

    def say(self, text: str) -> None:
        """Tell the person who watches."""
        ...
