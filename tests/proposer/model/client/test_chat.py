"""The real class of OpenAI's protocol against a real server."""

import json
import threading
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model_server import Answer, Call, ModelServer, Request
from proposer.model.client.asking import KEY, LOOK_UP, OPTIONS, QUESTION, ask, client_of, fault_of, reply_to
from warpwright.proposer.conversation import FaultKind, Message, ModelFault, Reply, Role, Stop, ToolCall, Usage
from warpwright.proposer.exchange_files import LONGEST_ID, MOST_CALLS
from warpwright.proposer.model.client.options import ModelOptions

WHOLE = replace(OPTIONS, stream=False)
both = pytest.mark.parametrize("options", [OPTIONS, WHOLE], ids=["streamed", "whole"])


@both
def test_a_reply_with_its_usage(options: ModelOptions) -> None:
    text = "```cuda\n" + "x" * 2000 + "\n```"
    reply = reply_to(Answer(text, tokens=(100, 50, 30)), options=options)
    assert (reply.text, reply.stop, reply.usage, reply.calls) == (text, Stop.END, Usage(100, 50, 30), ())
    assert reply.seconds > 0


@both
def test_usage_that_the_server_does_not_tell_is_unknown(options: ModelOptions) -> None:
    assert reply_to(Answer("x", tokens=None), options=options).usage == Usage()
    assert reply_to(Answer("x", tokens=(0, 0, 0)), options=options).usage == Usage()


@both
@pytest.mark.parametrize(
    ("answer", "text", "stop"),
    [
        (Answer(""), "", Stop.END),
        (Answer(None), "", Stop.END),
        (Answer("half a ker", stop="length"), "half a ker", Stop.LENGTH),
        (Answer("no", stop="content_filter"), "no", Stop.REFUSED),
        (Answer("x", stop="a word of its own"), "x", Stop.UNKNOWN),
    ],
)
def test_replies_that_are_empty_cut_or_refused(options: ModelOptions, answer: Answer, text: str, stop: Stop) -> None:
    reply = reply_to(answer, options=options)
    assert (reply.text, reply.stop) == (text, stop)


def test_a_refusal_in_its_own_field_is_read() -> None:
    reply = reply_to(Answer(None, refusal="I cannot"), options=WHOLE)
    assert (reply.text, reply.stop) == ("I cannot", Stop.REFUSED)


@both
def test_tool_calls_keep_what_is_no_json_as_text(options: ModelOptions) -> None:
    calls = (Call("look_up", '{"at": ', "c1"), Call("look_up", {"at": 3}, "c2"))
    reply = reply_to(Answer(None, calls), options=options, tools=(LOOK_UP,))
    assert reply.stop is Stop.TOOL_CALLS
    assert {call.id: call.arguments for call in reply.calls} == {"c1": '{"at": ', "c2": {"at": 3}}


@both
def test_of_many_calls_the_first_are_kept_and_the_others_counted(options: ModelOptions) -> None:
    calls = (Call("look_up", {"at": 0}, "x" * 10_000), *(Call("look_up", {"at": n}, f"c{n}") for n in range(1, 100)))
    reply = reply_to(Answer(None, calls), options=replace(options, timeout_s=10), tools=(LOOK_UP,))
    assert [call.arguments for call in reply.calls] == [{"at": n} for n in range(MOST_CALLS)]
    assert reply.calls_left_out == 100 - MOST_CALLS
    assert len(reply.calls[0].id) <= LONGEST_ID


def test_arguments_that_are_no_object_stay_a_text_or_are_a_fault() -> None:
    answer = Answer(None, (Call("look_up", "[1]"),))
    assert reply_to(answer, tools=(LOOK_UP,)).calls[0].arguments == "[1]"
    assert fault_of(answer, options=WHOLE).kind is FaultKind.REPLY


def test_a_conversation_with_tools_goes_out_in_the_protocol() -> None:
    messages = (
        Message(Role.SYSTEM, "be brief"),
        *QUESTION,
        Message(Role.MODEL, "", (ToolCall("c1", "look_up", {"at": 1}), ToolCall("c2", "look_up", '{"at": '))),
        Message(Role.TOOL, "one", call_id="c1"),
        Message(Role.TOOL, "no JSON", call_id="c2"),
    )
    with ModelServer([Answer("ok")]) as server:
        client, _ = client_of(server)
        client.ask(messages, (LOOK_UP,))
    sent = server.requests[0].body
    assert [message["role"] for message in sent["messages"]] == ["system", "user", "assistant", "tool", "tool"]
    assert [call["function"]["arguments"] for call in sent["messages"][2]["tool_calls"]] == ['{"at": 1}', "{}"]
    assert sent["tools"][0]["function"]["parameters"] == dict(LOOK_UP.parameters)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@both
@pytest.mark.parametrize(
    ("answer", "kind", "words", "tries"),
    [
        (Answer(status=500, error="boom"), FaultKind.SERVER, "HTTP 500: boom", 2),
        (Answer(status=503, raw="<html>down</html>", content_type="text/html"), FaultKind.SERVER, "HTTP 503", 2),
        (Answer(status=429, error="slow down"), FaultKind.RATE_LIMIT, "slow down", 2),
        (
            Answer(status=429, error="You exceeded your quota", error_code="insufficient_quota"),
            FaultKind.RATE_LIMIT,
            "limit",
            2,
        ),
        (Answer(status=429, error="insufficient_quota: check billing"), FaultKind.RATE_LIMIT, "no credit left", 1),
        (Answer(status=401, error=f"Incorrect API key: {KEY}"), FaultKind.AUTHENTICATION, "Check the key", 1),
        (Answer(status=403, error="not allowed"), FaultKind.AUTHENTICATION, "not allowed", 1),
        (Answer(status=404, error="no model m"), FaultKind.REQUEST, "Check the model's name", 1),
        (Answer(status=400, error="bad temperature"), FaultKind.REQUEST, "bad temperature", 1),
        (
            Answer(
                status=400,
                error="This model's maximum context length is 10 tokens",
                error_code="context_length_exceeded",
            ),
            FaultKind.REQUEST,
            "larger context",
            1,
        ),
        (Answer(hang_up=True), FaultKind.CONNECTION, "Check the address", 2),
        (Answer("late", delay_s=3), FaultKind.TIMEOUT, "Allow more time", 2),
    ],
)
def test_faults_have_a_kind_and_say_what_to_do(
    options: ModelOptions, answer: Answer, kind: FaultKind, words: str, tries: int
) -> None:
    fault = fault_of(answer, options=options)
    assert (fault.kind, fault.tries) == (kind, tries)
    assert words in fault.message
    assert fault.message.startswith("openai:m: ")


@both
@pytest.mark.parametrize(
    ("raw", "content_type", "kind", "words"),
    [
        ("<html>log in</html>", "text/html", FaultKind.REPLY, "a page of HTML"),
        ("<!DOCTYPE html>log in", "application/json", FaultKind.REPLY, "a page of HTML"),
        ('{"error": {"message": "overloaded"}}', "application/json", FaultKind.SERVER, "overloaded"),
        ('{"error": "overloaded"}', "application/json", FaultKind.REPLY, "overloaded"),
        ('{"choices": nul', "application/json", FaultKind.REPLY, "JSONDecodeError"),
        ("", "application/json", FaultKind.REPLY, "no reply of this protocol"),
        ("{}", "application/json", FaultKind.REPLY, "no reply of this protocol"),
        ("[]", "application/json", FaultKind.REPLY, "no reply of this protocol"),
        ('{"choices": []}', "application/json", FaultKind.REPLY, "no reply of this protocol"),
    ],
)
def test_answers_that_are_no_replies(
    options: ModelOptions, raw: str, content_type: str, kind: FaultKind, words: str
) -> None:
    fault = fault_of(Answer(raw=raw, content_type=content_type), options=options)
    assert fault.kind is kind
    assert words in fault.message


def test_a_fault_that_passes_costs_a_retry_after_the_pause_that_the_server_names() -> None:
    with ModelServer([Answer(status=429, headers={"retry-after": "7"}), Answer(status=500), Answer("ok")]) as server:
        client, pauses = client_of(server, options=replace(OPTIONS, retries=2))
        assert isinstance(client.ask(QUESTION), Reply)
    assert pauses == [7.0, 2.0]


def test_a_pause_longer_than_a_minute_is_not_made() -> None:
    with ModelServer([Answer(status=429, headers={"retry-after": "3600"})]) as server:
        client, pauses = client_of(server)
        outcome = client.ask(QUESTION)
    assert isinstance(outcome, ModelFault)
    assert (outcome.tries, pauses) == (1, [])


def test_a_stream_that_stalls_is_a_timeout() -> None:
    assert fault_of(Answer("abc" * 500, stall_after=2, stall_s=3)).kind is FaultKind.TIMEOUT


def test_a_stream_that_never_ends_is_a_timeout() -> None:
    fault = fault_of(Answer("x" * 400_000, piece_pause_s=0.01), options=replace(OPTIONS, total_s=0.0, retries=0))
    assert fault.kind is FaultKind.TIMEOUT
    assert "had not ended" in fault.message


def test_a_stream_that_breaks_off_is_no_reply() -> None:
    cut = Answer("abc" * 500, stall_after=2)
    with ModelServer([cut, Answer("all of it")]) as server:
        client, _ = client_of(server)
        outcome = client.ask(QUESTION)
    assert isinstance(outcome, Reply)
    assert outcome.text == "all of it"


def test_a_server_that_never_says_that_a_stream_ended_is_asked_for_whole_replies() -> None:
    with ModelServer([Answer("text", stop=None)]) as server:
        client, _ = client_of(server)
        first, second = client.ask(QUESTION), client.ask(QUESTION)
    assert isinstance(first, Reply)
    assert isinstance(second, Reply)
    assert (first.text, first.stop, second.text) == ("text", Stop.UNKNOWN, "text")
    assert [bool(request.body.get("stream")) for request in server.requests] == [True, True, False, False]


def test_an_error_within_a_stream_is_the_servers() -> None:
    fault = fault_of(Answer("abc", breaks_with="the engine died"))
    assert fault.kind is FaultKind.SERVER
    assert "the engine died" in fault.message


def test_a_server_that_does_not_stream_is_understood() -> None:
    with ModelServer([Answer("plain", ignores_stream=True)]) as server:
        client, _ = client_of(server)
        outcomes = [client.ask(QUESTION), client.ask(QUESTION)]
    assert [outcome.text for outcome in outcomes if isinstance(outcome, Reply)] == ["plain", "plain"]
    assert [bool(request.body.get("stream")) for request in server.requests] == [True, False, False]


def test_a_passing_page_of_html_does_not_end_streaming() -> None:
    page = Answer(raw="<html>", content_type="text/html")
    with ModelServer([page, page, Answer("ok"), Answer("ok")]) as server:
        client, _ = client_of(server, options=replace(OPTIONS, retries=0))
        assert isinstance(client.ask(QUESTION), ModelFault)
        assert isinstance(client.ask(QUESTION), Reply)
    assert server.requests[-1].body.get("stream") is True


def test_a_model_without_tools_is_found_out_and_asked_without() -> None:
    def only_without(request: Request) -> Answer:
        refusal = Answer(status=400, error="m does not support tools")
        return refusal if "tools" in request.body else Answer("ok")

    with ModelServer(only_without) as server:
        client, _ = client_of(server)
        assert client.takes_tools
        assert isinstance(client.ask(QUESTION, (LOOK_UP,)), Reply)
        assert not client.takes_tools
        assert isinstance(client.ask(QUESTION, (LOOK_UP,)), Reply)
    assert len(server.requests) == 3


def test_a_server_that_is_not_there() -> None:
    with ModelServer([Answer()]) as server:
        client, _ = client_of(server)
    outcome = client.ask(QUESTION)
    assert isinstance(outcome, ModelFault)
    assert outcome.kind is FaultKind.CONNECTION


@both
def test_a_server_that_repeats_the_key_does_not_bring_it_into_a_reply(options: ModelOptions) -> None:
    reply = reply_to(Answer(f"your key is {KEY}"), options=options)
    assert KEY not in reply.text


def test_several_threads_share_a_client() -> None:
    with ModelServer(lambda request: Answer(request.prompt)) as server:
        client, _ = client_of(server, options=replace(OPTIONS, timeout_s=20))
        heard: dict[int, Reply | ModelFault] = {}

        def one(number: int) -> None:
            heard[number] = client.ask((Message(Role.USER, f"question {number}"),))

        threads = [threading.Thread(target=one, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert {n: outcome.text for n, outcome in heard.items() if isinstance(outcome, Reply)} == {
        n: f"question {n}" for n in range(6)
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["message", "content", "error"]), inner)
    ),
    max_leaves=6,
)
NAMES = st.sampled_from(["role", "content", "tool_calls", "refusal", "function", "name", "arguments", "id", "x"])
CHOICES = st.lists(
    st.fixed_dictionaries({}, optional={"message": st.dictionaries(NAMES, JSON), "finish_reason": JSON}), max_size=2
)
COUNTS = st.dictionaries(st.sampled_from(["prompt_tokens", "completion_tokens", "total_tokens"]), JSON)
BODIES = st.fixed_dictionaries(
    {}, optional={"choices": JSON | CHOICES, "usage": JSON | COUNTS, "error": JSON, "model": JSON, "object": JSON}
)


def test_no_body_of_an_answer_raises() -> None:
    body = {"raw": ""}
    with ModelServer(lambda request: Answer(raw=body["raw"])) as server:
        client, _ = client_of(server, options=replace(OPTIONS, stream=False, retries=0, timeout_s=20))

        @settings(max_examples=60)
        @given(BODIES | JSON)
        def no_body_raises(value: object) -> None:
            body["raw"] = json.dumps(value)
            outcome = client.ask(QUESTION)
            assert isinstance(outcome, Reply | ModelFault)
            if isinstance(outcome, Reply):
                assert isinstance(outcome.text, str)
                assert all(isinstance(call.name, str) for call in outcome.calls)

        no_body_raises()


def test_requests_are_counted() -> None:
    _, server = ask(Answer(status=500))
    assert len(server.requests) == 2
