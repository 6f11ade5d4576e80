"""The `time` operation: what the driver was told to do, in which order, on which values."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from harness.requests import NORMAL, Axpb, array, expected, image, key, launch, scalar
from harness.wire import Wire
from warpwright.workload.generator import generate
from warpwright.workload.recipe import Recipe

Event = dict[str, Any]
Opened = Callable[..., Wire]
Log = Callable[..., list[Event]]


def launches_of(events: list[Event], kernel: str) -> list[Event]:
    return [event for event in events if event["op"] == "launch" and event["kernel"] == kernel]


def test_every_launch_has_values_and_addresses_of_its_own(opened: Opened, log: Log) -> None:
    wire = opened("axpb")
    request = Axpb(1000)
    blocks = [request.block(first=1 + 10 * i) for i in range(3)]
    reply = wire.ask("time", **request.time(*blocks))
    assert [len(block["samples_us"]) for block in reply["blocks"]] == [10, 10, 10]
    runs = launches_of(log(), "axpb")
    assert len(runs) == 30
    for operand in range(2):
        assert len({run["inputs"][operand]["hash"] for run in runs}) == 30
    for block in range(3):
        rows = runs[10 * block : 10 * block + 10]
        assert len({row["inputs"][0]["address"] for row in rows}) == 10
        assert len({row["outputs"][0]["address"] for row in rows}) == 10
    assert [row["inputs"][0]["address"] for row in runs[:10]] == [row["inputs"][0]["address"] for row in runs[10:20]]


def test_addresses_of_sets_differ_by_odd_multiples_of_256_bytes(opened: Opened, log: Log) -> None:
    wire = opened("axpb")
    request = Axpb(1000)
    wire.ask("time", **request.time(request.block()))
    # Allocations of the stand-in begin at pages of 4 KiB.
    shifts = [run["outputs"][0]["address"] % 4096 / 256 for run in launches_of(log(), "axpb")]
    assert [(after - before) % 2 for before, after in itertools.pairwise(shifts)] == [1] * 9


def test_the_first_block_runs_the_path_of_all_others(opened: Opened, log: Log) -> None:
    wire = opened("axpb")
    request = Axpb(1000)
    wire.ask("time", **request.time(request.block(), request.block(first=11), request.block(first=21)))
    events = log()
    runs = launches_of(events, "axpb")
    around = []
    for run in runs:
        position = events.index(run)
        around.append((events[position - 1]["op"], events[position + 1]["op"]))
    assert set(around) == {("event", "event")}


def test_samples_are_the_times_between_the_two_events(opened: Opened) -> None:
    wire = opened("axpb duration_us=37 noise=0", overhead_us=0)
    request = Axpb(1000)
    reply = wire.ask("time", **request.time(request.block()))
    assert reply["blocks"][0]["samples_us"] == pytest.approx([37.0] * 10, rel=1e-5)


def test_outputs_of_kept_launches_come_back(opened: Opened) -> None:
    wire = opened("axpb")
    request = Axpb(1000)
    reply = wire.ask("time", **request.time(request.block(keep=[2, 9]), request.block(first=11, keep=[0])))
    assert reply["kept"] == [
        {"block": 0, "launch": 2, "name": "y"},
        {"block": 0, "launch": 9, "name": "y"},
        {"block": 1, "launch": 0, "name": "y"},
    ]
    for y, number in zip(reply.arrays, (3, 10, 11), strict=True):
        np.testing.assert_array_equal(y, expected(1000, number))


@pytest.mark.parametrize("sets", [1, 2, 3])
def test_with_fewer_sets_than_launches_inputs_are_filled_in_stream(opened: Opened, log: Log, sets: int) -> None:
    wire = opened("axpb")
    request = Axpb(1000)
    reply = wire.ask("time", **request.time(request.block(keep=range(10)), sets=sets))
    assert reply["sets"] == sets
    assert len(reply["kept"]) == 10
    for number, y in enumerate(reply.arrays, start=1):
        np.testing.assert_array_equal(y, expected(1000, number))
    events = log()
    runs = launches_of(events, "axpb")
    assert len({run["inputs"][0]["address"] for run in runs}) == sets
    assert all(run["outputs"][0]["before"] == 0xFF for run in runs)
    # Filled, flushed, and only then the start event.
    for run in runs:
        before = [e.get("kernel", e["op"]) for e in events[: events.index(run)]]
        fill, flush = (len(before) - before[::-1].index(name) for name in ("ww_generate", "ww_flush_write"))
        assert fill < flush


def test_outputs_are_poisoned_before_every_block(opened: Opened, log: Log) -> None:
    wire = opened("axpb")
    request = Axpb(1000)
    wire.ask("time", **request.time(request.block(), request.block(first=11)))
    assert [run["outputs"][0]["before"] for run in launches_of(log(), "axpb")] == [0xFF] * 20


def test_zeroing_is_part_of_the_timed_unit(opened: Opened, log: Log) -> None:
    wire = opened("axpb")
    request = Axpb(1000, y={"zeroed": True})
    wire.ask("time", **request.time(request.block()))
    events = log()
    runs = launches_of(events, "axpb")
    assert [run["outputs"][0]["before"] for run in runs] == [0] * 10
    for run in runs:
        position = events.index(run)
        assert [event["op"] for event in events[position - 2 : position]] == ["event", "fill"]


def test_inout_arrays_are_filled_before_every_launch(opened: Opened) -> None:
    wire = opened("saxpy")
    arrays = [array("y", "inout", 50, NORMAL), array("x", "in", 50, NORMAL)]
    plan = {"launches": [launch("saxpy", "yxan", 50)]}
    blocks = [
        {
            "contestant": 0,
            "launches": [
                {"values": {"y": key(100 + i), "x": key(200 + i)}, "keep": True} for i in range(4 * b, 4 * b + 4)
            ],
        }
        for b in range(2)
    ]
    request = Axpb().time(
        *blocks,
        contestants=[{"module": "candidate", "plan": plan}],
        arrays=arrays,
        scalars=[scalar("a", 2.5), scalar("n", 50)],
        sets=4,
    )
    reply = wire.ask("time", **request)
    recipe = Recipe("normal", "float32", 0.0, 1.0)
    assert len(reply.arrays) == 8
    for i, y in enumerate(reply.arrays):
        x, before = generate(recipe, 200 + i, 50), generate(recipe, 100 + i, 50)
        np.testing.assert_array_equal(y, np.float32(2.5) * x + before)


def test_inputs_of_a_pool_take_turns(opened: Opened) -> None:
    wire = opened("axpb")
    pool = [np.full(100, value, np.float32) for value in (1, 2, 3)]
    request = Axpb(100, x={"recipe": None, "pool": [0, 1, 2]})
    launches = [{"values": {"x": i % 3, "b": key(i)}, "keep": True} for i in range(6)]
    reply = wire.ask("time", *pool, **request.time({"contestant": 0, "launches": launches}))
    for i, y in enumerate(reply.arrays):
        b = generate(Recipe("uniform", "float32", 1.0, 2.0), i, 100)
        np.testing.assert_array_equal(y, np.float32(2.5) * pool[i % 3] + b)


def test_a_flush_precedes_every_start_event(opened: Opened, log: Log) -> None:
    wire = opened("axpb", l2_bytes=50 << 20)
    request = Axpb(1000)
    reply = wire.ask("time", **request.time(request.block(), flushes=2))
    assert reply["flush_bytes"] == 100 << 20
    events = [event for event in log() if event["op"] in ("launch", "event")]
    for run in launches_of(events, "axpb"):
        position = events.index(run)
        names = [event.get("kernel", event["op"]) for event in events[position - 5 : position]]
        assert names == ["ww_flush_write", "ww_read", "ww_flush_write", "ww_read", "event"]


def test_a_warm_cache_is_made_by_reading_the_inputs(opened: Opened, log: Log) -> None:
    wire = opened("axpb")
    request = Axpb(1000)
    reply = wire.ask("time", **request.time(request.block(), cold=False))
    assert reply["flush_bytes"] == 0
    events = [event for event in log() if event["op"] in ("launch", "event")]
    for run in launches_of(events, "axpb")[1:]:
        position = events.index(run)
        assert [event.get("kernel", event["op"]) for event in events[position - 3 : position]] == [
            "ww_read",
            "ww_read",
            "event",
        ]


def test_persisting_lines_are_reset_before_every_block(opened: Opened, log: Log) -> None:
    wire = opened("axpb")
    request = Axpb(100)
    wire.ask("time", **request.time(request.block(), request.block(first=11)))
    names = [event.get("kernel", event["op"]) for event in log()]
    runs = [position for position, name in enumerate(names) if name == "axpb"]
    assert "reset_persisting" in names[: runs[0]]
    assert "reset_persisting" in names[runs[9] : runs[10]]
    assert {"op": "limit", "limit": 6, "value": 0} in log("limit")


def test_the_blocker_holds_the_stream_until_all_is_queued(opened: Opened, log: Log) -> None:
    wire = opened("axpb")
    request = Axpb(1000)
    reply = wire.ask("time", **request.time(request.block(), request.block(first=11)))
    assert [block["blocker"] for block in reply["blocks"]] == ["on", "on"]
    held = [event for event in log("unblocked") if event["waiting"] > 0]
    assert held[-1]["waiting"] > 10 * 3
    assert all(event["waiting"] <= 101 and not event["timed_out"] for event in held)


def test_long_blocks_are_queued_in_parts(opened: Opened, log: Log) -> None:
    wire = opened("axpb")
    request = Axpb(10)
    reply = wire.ask("time", **request.time(request.block(launches=100), sets=2))
    assert len(reply["blocks"][0]["samples_us"]) == 100
    assert len(log("unblocked")) > 5
    assert max(event["waiting"] for event in log("unblocked")) <= 101


def test_the_blocker_is_off_when_the_request_says_so(opened: Opened, log: Log) -> None:
    wire = opened("axpb")
    request = Axpb(100)
    reply = wire.ask("time", **request.time(request.block(), blocker=False))
    assert reply["blocks"][0]["blocker"].startswith("off: ")
    assert len(log("unblocked")) == 1  # the blocker's own first launch, before any block


def test_the_blocker_is_off_for_long_units(opened: Opened) -> None:
    wire = opened("axpb duration_us=6000")
    request = Axpb(100)
    reply = wire.ask("time", **request.time(request.block(), request.block(first=11)))
    assert "5 ms" in reply["blocks"][1]["blocker"]


def test_the_gpu_is_kept_busy_first(opened: Opened, log: Log) -> None:
    wire = opened("axpb")
    request = Axpb(100)
    wire.ask("time", **request.time(request.block(), spin_ms=12.5))
    events = log()
    spins = launches_of(events, "ww_spin")
    assert int.from_bytes(bytes.fromhex(spins[0]["arguments"][0]), "little") == 12_500_000
    assert events.index(spins[0]) < events.index(launches_of(events, "axpb")[0])


def test_the_clock_is_read_at_both_borders(opened: Opened) -> None:
    wire = opened("axpb duration_us=100", clock_mhz=1980.0)
    request = Axpb(100)
    reply = wire.ask("time", **request.time(request.block(), request.block(first=11)))
    assert [block["sm_mhz"] for block in reply["blocks"]] == pytest.approx([1980.0] * 2, rel=1e-3)


def test_throttling_shows_in_clock_reasons_and_times(opened: Opened) -> None:
    throttle = {"from_launch": 10, "until_launch": 20, "clock_ratio": 0.5, "reasons": 0x40}
    wire = opened("axpb duration_us=100 noise=0", throttle=throttle, clock_mhz=2000.0, overhead_us=0)
    request = Axpb(100)
    reply = wire.ask("time", **request.time(*(request.block(first=1 + 10 * i) for i in range(3))))
    first, second, third = reply["blocks"]
    assert first["sm_mhz"] == pytest.approx(2000, rel=0.1)
    assert second["sm_mhz"] < 1400
    assert third["sm_mhz"] > second["sm_mhz"]
    assert second["samples_us"][5] == pytest.approx(200, rel=1e-3)
    assert third["samples_us"][5] == pytest.approx(100, rel=1e-3)
    assert "hw_thermal_slowdown" in second["throttle"]
    assert first["temperature_c"] == 45.0
    assert first["power_w"] == 350.0


def test_what_nvml_does_not_tell_is_unavailable(opened: Opened) -> None:
    wire = opened("axpb", nvml={"unsupported": ["nvmlDeviceGetPowerUsage"]})
    request = Axpb(100)
    reply = wire.ask("time", **request.time(request.block()))
    assert reply["blocks"][0]["power_w"] is None
    assert "Not Supported" in reply["unavailable"]["power_w"]
    assert reply["blocks"][0]["temperature_c"] == 45.0


def test_without_nvml_readings_are_null_and_have_a_reason(opened: Opened) -> None:
    wire = opened("axpb", nvml={"init": 9})
    request = Axpb(100)
    reply = wire.ask("time", **request.time(request.block()))
    (block,) = reply["blocks"]
    assert (block["throttle"], block["temperature_c"], block["power_w"]) == (None, None, None)
    assert {"throttle", "temperature_c", "power_w"} <= set(reply["unavailable"])


def test_a_schedule_that_takes_too_long_is_truncated(opened: Opened) -> None:
    wire = opened("axpb real_ms=20")
    request = Axpb(100)
    blocks = [request.block(launches=5, first=1 + 5 * i) for i in range(20)]
    reply = wire.ask("time", **request.time(*blocks, time_limit_s=0.5))
    assert reply["truncated"] is True
    assert 1 <= len(reply["blocks"]) < 8
    assert wire.ask("time", **request.time(request.block()))["truncated"] is False


def test_guards_are_compared_at_the_end(opened: Opened) -> None:
    wire = opened("axpb overrun=2")
    request = Axpb(1000)
    reply = wire.ask("time", **request.time(request.block()))
    assert {(guard["name"], guard["side"], guard["offset_bytes"]) for guard in reply["guards"]} == {("y", "after", 0)}


def test_two_contestants_share_arrays_and_sets(opened: Opened, log: Log) -> None:
    wire = opened("axpb duration_us=20 noise=0", overhead_us=0)
    wire.ask("load", image("axpb duration_us=30 noise=0"), name="other", symbols=["axpb"], globals=[])
    request = Axpb(1000)
    contestants = [{"module": name, "plan": request.plan} for name in ("candidate", "other")]
    blocks = [request.block(first=1 + 10 * i, contestant=i % 2) for i in range(4)]
    reply = wire.ask("time", **request.time(*blocks, contestants=contestants))
    medians = [float(np.median(block["samples_us"])) for block in reply["blocks"]]
    assert medians == pytest.approx([20, 30, 20, 30], rel=1e-4)
    runs = launches_of(log(), "axpb")
    assert len({run["inputs"][0]["address"] for run in runs}) == 10


def test_the_empty_kernel_can_be_timed(opened: Opened) -> None:
    wire = opened("axpb", overhead_us=1.5)
    request = Axpb(1000)
    plan = {"launches": [launch("ww_empty", (), 1000)]}
    reply = wire.ask("time", **request.time(request.block(), contestants=[{"module": "warpwright", "plan": plan}]))
    assert reply["blocks"][0]["samples_us"] == pytest.approx([1.5] * 10, rel=0.05)


def test_variables_are_restored_between_blocks(opened: Opened) -> None:
    """A kernel that counts its launches in a device variable starts each block from 0."""
    wire = opened("axpb right_until=10 counter=counter", variables=("counter bytes=4",))
    request = Axpb(1000)
    blocks = [request.block(first=1 + 10 * i, keep=range(10)) for i in range(3)]
    reply = wire.ask("time", **request.time(*blocks))
    assert len(reply.arrays) == 30
    for number, y in enumerate(reply.arrays, start=1):
        np.testing.assert_array_equal(y, expected(1000, number))


def test_a_replayed_answer_shows_in_what_was_kept(opened: Opened) -> None:
    wire = opened("axpb replay=true")
    request = Axpb(1000)
    reply = wire.ask("time", **request.time(request.block(keep=[0, 7])))
    np.testing.assert_array_equal(reply.arrays[0], reply.arrays[1])
    assert not np.array_equal(reply.arrays[1], expected(1000, 8))


@pytest.mark.parametrize("us", [0.0, -1.0])
def test_times_are_handed_on_as_the_driver_gave_them(opened: Opened, us: float) -> None:
    wire = opened("axpb", false_time={"from": 0, "us": us})
    request = Axpb(100)
    reply = wire.ask("time", **request.time(request.block()))
    assert reply["blocks"][0]["samples_us"] == pytest.approx([us] * 10)


def test_sets_that_do_not_fit_are_a_memory_error(opened: Opened) -> None:
    wire = opened("axpb", memory_bytes=128 << 20)
    request = Axpb(1_000_000)
    error = wire.ask("time", **request.time(request.block())).error
    assert error["kind"] == "memory"
    assert error["needed_bytes"] > error["free_bytes"]
    assert wire.ask("time", **request.time(request.block(), sets=2))["sets"] == 2


def test_scratch_arrays_rotate_too(opened: Opened, log: Log) -> None:
    wire = opened("first_half", "second_half")
    plan = {"launches": [launch("first_half", "txn", 100), launch("second_half", "ytn", 100)]}
    launches = [{"values": {"x": key(i)}, "keep": True} for i in range(5)]
    request = Axpb().time(
        {"contestant": 0, "launches": launches},
        contestants=[{"module": "candidate", "plan": plan}],
        arrays=[array("y", "out", 100), array("x", "in", 100, NORMAL), array("t", "scratch", 100)],
        scalars=[scalar("n", 100)],
        sets=5,
    )
    reply = wire.ask("time", **request)
    assert [kept["name"] for kept in reply["kept"]] == ["y"] * 5
    for i, y in enumerate(reply.arrays):
        x = generate(Recipe("normal", "float32", 0.0, 1.0), i, 100)
        np.testing.assert_array_equal(y, np.float32(2) * x + np.float32(1))
    first = launches_of(log(), "first_half")
    assert len({run["outputs"][0]["address"] for run in first}) == 5
    assert [run["outputs"][0]["before"] for run in first] == [0xFF] * 5
    # One unit: both launches lie between the same two events.
    names = [event.get("kernel", event["op"]) for event in log() if event["op"] in ("event", "launch")]
    position = names.index("first_half")
    assert names[position - 1 : position + 3] == ["event", "first_half", "second_half", "event"]


def test_nvml_is_initialised_once_for_all_schedules(opened: Opened, log: Log) -> None:
    wire = opened("axpb")
    request = Axpb(100)
    for first in (1, 11):
        assert wire.ask("time", **request.time(request.block(first=first)))["blocks"][0]["power_w"] == 350.0
    assert len(log("nvml_init")) == 1
