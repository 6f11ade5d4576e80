"""Requests and replies as such: greeting, refusals, the end of the input, and that nothing piles up."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.building import Built
from harness.requests import OWN_KERNELS, Axpb, image
from harness.wire import Wire, clean_environment

Serve = Callable[..., Wire]
Opened = Callable[..., Wire]


def test_hello_describes_the_gpu(serve: Serve) -> None:
    wire = serve(name="NVIDIA Test", memory_bytes=1 << 30, multiprocessors=7, driver_version=12080)
    reply = wire.ask("hello", schema=1, device=0, nonce="abc")
    assert reply["nonce"] == "abc"
    assert reply["name"] == "NVIDIA Test"
    assert reply["compute_capability"] == [9, 0]
    assert reply["driver_version"] == 12080
    assert reply["total_memory_bytes"] == 1 << 30
    assert reply["uuid"] == "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadae00"
    assert reply["attributes"]["MULTIPROCESSOR_COUNT"] == 7
    assert reply["attributes"]["L2_CACHE_SIZE"] == 1 << 20
    assert reply["capabilities"] == {"virtual_memory": True, "cooperative": True, "cluster": True, "nvml": True}
    assert len(reply["build"]) == 64


def test_what_a_gpu_cannot_do_has_a_reason(serve: Serve) -> None:
    settings = {"attributes": {"95": 0, "120": 0}, "virtual_memory": False, "nvml": {"init": 9}}
    capabilities = serve(**settings).ask("hello", schema=1, device=0, nonce="n")["capabilities"]
    assert {name: isinstance(value, str) and len(value) > 10 for name, value in capabilities.items()} == dict.fromkeys(
        ("virtual_memory", "cooperative", "cluster", "nvml"), True
    )


def test_a_gpu_that_is_not_there_is_refused(serve: Serve) -> None:
    wire = serve(devices=2)
    error = wire.ask("hello", schema=1, device=2, nonce="n").error
    assert error["kind"] == "request"
    assert "2 GPUs" in error["message"]
    assert wire.ask("hello", schema=1, device=1, nonce="n")["pci_bus_id"].startswith("0000:02")


def test_load_gives_the_resources_of_each_kernel(opened: Opened) -> None:
    wire = opened("axpb")
    reply = wire.ask(
        "load",
        image("scale registers=40 shared_bytes=512 max_threads=256"),
        name="other",
        symbols=["scale"],
        globals=[],
    )
    kernel = reply["kernels"]["scale"]
    assert (kernel["registers"], kernel["static_shared_bytes"], kernel["max_threads"]) == (40, 512, 256)
    assert kernel["binary_version"] == 90


REFUSALS: dict[str, tuple[str, dict[str, Any], str]] = {
    "unknown operation": ("launch", {}, "launch"),
    "missing field": ("hello", {"schema": 1, "device": 0}, "nonce"),
    "unknown field": ("heartbeat", {"why": 1}, "why"),
    "wrong type": ("hello", {"schema": 1, "device": "0", "nonce": "n"}, "device"),
    "wrong schema": ("hello", {"schema": 2, "device": 0, "nonce": "n"}, "schema"),
    "open twice": ("open", {}, "open already"),
    "hello after open": ("hello", {"schema": 1, "device": 0, "nonce": "n"}, "open already"),
    "unknown module": ("unload", {"name": "nobody"}, "nobody"),
    "negative limit": ("run", Axpb(10).run(time_limit_s=-1), "time_limit_s"),
    "poison that is no byte": ("run", Axpb(10).run(poison=256), "poison"),
    "placement": ("run", Axpb(10).run(placement="middle"), "placement"),
    "argument without array": ("run", Axpb(10, launch={"args": ["y", "z"]}).run(), "z"),
    "no launches": ("run", Axpb(10).run(plan={"launches": []}), "launches"),
    "values of no input": ("run", Axpb(10).run(values={**Axpb.values(), "y": "0" * 32}), "y"),
    "values missing": ("run", Axpb(10).run(values={}), "x"),
    "short key": ("run", Axpb(10).run(values={"x": "12", "b": "0" * 32}), "x"),
    "unknown module of a run": ("run", Axpb(10, module="nobody").run(), "nobody"),
    "unknown symbol": ("run", Axpb(10, launch={"symbol": "saxpy"}).run(), "saxpy"),
    "returned array": ("run", Axpb(10).run(**{"return": ["z"]}), "z"),
    "contestant": ("time", Axpb(10).time(Axpb(10).block(contestant=1)), "contestant"),
    "no sets": ("time", Axpb(10).time(Axpb(10).block(), sets=0), "sets"),
    "output with recipe": ("run", Axpb(10, y={"recipe": {"kind": "ones"}}).run(), "recipe"),
    "pool without attachment": ("run", Axpb(10, x={"recipe": None, "pool": [0]}).run(), "pool"),
}


@pytest.mark.parametrize(("op", "fields", "named"), REFUSALS.values(), ids=REFUSALS)
def test_what_is_no_request_is_refused_and_changes_nothing(
    opened: Opened, op: str, fields: dict[str, Any], named: str
) -> None:
    wire = opened("axpb")
    reply = wire.ask(op, **fields)
    assert reply.error["kind"] == "request"
    assert named in reply.error["message"]
    assert wire.ask("run", **Axpb(10).run())["outputs"] == ["y"]
    assert wire.finish() == 0


def test_the_order_of_operations_is_kept(serve: Serve) -> None:
    wire = serve()
    assert "hello" in wire.ask("open").error["message"]
    wire.ask("hello", schema=1, device=0, nonce="n")
    assert "open" in wire.ask("load", image("axpb"), name="candidate", symbols=["axpb"], globals=[]).error["message"]
    wire.ask("open")
    first = wire.ask("load", image("axpb"), name="candidate", symbols=["axpb"], globals=[])
    assert "warpwright" in first.error["message"]
    wire.ask("load", image(*OWN_KERNELS), name="warpwright", symbols=OWN_KERNELS, globals=[])
    wire.ask("load", image("axpb"), name="candidate", symbols=["axpb"], globals=[])
    again = wire.ask("load", image("axpb"), name="candidate", symbols=["axpb"], globals=[])
    assert "candidate" in again.error["message"]
    absent = wire.ask("load", image("axpb"), name="other", symbols=["saxpy"], globals=[])
    assert "saxpy" in absent.error["message"]


def test_an_image_that_the_driver_refuses(opened: Opened) -> None:
    wire = opened("axpb")
    reply = wire.ask("load", np.frombuffer(b"no image at all.", np.uint8), name="bad", symbols=["a"], globals=[])
    assert reply.error["name"] == "CUDA_ERROR_INVALID_IMAGE"
    assert wire.ask("heartbeat").body == {}


@pytest.mark.parametrize("line", [b"nonsense\n", b"[1]\n", b"{}\n", b'{"id": "1", "op": "open"}\n', b'{"id": 1'])
def test_what_cannot_be_answered_ends_the_process(serve: Serve, line: bytes) -> None:
    wire = serve()
    wire.write(line)
    assert wire.finish() == 64
    assert "warpwright-harness: " in wire.stderr()


def test_an_attachment_that_is_cut_off_ends_the_process(serve: Serve) -> None:
    wire = serve()
    wire.write(b'{"id": 1, "op": "load", "npy_bytes": [100]}\nshort')
    assert wire.finish() == 64
    assert "5 of 100" in wire.stderr()


def test_an_attachment_that_is_no_array_is_refused(opened: Opened) -> None:
    wire = opened("axpb")
    request = Axpb(4, x={"recipe": None, "pool": [0]}).run(values={"x": 0, "b": "0" * 32})
    for bad in (b"not an array", np.zeros(5, np.float32), np.zeros(4, np.float64)):
        assert wire.ask("run", bad, **request).error["kind"] == "request"
    assert len(wire.ask("run", np.zeros(4, np.float32), **request).arrays) == 1


def test_bye_and_the_end_of_input_end_the_process(serve: Serve) -> None:
    wire = serve()
    assert wire.ask("bye").body == {}
    assert wire.exit_code() == 0
    assert serve().finish() == 0


def test_what_was_asked_before_the_input_ended_is_answered(opened: Opened) -> None:
    wire = opened("axpb real_ms=100")
    wire.send("run", **Axpb(10).run())
    assert wire.finish() == 0
    assert wire.receive()["outputs"] == ["y"]


def test_requests_may_be_sent_ahead(opened: Opened) -> None:
    wire = opened("axpb")
    for _ in range(50):
        wire.send("heartbeat")
    assert [wire.receive().body for _ in range(50)] == [{}] * 50


def test_doubles_survive(opened: Opened) -> None:
    """0.1 + 0.2 as mean of a recipe: the inputs are those of exactly this double."""
    from warpwright.workload.generator import generate
    from warpwright.workload.recipe import Recipe

    wire = opened("axpb")
    recipe = {"kind": "normal", "dtype": "float64", "first": 0.1 + 0.2, "second": 1e-7}
    request = Axpb(16, x={"recipe": recipe, "dtype": "<f8", "align_bytes": 8})
    reply = wire.ask("run", **request.run(**{"return": ["x"]}))
    np.testing.assert_array_equal(reply.arrays[0], generate(Recipe("normal", "float64", 0.1 + 0.2, 1e-7), 2, 16))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_thousand_requests_leak_nothing(opened: Opened, log: Callable[..., list[dict[str, Any]]]) -> None:
    wire = opened("axpb", granule_bytes=1 << 16)
    process = Path("/proc") / str(wire.process.pid)

    def state() -> tuple[int, int, int]:
        resident = int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
        threads = len(list((process / "task").iterdir()))
        return resident, len(list((process / "fd").iterdir())), threads

    def last_alive() -> int:
        count: int = [event["alive"] for event in log() if "alive" in event][-1]
        return count

    x = np.zeros(1000, np.float32)
    request = Axpb(1000, x={"recipe": None, "pool": [0]})
    body = request.run(values={"x": 0, "b": "0" * 32}, fill_shared=False)
    for _ in range(50):
        wire.ask("run", x, **body)
    before, alive = state(), last_alive()
    for _ in range(1000):
        wire.ask("run", x, **body)
    after = state()
    assert after[1:] == before[1:]
    assert after[0] - before[0] < 4 << 20
    assert last_alive() == alive


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_killed_parent_takes_the_harness_along(built: Built) -> None:
    """Its input stays open, since this process holds the other end: it is not the end of the input that ends it."""
    reading, writing = os.pipe()
    script = (
        "import subprocess, sys, time\n"
        "process = subprocess.Popen(sys.argv[2:], stdin=int(sys.argv[1]))\n"
        "print(process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    harness = [str(built.harness), "serve", "--driver", str(built.driver)]
    parent = subprocess.Popen(
        [sys.executable, "-c", script, str(reading), *harness],
        stdout=subprocess.PIPE,
        pass_fds=[reading],
        env=clean_environment(),
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    time.sleep(0.5)  # the harness looks who its parent is when it starts
    assert _runs(child)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and _runs(child):
        time.sleep(0.05)
    ended = not _runs(child)
    for descriptor in (reading, writing):
        os.close(descriptor)
    parent.stdout.close()
    assert ended


def _runs(pid: int) -> bool:
    try:
        state = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
