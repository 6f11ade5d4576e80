"""One recorded conversation, field by field: what both languages must agree on. `tests/golden/harness/README.md`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.requests import OWN_KERNELS, Axpb, image
from harness.wire import Array, Reply, Wire
from warpwright.candidate.resolved import ResolvedLaunch, ResolvedPlan
from warpwright.device.gpu.wire import replies
from warpwright.device.gpu.wire.run import run_message
from warpwright.device.gpu.wire.time import time_message
from warpwright.device.measuring import Contestant, MeasureRequest, ScheduledBlock, ScheduledLaunch, TimedArray
from warpwright.device.protocol import ArrayArgument, Program, RunRequest, ScalarArgument
from warpwright.workload.model import Role
from warpwright.workload.recipe import Generated, Recipe

GOLDEN = Path(__file__).parents[1] / "golden" / "harness" / "conversation.json"
VOLATILE = {"harness", "build", "seconds", "free_memory_bytes", "free_bytes", "needed_bytes", "sm_mhz", "message"}
"""Numbers of the machine and prose: their type is compared, not their value."""

Exchange = dict[str, Any]


def exchanges() -> list[Exchange]:
    golden: list[Exchange] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return golden


def named(name: str) -> Exchange:
    (found,) = [exchange for exchange in exchanges() if exchange["name"] == name]
    return found


def encoded(array: Array) -> dict[str, Any]:
    return {"dtype": array.dtype.str, "shape": list(array.shape), "hex": array.tobytes().hex()}


def decoded(array: dict[str, Any]) -> Array:
    flat = np.frombuffer(bytes.fromhex(array["hex"]), array["dtype"])
    return flat.reshape(array["shape"])


def masked(value: Any, field: str = "") -> Any:
    if isinstance(value, dict):
        return {key: masked(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [masked(each, field) for each in value]
    return type(value).__name__ if field in VOLATILE else value


def asked(wire: Wire, exchange: Exchange) -> Exchange:
    """The exchange as the harness carries it out now."""
    fields = {key: value for key, value in exchange["request"].items() if key not in ("id", "op", "npy_bytes")}
    reply: Reply = wire.ask(exchange["request"]["op"], *map(decoded, exchange["attachments"]), **fields)
    return exchange | {"reply": masked(reply.body), "reply_attachments": [encoded(array) for array in reply.arrays]}


def test_the_harness_answers_as_recorded(serve: Callable[..., Wire]) -> None:
    wire = serve(noise=0)
    for exchange in exchanges():
        assert asked(wire, exchange) == exchange
    assert wire.finish() == 0


PROGRAM = Program("", b"", "sm_90", {"axpb": "axpb"}, {}, "kernel.cu")
PLAN = ResolvedPlan((ResolvedLaunch("axpb", (1, 1, 1), (128, 1, 1), 0, ("y", "x", "b", "a", "n")),), ())
SCALARS = (
    ScalarArgument("a", "float32", bytes.fromhex("00002040")),
    ScalarArgument("n", "int32", bytes.fromhex("08000000")),
)
UNIFORM = Recipe("uniform", "float32", 1.0, 2.0)
NORMAL = Recipe("normal", "float32", 0.0, 1.0)


def test_the_product_writes_a_run_as_recorded() -> None:
    golden = named("run")
    x = decoded(golden["attachments"][0])
    arguments = (
        ArrayArgument("y", Role.OUT, "float32", (8,), 4, None),
        ArrayArgument("x", Role.IN, "float32", (8,), 4, x),
        ArrayArgument("b", Role.IN, "float32", (8,), 4, None, generated=Generated(UNIFORM, 3)),
        *SCALARS,
    )
    request = RunRequest(PROGRAM, PLAN, arguments, time_limit_s=10.0, least_alignment=False)
    fields, attachments = run_message(request, "candidate")
    assert {**fields, "op": "run"} == golden["request"]
    np.testing.assert_array_equal(attachments[0], x)


def test_the_product_writes_a_schedule_as_recorded() -> None:
    arrays = (
        TimedArray("y", Role.OUT, "float32", (8,), 4),
        TimedArray("x", Role.IN, "float32", (8,), 4, recipe=NORMAL),
        TimedArray("b", Role.IN, "float32", (8,), 4, recipe=UNIFORM),
    )
    blocks = tuple(
        ScheduledBlock(0, tuple(ScheduledLaunch({"x": 2 * i, "b": 2 * i + 1}, keep=i == 2) for i in numbers))
        for numbers in ((1, 2), (3, 4))
    )
    request = MeasureRequest((Contestant(PROGRAM, PLAN),), arrays, SCALARS, blocks, sets=2)
    fields, attachments = time_message(request, 2)
    golden = named("time")["request"]
    golden["contestants"][0]["module"] = fields["contestants"][0]["module"]  # the product's own name for it
    assert {**fields, "op": "time"} == golden
    assert attachments == []


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("hello", replies.Hello),
        ("open", replies.Opened),
        ("load", replies.Loaded),
        ("run", replies.RunReply),
        ("time", replies.TimeReply),
    ],
)
def test_the_product_reads_every_field_of_a_reply(name: str, model: type[replies.Message]) -> None:
    """Masked values are replaced by values of their type."""
    samples = {"int": 1, "float": 1.5, "str": "text", "NoneType": None}

    def restored(value: Any, field: str = "") -> Any:
        if isinstance(value, dict):
            return {key: restored(each, key) for key, each in value.items()}
        if isinstance(value, list):
            return [restored(each, field) for each in value]
        return samples[value] if field in VOLATILE else value

    body = restored(named(name)["reply"])
    parsed = replies.parse(model, body, name)
    assert set(body) == set(type(parsed).model_fields)


def record(wire: Wire) -> None:
    """Writes the file anew; for a change of the protocol that is meant: `pytest tests/harness/record_golden.py`."""
    request = Axpb(8)
    pooled = Axpb(8, x={"recipe": None, "pool": [0]})
    x = np.arange(8, dtype=np.float32)
    own, candidate = image(*OWN_KERNELS), image("axpb")
    steps: list[tuple[str, str, list[Array], dict[str, Any]]] = [
        ("hello", "hello", [], {"schema": 1, "device": 0, "nonce": "abc"}),
        ("open", "open", [], {}),
        ("load own kernels", "load", [own], {"name": "warpwright", "symbols": list(OWN_KERNELS), "globals": []}),
        ("load", "load", [candidate], {"name": "candidate", "symbols": ["axpb"], "globals": []}),
        ("run", "run", [x], pooled.run(values={"x": 0, "b": Axpb.values(1)["b"]})),
        ("run with a launch that the GPU refuses", "run", [], Axpb(8, launch={"block": [2048, 1, 1]}).run()),
        ("run that is no request", "run", [], request.run(placement="middle")),
        ("time", "time", [], request.time(request.block(2, 1, [1]), request.block(2, 3), sets=2)),
        ("time that does not fit", "time", [], Axpb(1 << 29).time(Axpb(1 << 29).block())),
        ("heartbeat", "heartbeat", [], {}),
        ("unload", "unload", [], {"name": "candidate"}),
        ("bye", "bye", [], {}),
    ]
    written = []
    for name, op, attachments, fields in steps:
        exchange = {
            "name": name,
            "request": {"op": op, **fields},
            "attachments": [encoded(array) for array in attachments],
        }
        written.append(asked(wire, exchange))
    lines = ",\n".join(json.dumps(exchange) for exchange in written)
    GOLDEN.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
