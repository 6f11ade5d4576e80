"""One turn of a model: look-ups within their number, exact faults said again, what was heard before a kill used again."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from warpwright.proposer.conversation import (
    NO_TRIES,
    Estimate,
    Exchange,
    FaultKind,
    Forbids,
    Message,
    ModelFault,
    Purpose,
    Reply,
    Role,
    Stop,
    ToolCall,
    ToolSpec,
    ToolUse,
    Tries,
    Usage,
)
from warpwright.proposer.exchange_files import LONGEST_ID, MOST_CALLS
from warpwright.proposer.model.costs import Costs
from warpwright.proposer.model.prompt.build import TOOL_CALLS
from warpwright.proposer.model.prompt.limits import CHARACTERS_PER_TOKEN
from warpwright.proposer.model.reply.bad_reply import BadKind, BadReply
from warpwright.proposer.model.tools.tool import NoArguments, Tool
from warpwright.proposer.model.turn import NONE_LEFT, RE_ASKS, Lost, Turn

FIRST = (Message(Role.SYSTEM, "be brief"), Message(Role.USER, "propose"))
BAD = Reply("bad", stop=Stop.END)
GOOD = Reply("good", stop=Stop.END, usage=Usage(10, 5))
BAD_VERDICT = "no_code: found 'bad'"


def calls(*identities: str) -> Reply:
    return Reply("", tuple(ToolCall(identity, "look", {}) for identity in identities), Stop.TOOL_CALLS)


@dataclass
class Scripted:
    """Replies in order; keeps what it was asked."""

    replies: Sequence[Reply | ModelFault]
    name: str = "scripted:x"
    takes_tools: bool = True
    asked: list[tuple[Message, ...]] = field(default_factory=list)

    def ask(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), forbids: Forbids | None = None
    ) -> Reply | ModelFault:
        assert bool(tools) is self.takes_tools
        self.asked.append(tuple(messages))
        return self.replies[len(self.asked) - 1]


@dataclass
class Memory:
    """A notebook that lasts as long as the test. allowed: requests before a cap forbids the next."""

    allowed: int = 100
    kept: list[Exchange] = field(default_factory=list)
    uses: list[ToolUse] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    ended: str = ""

    def exchanges(self) -> Sequence[Exchange]:
        return tuple(self.kept)

    def keep(self, exchange: Exchange) -> None:
        self.kept.append(exchange)

    def judge(self, verdict: str) -> None:
        self.kept[-1] = replace(self.kept[-1], verdict=verdict)

    def tool_uses(self) -> Sequence[ToolUse]:
        return tuple(self.uses)

    def keep_tool(self, use: ToolUse) -> None:
        self.uses.append(use)

    def admit(self, model: str, estimate: Estimate, tries: Tries = NO_TRIES) -> str | None:
        return "budget: none left" if len(self.kept) + tries.sent >= self.allowed else None

    def end(self, reason: str) -> None:
        self.ended = reason

    def say(self, text: str) -> None:
        self.said.append(text)


@dataclass
class Bell:
    """A look-up that counts how often it was really made."""

    rung: int = 0

    def tool(self) -> Tool:
        def answer(asked: NoArguments) -> str:
            self.rung += 1
            return f"ring {self.rung}"

        return Tool("look", "Looks.", NoArguments, answer)


def judge(reply: Reply) -> str | BadReply:
    return reply.text if reply.text == "good" else BadReply(BadKind.NO_CODE, "found 'bad'")


def turn(client: Scripted, memory: Memory, bell: Bell | None = None, purpose: Purpose = Purpose.PROPOSE) -> str | Lost:
    tools = ((bell or Bell()).tool(),)
    return Turn(client, memory, tools, Costs()).converse(purpose, FIRST, judge)


def test_a_usable_reply_ends_the_turn() -> None:
    client, memory = Scripted([GOOD]), Memory()
    assert turn(client, memory) == "good"
    assert client.asked == [FIRST]
    assert [(e.purpose, e.messages, e.verdict) for e in memory.kept] == [(Purpose.PROPOSE, FIRST, "")]


def test_the_fault_is_said_and_the_conversation_goes_on() -> None:
    client, memory = Scripted([BAD, GOOD]), Memory()
    assert turn(client, memory) == "good"
    *before, again = client.asked[1]
    assert before == [*FIRST, Message(Role.MODEL, "bad")]
    assert "found 'bad'" in again.text
    assert [e.verdict for e in memory.kept] == [BAD_VERDICT, ""]
    assert memory.said == [f"scripted:x: reply not usable: {BAD_VERDICT}"]


def test_after_the_last_re_ask_the_turn_is_lost() -> None:
    client = Scripted([BAD] * 9)
    lost = turn(client, Memory())
    assert isinstance(lost, Lost)
    assert not lost.refused
    assert lost.reason == f"scripted:x: 3 replies not usable; the last: {BAD_VERDICT}"
    assert len(client.asked) == 1 + RE_ASKS


def test_a_fault_loses_the_turn_at_once() -> None:
    fault = ModelFault(FaultKind.TIMEOUT, "scripted:x: silent for 5 s.", 3, 15.0)
    client, memory = Scripted([BAD, fault]), Memory()
    assert turn(client, memory) == Lost("scripted:x: silent for 5 s (timeout, 3 tries)")
    assert memory.kept[-1].outcome == fault


def test_a_cap_forbids_the_next_request() -> None:
    client, memory = Scripted([BAD, GOOD]), Memory(allowed=1)
    assert turn(client, memory) == Lost("budget: none left", refused=True)
    assert len(client.asked) == 1


def test_every_call_is_answered_and_those_beyond_the_allowance_in_words() -> None:
    client, bell = Scripted([calls("a", "b"), calls(*"cdefgh"), GOOD]), Bell()
    assert turn(client, Memory(), bell) == "good"
    assert bell.rung == TOOL_CALLS
    answers = [message for message in client.asked[2] if message.role is Role.TOOL]
    assert [message.call_id for message in answers] == list("abcdefgh")
    assert [message.text for message in answers[TOOL_CALLS:]] == [NONE_LEFT, NONE_LEFT]


def test_a_model_that_only_looks_up_loses_its_turn() -> None:
    client, memory, bell = Scripted([calls(*"abcdef"), *[calls("g")] * 9]), Memory(), Bell()
    lost = turn(client, memory, bell)
    assert isinstance(lost, Lost)
    assert bell.rung == TOOL_CALLS
    assert len(client.asked) == 2 + RE_ASKS
    assert all(e.verdict.startswith("no_code: found a call") for e in memory.kept[1:])


def test_a_model_without_tools_is_offered_none() -> None:
    client = Scripted([BAD, GOOD], takes_tools=False)
    assert turn(client, Memory()) == "good"


def test_an_unknown_look_up_is_answered_with_those_there_are() -> None:
    client = Scripted([Reply("", (ToolCall("a", "shell", {"command": "ls"}),), Stop.TOOL_CALLS), GOOD])
    memory = Memory()
    assert turn(client, memory) == "good"
    assert memory.uses[0].answer == "There is no look-up shell. There are: look."


def test_what_was_heard_before_a_kill_is_not_asked_again() -> None:
    replies = [calls("a"), BAD, calls("b"), GOOD]
    whole, rings = Memory(), Bell()
    assert turn(Scripted(replies), whole, rings) == "good"
    assert rings.rung == 2
    for heard in range(1, len(replies)):
        looked_up = 1 if heard < 3 else 2
        memory, bell = Memory(kept=whole.kept[:heard], uses=whole.uses[:looked_up]), Bell(looked_up)
        client = Scripted(replies[heard:])
        assert turn(client, memory, bell) == "good"
        assert [(e.purpose, e.messages, e.outcome, e.verdict) for e in memory.kept] == [
            (e.purpose, e.messages, e.outcome, e.verdict) for e in whole.kept
        ]
        assert bell.rung == 2
        assert client.asked[0][: len(FIRST)] == FIRST


def test_a_look_up_that_a_kill_kept_out_of_the_next_request_is_not_made_again() -> None:
    memory = Memory(
        kept=[Exchange(Purpose.PROPOSE, "scripted:x", FIRST, calls("a"))], uses=[ToolUse("look", {}, "ring 0", 0.1)]
    )
    client, bell = Scripted([GOOD]), Bell()
    assert turn(client, memory, bell) == "good"
    assert bell.rung == 0
    assert client.asked[0][-1] == Message(Role.TOOL, "ring 0", call_id="a")


def test_a_verdict_that_a_kill_cut_off_is_given_on_resume() -> None:
    memory = Memory(kept=[Exchange(Purpose.PROPOSE, "scripted:x", FIRST, BAD)])
    assert turn(Scripted([GOOD]), memory) == "good"
    assert [e.verdict for e in memory.kept] == [BAD_VERDICT, ""]


def test_a_repair_that_failed_before_is_another_conversation() -> None:
    memory = Memory()
    assert isinstance(turn(Scripted([BAD] * 3), memory, purpose=Purpose.REPAIR), Lost)
    client = Scripted([GOOD])
    assert turn(client, memory) == "good"
    assert client.asked == [FIRST]
    assert [e.purpose for e in memory.kept] == [Purpose.REPAIR, Purpose.RE_ASK, Purpose.RE_ASK, Purpose.PROPOSE]


def about(focus: str) -> tuple[Message, ...]:
    return (Message(Role.USER, focus),)


def turn_about(focus: str, client: Scripted, memory: Memory) -> str | Lost:
    return Turn(client, memory, (), Costs()).converse(Purpose.PROPOSE, about(focus), judge)


def test_of_several_conversations_about_one_attempt_none_is_paid_for_twice_after_a_kill() -> None:
    memory = Memory()
    client = Scripted([BAD] * 3 + [GOOD], takes_tools=False)
    lost = turn_about("B", client, memory)
    assert turn_about("C", client, memory) == "good"
    whole, told = list(memory.kept), list(memory.said)
    after = Scripted([], takes_tools=False)
    assert turn_about("B", after, memory) == lost
    assert turn_about("C", after, memory) == "good"
    assert (memory.kept, memory.said, after.asked) == (whole, told, [])


def test_what_an_earlier_conversation_still_lacks_is_asked_and_judged_after_the_others() -> None:
    memory = Memory(
        kept=[
            Exchange(Purpose.PROPOSE, "scripted:x", about("B"), BAD, verdict=BAD_VERDICT),
            Exchange(Purpose.PROPOSE, "scripted:x", about("C"), GOOD),
        ]
    )
    client = Scripted([BAD, GOOD], takes_tools=False)
    assert turn_about("B", client, memory) == "good"
    assert [len(asked) for asked in client.asked] == [3, 5]
    assert [e.verdict for e in memory.kept] == [BAD_VERDICT, "", BAD_VERDICT, ""]


def test_a_long_reply_makes_no_longer_requests_and_arguments_are_reckoned() -> None:
    reckoned: list[int] = []

    class Reckoning(Memory):
        def admit(self, model: str, estimate: Estimate, tries: Tries = NO_TRIES) -> str | None:
            reckoned.append(estimate.tokens)
            return None

    asks = Reply("", (ToolCall("a", "look", {"source": "x" * 15_000}),), Stop.TOOL_CALLS)
    client = Scripted([asks, replace(BAD, text="I think. " * 100_000), replace(BAD, text="so " * 300_000), GOOD])
    assert turn(client, Reckoning()) == "good"
    sizes = [sum(len(message.text) for message in asked) for asked in client.asked]
    assert sizes[-1] < 45_000
    assert reckoned[1] - reckoned[0] >= 15_000 / CHARACTERS_PER_TOKEN


def test_a_record_without_further_replies_ends_the_session_and_is_no_exchange() -> None:
    memory = Memory()
    lost = turn(Scripted([ModelFault(FaultKind.USED_UP, "all used", 1, 0.0)]), memory)
    assert lost == Lost("all used", refused=True)
    assert (memory.ended, memory.kept) == ("all used", [])


def test_an_exchange_says_what_its_requests_were_reckoned_at() -> None:
    memory = Memory()
    turn(Scripted([GOOD]), memory)
    (exchange,) = memory.kept
    assert exchange.estimate is not None
    assert exchange.estimate.tokens > 8192


def test_every_retry_is_a_request_that_the_notebook_must_admit() -> None:
    heard: list[tuple[str | None, ...]] = []

    class Retrying(Scripted):
        def ask(
            self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), forbids: Forbids | None = None
        ) -> Reply | ModelFault:
            assert forbids is not None
            heard.append((forbids(Tries(1)), forbids(Tries(2))))
            return super().ask(messages, tools)

    assert turn(Retrying([GOOD]), Memory(allowed=2)) == "good"
    assert heard == [(None, "budget: none left")]


def test_text_that_cannot_be_written_down_is_mended_before_it_is_used() -> None:
    client = Scripted([replace(BAD, text="b\ud800d"), GOOD])
    memory = Memory()
    assert turn(client, memory) == "good"
    assert client.asked[1][2].text == "b?d"


def numbered(count: int) -> Reply:
    return calls(*(f"{n}-{'x' * 100_000 if n % 20 == 0 else ''}" for n in range(count)))


def goes_out_paired(asked: Sequence[Message]) -> None:
    """Every call that is shown has its one answer, in order, and none has an id of any length."""
    shown = [call.id for message in asked for call in message.calls]
    assert shown == [message.call_id for message in asked if message.role is Role.TOOL]
    assert len(set(shown)) == len(shown) == MOST_CALLS
    assert max(map(len, shown)) <= LONGEST_ID
    assert characters(asked) < 30_000


def characters(asked: Sequence[Message]) -> int:
    return sum(len(m.text) + sum(len(call.id) for call in m.calls) + len(m.call_id or "") for m in asked)


def test_of_a_reply_with_any_number_of_calls_the_first_are_answered() -> None:
    client, bell = Scripted([numbered(12_000), GOOD]), Bell()
    assert turn(client, Memory(), bell) == "good"
    assert bell.rung == TOOL_CALLS
    goes_out_paired(client.asked[1])


def test_a_record_with_more_calls_is_resumed_before_and_after_its_answers() -> None:
    asks = numbered(100)
    first = Exchange(Purpose.PROPOSE, "scripted:x", FIRST, asks)
    client = Scripted([GOOD])
    assert turn(client, Memory(kept=[first])) == "good"
    goes_out_paired(client.asked[0])
    answers = tuple(Message(Role.TOOL, NONE_LEFT, call_id=call.id) for call in asks.calls)
    after = Memory(kept=[first, Exchange(Purpose.TOOL, "scripted:x", answers, BAD)])
    client = Scripted([GOOD])
    assert turn(client, after) == "good"
    goes_out_paired(client.asked[0])
