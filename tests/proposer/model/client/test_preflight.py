from model_server import Answer, ModelServer, Request
from proposer.model.client.asking import client_of
from warpwright.proposer.conversation import FaultKind
from warpwright.proposer.model.client.preflight import preflight


def test_any_reply_will_do() -> None:
    for answer in (Answer("ready"), Answer(None), Answer("rea", stop="length")):
        with ModelServer([answer]) as server:
            assert preflight(client_of(server)[0]) is None
        assert len(server.requests) == 1


def test_it_finds_out_whether_the_model_takes_tools() -> None:
    def without(request: Request) -> Answer:
        return Answer(status=400, error="tools are not supported") if "tools" in request.body else Answer("ready")

    with ModelServer(without) as server:
        client, _ = client_of(server)
        assert preflight(client) is None
    assert not client.takes_tools


def test_a_model_that_cannot_be_used_is_a_fault() -> None:
    with ModelServer([Answer(status=401, error="bad key")]) as server:
        fault = preflight(client_of(server)[0])
    assert fault is not None
    assert fault.kind is FaultKind.AUTHENTICATION
