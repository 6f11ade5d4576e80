"""Every way in which a candidate can end a request, and what becomes of the process."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from harness.requests import OWN_KERNELS, Axpb, array, image, key, launch, scalar
from harness.wire import Wire

Opened = Callable[..., Wire]

STICKY = {
    "illegal_address": ("illegal_address", 700),
    "misaligned": ("misaligned", 716),
    "assert": ("assert", 710),
    "trap": ("trap", 719),
    "stack": ("stack", 714),
    "illegal_instruction": ("illegal_instruction", 715),
    "launch_timeout": ("display_watchdog", 702),
}


@pytest.mark.parametrize("operation", ["run", "time"])
@pytest.mark.parametrize(("fault", "kind", "code"), [(name, *row) for name, row in STICKY.items()])
def test_a_sticky_error_is_told_and_ends_the_process(
    opened: Opened, operation: str, fault: str, kind: str, code: int
) -> None:
    wire = opened(f"axpb fault={fault}")
    request = Axpb(100)
    reply = wire.ask(operation, **(request.run() if operation == "run" else request.time(request.block())))
    assert reply["fatal"] is True
    assert reply.fault["kind"] == kind
    assert reply.fault["code"] == code
    assert reply.fault["name"].startswith("CUDA_ERROR_")
    assert reply.fault["call"].startswith("cu")
    assert reply.fault["message"]
    if operation == "run":
        assert (reply.fault["launch"], reply.fault["entry"]) == (0, "axpb")
    assert wire.exit_code() == 70


def test_the_launch_that_faulted_is_named(opened: Opened) -> None:
    wire = opened("first_half", "second_half fault=misaligned")
    plan = {"launches": [launch("first_half", "txn", 100), launch("second_half", "ytn", 100)]}
    arrays = [array("y", "out", 100), array("x", "in", 100, Axpb().arrays[1]["recipe"]), array("t", "scratch", 100)]
    request = Axpb(100).run(plan=plan, arrays=arrays, scalars=[scalar("n", 100)], values={"x": key(2)})
    reply = wire.ask("run", **request)
    assert (reply.fault["launch"], reply.fault["entry"]) == (1, "second_half")


REFUSED = {
    "invalid_value": "launch_config",
    "launch_out_of_resources": "launch_resources",
    "cooperative_launch_too_large": "cooperative",
    "invalid_cluster_size": "launch_config",
}


@pytest.mark.parametrize(("code", "kind"), REFUSED.items())
def test_a_launch_that_is_refused_leaves_the_process_alive(opened: Opened, code: str, kind: str) -> None:
    wire = opened(f"axpb refuse={code}")
    reply = wire.ask("run", **Axpb(100).run())
    assert reply["fatal"] is False
    assert reply.fault["kind"] == kind
    assert (reply.fault["launch"], reply.fault["entry"], reply.fault["call"]) == (0, "axpb", "cuLaunchKernelEx")
    wire.ask("unload", name="candidate")
    wire.ask("load", image("axpb"), name="candidate", symbols=["axpb"], globals=[])
    assert wire.ask("run", **Axpb(100).run())["outputs"] == ["y"]
    assert wire.finish() == 0


IMPOSSIBLE: dict[str, tuple[dict[str, Any], str, str]] = {
    "threads": ({"block": [2048, 1, 1]}, "", "launch_config"),
    "registers": ({"block": [1024, 1, 1]}, "registers=128", "launch_resources"),
    "bounds": ({"block": [512, 1, 1]}, "max_threads=256", "launch_resources"),
    "shared memory": ({"shared_bytes": 1 << 20}, "", "launch_resources"),
    "static and dynamic shared memory": ({"shared_bytes": 200 << 10}, "shared_bytes=40000", "launch_resources"),
    "cooperative grid": ({"cooperative": True, "grid": [100_000, 1, 1]}, "", "cooperative"),
    "cluster": ({"cluster": [3, 1, 1], "grid": [8, 1, 1]}, "", "launch_config"),
    "large cluster": ({"cluster": [32, 1, 1], "grid": [32, 1, 1]}, "", "launch_config"),
}


@pytest.mark.parametrize(("changed", "keys", "kind"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_a_launch_that_the_gpu_cannot_make(opened: Opened, changed: dict[str, Any], keys: str, kind: str) -> None:
    wire = opened(f"axpb {keys}")
    reply = wire.ask("run", **Axpb(100, launch=changed).run())
    assert (reply.fault["kind"], reply["fatal"]) == (kind, False)
    assert wire.ask("heartbeat").body == {}


def test_clusters_and_cooperative_grids_that_fit_are_launched(opened: Opened) -> None:
    wire = opened("axpb")
    for changed in (
        {"cluster": [16, 1, 1], "grid": [16, 1, 1]},
        {"cluster": [2, 1, 1], "grid": [8, 1, 1]},
        {"cooperative": True},
    ):
        assert wire.ask("run", **Axpb(100, launch=changed).run())["outputs"] == ["y"]


def two_launches(request: Axpb) -> dict[str, Any]:
    return {"launches": [*request.plan["launches"], launch("nothing", "", request.count)]}


def timed(request: Axpb, plan: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return request.time(request.block(), contestants=[{"module": "candidate", "plan": plan}], **changed)


@pytest.mark.parametrize("operation", ["run", "time"])
def test_launches_of_one_kernel_may_have_different_shared_memory(opened: Opened, operation: str) -> None:
    wire = opened("axpb shared_bytes=16384")
    request = Axpb(100)
    plan = {
        "launches": [launch("axpb", ("y", "x", "b", "a", "n"), 100) | {"shared_bytes": n << 10} for n in (100, 60, 40)]
    }
    reply = wire.ask(operation, **(request.run(plan=plan) if operation == "run" else timed(request, plan)))
    assert "fault" not in reply.body


def test_a_refused_launch_behind_one_that_does_not_end_is_a_timeout(opened: Opened) -> None:
    wire = opened("axpb hang=true", "nothing refuse=launch_out_of_resources")
    request = Axpb(100)
    began = time.monotonic()
    reply = wire.ask("time", **timed(request, two_launches(request), time_limit_s=0.5))
    assert (reply.fault["kind"], reply["fatal"]) == ("timeout", True)
    assert "block 0" in reply.fault["message"]
    assert time.monotonic() - began < 8
    assert wire.exit_code() == 70


def test_a_refused_launch_behind_one_that_dies_is_the_crash_of_the_first(opened: Opened) -> None:
    wire = opened("axpb real_ms=50 fault=misaligned at=3", "nothing refuse=launch_out_of_resources at=3")
    request = Axpb(100)
    reply = wire.ask("time", **timed(request, two_launches(request)))
    assert (reply.fault["kind"], reply["fatal"]) == ("misaligned", True)
    assert wire.exit_code() == 70


@pytest.mark.parametrize("operation", ["run", "time"])
def test_a_kernel_that_does_not_end_is_a_timeout(opened: Opened, operation: str) -> None:
    wire = opened("axpb hang=true")
    request = Axpb(100)
    body = request.run(time_limit_s=0.3) if operation == "run" else request.time(request.block(), time_limit_s=0.3)
    reply = wire.ask(operation, **body)
    assert (reply.fault["kind"], reply["fatal"]) == ("timeout", True)
    assert reply.fault["code"] is None
    if operation == "run":
        assert (reply.fault["launch"], reply.fault["entry"]) == (0, "axpb")
    assert wire.exit_code() == 70


def test_a_hang_behind_the_blocker_is_a_timeout(opened: Opened) -> None:
    wire = opened("axpb hang=true at=13")
    request = Axpb(100)
    reply = wire.ask("time", **request.time(request.block(), request.block(first=20), time_limit_s=0.5))
    assert (reply.fault["kind"], reply["fatal"]) == ("timeout", True)
    assert "block 1" in reply.fault["message"]
    assert wire.exit_code() == 70


def test_a_fault_in_a_later_block_names_the_block(opened: Opened) -> None:
    wire = opened("axpb fault=trap at=25")
    request = Axpb(100)
    reply = wire.ask("time", **request.time(*(request.block(first=10 * i) for i in range(4))))
    assert reply.fault["kind"] == "trap"
    assert "a trap, or an exception that the driver does not name" in reply.fault["message"]
    assert "block 2" in reply.fault["message"]


@pytest.mark.parametrize(
    ("call", "kind"),
    [("cuMemcpyDtoHAsync_v2", "driver"), ("cuMemsetD8Async", "driver"), ("cuMemAlloc_v2", "memory")],
)
def test_a_driver_call_that_no_candidate_can_make_fail_is_an_error(opened: Opened, call: str, kind: str) -> None:
    code = 2 if kind == "memory" else 999
    wire = opened("axpb", fail=[{"call": call, "code": code, "at": 0, "count": 1}])
    reply = wire.ask("run", **Axpb(100).run())
    assert reply.error["kind"] == kind
    if kind == "driver":
        assert (reply.error["call"], reply.error["code"]) == (call, 999)
        assert reply.error["name"] == "CUDA_ERROR_UNKNOWN"
    assert wire.ask("run", **Axpb(100).run())["outputs"] == ["y"]


def test_a_context_that_dies_without_a_candidate_is_the_drivers_error(serve: Callable[..., Wire]) -> None:
    wire = serve(fail=[{"call": "cuModuleLoadData", "code": "illegal_address"}])
    wire.ask("hello", schema=1, device=0, nonce="n")
    wire.ask("open")
    reply = wire.ask("load", image("ww_empty"), name="warpwright", symbols=["ww_empty"], globals=[])
    assert (reply.error["kind"], reply["fatal"]) == ("driver", True)
    assert wire.exit_code() == 70


@pytest.mark.parametrize("operation", ["run", "time"])
@pytest.mark.parametrize("kernel", ["ww_generate", "ww_fill_shared"])
def test_an_own_kernel_that_dies_before_the_candidate_runs_is_the_drivers_error(
    serve: Callable[..., Wire], operation: str, kernel: str
) -> None:
    wire = serve()
    wire.ask("hello", schema=1, device=0, nonce="n")
    wire.ask("open")
    own = [f"{name} fault=illegal_address" if name == kernel else name for name in OWN_KERNELS]
    wire.ask("load", image(*own), name="warpwright", symbols=OWN_KERNELS, globals=[])
    wire.ask("load", image("axpb"), name="candidate", symbols=["axpb"], globals=[])
    request = Axpb(100)
    reply = wire.ask(operation, **(request.run() if operation == "run" else request.time(request.block())))
    assert (reply.error["kind"], reply.error["code"], reply["fatal"]) == ("driver", 700, True)
    assert wire.exit_code() == 70


def test_limits_that_the_driver_does_not_lower_stay(serve: Callable[..., Wire]) -> None:
    wire = serve(fail=[{"call": "cuCtxSetLimit", "code": "invalid_value", "count": 3}])
    wire.ask("hello", schema=1, device=0, nonce="n")
    assert wire.ask("open")["seconds"] > 0


def test_a_refused_launch_leaves_no_memory_behind(opened: Opened, log: Callable[..., list[dict[str, Any]]]) -> None:
    wire = opened("axpb refuse=invalid_value")
    alive = []
    for _ in range(5):
        assert wire.ask("run", **Axpb(100).run()).fault["kind"] == "launch_config"
        alive.append([event["alive"] for event in log() if "alive" in event][-1])
    assert alive == [alive[0]] * 5
