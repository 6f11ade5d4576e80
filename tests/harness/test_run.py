"""The `run` operation: placement, poison, guards, inputs, and what comes back."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from harness.requests import NORMAL, Axpb, array, expected, image, key, launch, scalar
from harness.wire import Wire
from warpwright.workload.generator import generate
from warpwright.workload.recipe import Recipe

Opened = Callable[..., Wire]
Log = Callable[..., list[dict[str, Any]]]


def test_outputs_are_those_of_generated_inputs(opened: Opened) -> None:
    wire = opened("axpb")
    reply = wire.ask("run", **Axpb(1000).run())
    assert reply["outputs"] == ["y"]
    np.testing.assert_array_equal(reply.arrays[0], expected(1000))
    assert reply["modified"] == []
    assert reply["guards"] == []
    assert reply["pages"] is True
    assert reply["seconds"] > 0
    assert reply["device_us"] > 0


def test_inputs_from_a_pool(opened: Opened) -> None:
    wire = opened("axpb")
    x = [np.arange(8, dtype=np.float32), np.full(8, 3, np.float32)]
    request = Axpb(8, x={"recipe": None, "pool": [0, 1]})
    for index in (1, 0):
        reply = wire.ask("run", *x, **request.run(values={"x": index, "b": key(3)}))
        b = generate(Recipe("uniform", "float32", 1.0, 2.0), 3, 8)
        np.testing.assert_array_equal(reply.arrays[0], np.float32(2.5) * x[index] + b)


@pytest.mark.parametrize("poison", [0xFF, 0x7B])
@pytest.mark.parametrize("zeroed", [False, True])
def test_outputs_are_poisoned_or_zeroed_before_the_launch(opened: Opened, log: Log, poison: int, zeroed: bool) -> None:
    wire = opened("axpb partial=0.5")
    reply = wire.ask("run", **Axpb(1000, y={"zeroed": zeroed}).run(poison=poison))
    fill = 0 if zeroed else poison
    assert bytes(reply.arrays[0].tobytes()[2000:]) == bytes([fill]) * 2000
    np.testing.assert_array_equal(reply.arrays[0][:500], expected(1000)[:500])
    (run,) = [event for event in log("launch") if event["kernel"] == "axpb"]
    assert run["outputs"][0]["before"] == fill


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(("behaviour", "side"), [("overrun", "after"), ("underrun", "before")])
def test_changed_guards_are_reported(opened: Opened, behaviour: str, side: str, plain: bool) -> None:
    wire = opened(f"axpb {behaviour}=3")
    reply = wire.ask("run", **Axpb(1000).run(plain_memory=plain))
    (guard,) = reply["guards"]
    # 1.0f is 00 00 80 3f: none of its bytes is the guard byte.
    assert guard == {"name": "y", "side": side, "bytes": 12, "offset_bytes": 0}
    np.testing.assert_array_equal(reply.arrays[0], expected(1000))
    assert reply["pages"] is True if not plain else "plain" in reply["pages"]


def test_guards_have_the_byte_that_was_asked_for(opened: Opened) -> None:
    wire = opened("axpb reads_beyond=1")
    for guard in (0x00, 0x3C):
        reply = wire.ask("run", **Axpb(1000).run(guard=guard))
        beyond = np.frombuffer(bytes([guard]) * 4, np.float32)[0]
        assert reply.arrays[0][0] == expected(1000)[0] + beyond


def test_modified_inputs_are_named(opened: Opened) -> None:
    wire = opened("axpb tamper=2")
    reply = wire.ask("run", **Axpb(1000).run())
    (modified,) = reply["modified"]
    assert modified["name"] == "x"
    assert modified["first_byte"] < 4
    assert 0 < modified["bytes"] <= 8


def test_payloads_begin_at_256_byte_boundaries_or_end_at_the_last_page(opened: Opened, log: Log) -> None:
    wire = opened("axpb")
    wire.ask("run", **Axpb(1001).run(placement="start"))
    wire.ask("run", **Axpb(1001).run(placement="end"))
    wire.ask("run", **Axpb(1001, y={"align_bytes": 16}).run(placement="end"))
    start, end, aligned = ([e["outputs"][0], *e["inputs"]] for e in log("launch") if e["kernel"] == "axpb")
    assert all(operand["address"] % 256 == 0 for operand in start)
    assert all((operand["address"] + 4004) % (2 << 20) == 0 for operand in end)
    address = aligned[0]["address"]
    assert address % 16 == 0
    assert address % 32 == 16  # not one bit more than promised
    assert 0 <= -(address + 4004) % (2 << 20) < 32


def test_an_access_next_to_an_array_that_ends_at_its_page_faults(opened: Opened) -> None:
    wire = opened("axpb reads_beyond=1")
    reply = wire.ask("run", **Axpb(1001).run(placement="end"))
    assert reply.fault["kind"] == "illegal_address"
    assert wire.exit_code() == 70


def test_a_plan_of_two_launches_shares_its_scratch_array(opened: Opened, log: Log) -> None:
    wire = opened("first_half", "second_half")
    plan = {"launches": [launch("first_half", "txn", 100), launch("second_half", "ytn", 100)]}
    arrays = [array("y", "out", 100), array("x", "in", 100, NORMAL), array("t", "scratch", 100)]
    request = Axpb(100).run(plan=plan, arrays=arrays, scalars=[scalar("n", 100)], values={"x": key(2)})
    reply = wire.ask("run", **request)
    x = generate(Recipe("normal", "float32", 0.0, 1.0), 2, 100)
    np.testing.assert_array_equal(reply.arrays[0], np.float32(2) * x + np.float32(1))
    first = next(event for event in log("launch") if event["kernel"] == "first_half")
    assert first["outputs"][0]["before"] == 0xFF


def test_inout_arrays_are_inputs_and_outputs(opened: Opened) -> None:
    wire = opened("saxpy")
    y = np.arange(50, dtype=np.float32)
    arrays = [array("y", "inout", 50, pool=[0]), array("x", "in", 50, NORMAL)]
    request = Axpb(50).run(
        plan={"launches": [launch("saxpy", "yxan", 50)]},
        arrays=arrays,
        scalars=[scalar("a", 2.5), scalar("n", 50)],
        values={"y": 0, "x": key(2)},
    )
    reply = wire.ask("run", y, **request)
    x = generate(Recipe("normal", "float32", 0.0, 1.0), 2, 50)
    np.testing.assert_array_equal(reply.arrays[0], np.float32(2.5) * x + y)
    assert reply["modified"] == []  # an inout may change


def test_only_the_arrays_that_were_asked_for_come_back(opened: Opened) -> None:
    wire = opened("axpb")
    reply = wire.ask("run", **Axpb(10).run(**{"return": ["x", "y"]}))
    assert reply["outputs"] == ["x", "y"]
    np.testing.assert_array_equal(reply.arrays[0], generate(Recipe("normal", "float32", 0.0, 1.0), 2, 10))
    assert wire.ask("run", **Axpb(10).run(**{"return": []})).arrays == ()


def test_arrays_without_elements_are_legal(opened: Opened) -> None:
    wire = opened("axpb")
    reply = wire.ask("run", **Axpb(0).run())
    assert reply.arrays[0].shape == (0,)
    assert reply["guards"] == []


def test_bfloat16_crosses_as_raw_bytes(opened: Opened) -> None:
    wire = opened("nothing")
    arrays = [array("h", "in", 4, dtype="<V2", align_bytes=2, pool=[0])]
    words = np.array([0x3F80, 0x4000, 0xBF80, 0x0000], np.uint16)
    request = Axpb(1).run(plan={"launches": [launch("nothing", (), 1)]}, arrays=arrays, scalars=[], values={"h": 0})
    reply = wire.ask("run", words.view("V2"), **request | {"return": ["h"]})
    assert reply.arrays[0].dtype == np.dtype("V2")
    np.testing.assert_array_equal(reply.arrays[0].view(np.uint16), words)


def test_shared_memory_is_filled_only_when_asked(opened: Opened, log: Log) -> None:
    wire = opened("axpb")
    wire.ask("run", **Axpb(10).run(fill_shared=True, poison=0x11))
    (fill,) = [event for event in log("launch") if event["kernel"] == "ww_fill_shared"]
    assert fill["arguments"][0] == "11111111"
    assert fill["shared_bytes"] > 200_000
    wire.ask("run", **Axpb(10).run(fill_shared=False))
    assert [event["kernel"] for event in log("launch")].count("ww_fill_shared") == 1


def test_plain_memory_launches_nothing_but_the_candidate_and_its_inputs(opened: Opened, log: Log) -> None:
    wire = opened("axpb tamper=1")
    reply = wire.ask("run", **Axpb(100).run(plain_memory=True, fill_shared=False))
    assert {event["kernel"] for event in log("launch")} == {"axpb", "ww_generate"}
    assert reply["modified"][0]["name"] == "x"
    assert log("create") == []


def test_without_virtual_memory_the_reply_says_so(opened: Opened) -> None:
    wire = opened("axpb overrun=1", virtual_memory=False)
    reply = wire.ask("run", **Axpb(1000).run(placement="end"))
    assert isinstance(reply["pages"], str)
    assert "virtual memory" in reply["pages"]
    assert reply["guards"][0]["side"] == "after"


def test_dynamic_shared_memory_above_48_kib_is_permitted(opened: Opened, log: Log) -> None:
    wire = opened("axpb")
    reply = wire.ask("run", **Axpb(10, launch={"shared_bytes": 100_000}).run())
    np.testing.assert_array_equal(reply.arrays[0], expected(10))


def test_a_module_that_was_unloaded_is_gone(opened: Opened) -> None:
    wire = opened("axpb")
    assert wire.ask("unload", name="candidate").body == {}
    assert "candidate" in wire.ask("run", **Axpb(10).run()).error["message"]
    wire.ask("load", image("axpb"), name="candidate", symbols=["axpb"], globals=[])
    assert len(wire.ask("run", **Axpb(10).run()).arrays) == 1


def test_memory_that_is_not_there_is_no_fault(opened: Opened) -> None:
    wire = opened("axpb", memory_bytes=64 << 20)
    reply = wire.ask("run", **Axpb(50_000_000).run())
    assert reply.error["kind"] == "memory"
    assert reply.error["needed_bytes"] > reply.error["free_bytes"]
    assert 0 < reply.error["free_bytes"] <= 64 << 20
    assert len(wire.ask("run", **Axpb(10).run()).arrays) == 1
