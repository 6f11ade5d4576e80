"""The program as a program: its commands, its exit codes, and recorded jobs."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.building import Built
from harness.requests import OWN_KERNELS, Axpb, expected, image
from harness.wire import Array, Reply, Wire, clean_environment, npy

Ran = Callable[..., subprocess.CompletedProcess[bytes]]
Log = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def run(built: Built, log_path: Path) -> Ran:
    """run("properties", driver=..., **settings): the program to its end."""

    def start(*arguments: str, driver: Path | None = None, **settings: Any) -> subprocess.CompletedProcess[bytes]:
        environment = clean_environment(
            WARPWRIGHT_STANDIN=json.dumps({"log": str(log_path)} | settings), WARPWRIGHT_NVML=str(built.driver)
        )
        command = [str(built.harness), *arguments, "--driver", str(driver or built.driver)]
        return subprocess.run(command, capture_output=True, env=environment, timeout=60, check=False)

    return start


def test_version_names_the_build(run: Ran) -> None:
    ended = run("--version")
    assert ended.returncode == 0
    name, version, build, code = ended.stdout.decode().split()
    assert (name, build) == ("warpwright-harness", "(build")
    assert version.count(".") == 2
    assert len(code.rstrip(")")) == 64


def test_properties_is_one_json_document(run: Ran) -> None:
    ended = run("properties", devices=2, name="NVIDIA Test")
    assert ended.returncode == 0
    document = json.loads(ended.stdout)
    assert document["driver_version"] == 13000
    assert [device["index"] for device in document["devices"]] == [0, 1]
    assert {device["name"] for device in document["devices"]} == {"NVIDIA Test"}
    assert len({device["uuid"] for device in document["devices"]}) == 2


def test_a_machine_without_gpus_has_no_properties(run: Ran) -> None:
    assert json.loads(run("properties", devices=0).stdout)["devices"] == []


@pytest.mark.parametrize("command", ["serve", "properties"])
def test_without_a_driver_the_exit_code_is_71(run: Ran, tmp_path: Path, command: str) -> None:
    ended = run(command, driver=tmp_path / "libcuda.so.1")
    assert ended.returncode == 71
    (line,) = ended.stderr.decode().splitlines()
    assert "libcuda.so.1" in line
    assert "Install the NVIDIA driver" in line


def test_a_driver_that_is_too_old_is_named(run: Ran, built: Built) -> None:
    ended = run("properties", driver=built.old_driver)
    assert ended.returncode == 71
    text = ended.stderr.decode()
    assert "serves CUDA 11.4" in text
    assert "cuLaunchKernelEx" in text
    assert "11.8" in text


def test_a_driver_without_a_gpu_is_71(run: Ran) -> None:
    ended = run("properties", fail=[{"call": "cuInit", "code": "no_device"}])
    assert ended.returncode == 71
    assert "CUDA_ERROR_NO_DEVICE" in ended.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((), "no command"),
        (("profile",), "profile"),
        (("serve", "twice"), "twice"),
        (("run-once",), "run-once"),
        (("serve", "--fast"), "--fast"),
        (("run-once", "/no/such/job"), "/no/such/job"),
        (("serve", "--exchange", "/no/such/folder"), "/no/such/folder"),
    ],
)
def test_bad_usage_is_one_line_and_2(run: Ran, arguments: tuple[str, ...], named: str) -> None:
    ended = run(*arguments)
    assert ended.returncode == 2
    (line,) = ended.stderr.decode().splitlines()
    assert named in line


Recorded = tuple[str, list[Array], dict[str, Any]]


def recorded(*requests: Recorded) -> bytes:
    """A job: requests with their attachments, as they went over the wire."""
    own: Recorded = ("load", [image(*OWN_KERNELS)], {"name": "warpwright", "symbols": OWN_KERNELS, "globals": []})
    candidate: Recorded = ("load", [image("axpb")], {"name": "candidate", "symbols": ["axpb"], "globals": []})
    hello: Recorded = ("hello", [], {"schema": 1, "device": 0, "nonce": "n"})
    opening: Recorded = ("open", [], {})
    job = b""
    for number, (op, attachments, fields) in enumerate((hello, opening, own, candidate, *requests), start=1):
        streams = [npy(array) for array in attachments]
        line = {"id": number, "op": op, **fields, "npy_bytes": [len(stream) for stream in streams]}
        job += json.dumps(line).encode() + b"\n" + b"".join(streams)
    return job


def replies_of(output: bytes) -> list[Reply]:
    found = []
    while output:
        line, _, output = output.partition(b"\n")
        body = json.loads(line)
        arrays = []
        for size in body.pop("npy_bytes", []):
            arrays.append(np.frombuffer(output[:size][-32:], np.float32))
            output = output[size:]
        found.append(Reply(body, tuple(arrays)))
    return found


def test_a_recorded_job_runs_on_plain_memory_without_a_blocker(run: Ran, tmp_path: Path, log: Log) -> None:
    job = tmp_path / "job"
    job.write_bytes(recorded(("run", [], Axpb(8).run(fill_shared=False))))
    ended = run("run-once", str(job))
    assert ended.returncode == 0
    *_, reply = replies_of(ended.stdout)
    np.testing.assert_array_equal(reply.arrays[0], expected(8))
    assert isinstance(reply["pages"], str)
    assert {event["kernel"] for event in log("launch")} == {"ww_generate", "axpb"}
    assert log("create") == []


def test_a_recorded_job_gives_the_same_replies_again(run: Ran, tmp_path: Path) -> None:
    job = tmp_path / "job"
    job.write_bytes(recorded(("run", [], Axpb(8).run()), ("heartbeat", [], {})))
    first, second = (replies_of(run("run-once", str(job), noise=0).stdout) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        assert set(one.body) == set(other.body)
        for a, b in zip(one.arrays, other.arrays, strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_recorded_job_is_never_timed(run: Ran, tmp_path: Path, log: Log) -> None:
    job = tmp_path / "job"
    job.write_bytes(recorded(("time", [], Axpb(8).time(Axpb(8).block()))))
    ended = run("run-once", str(job))
    assert ended.returncode == 1
    *_, reply = replies_of(ended.stdout)
    assert reply.body["error"]["kind"] == "request"
    assert log("launch") == []


def test_a_recorded_job_that_faults_exits_with_70(run: Ran, tmp_path: Path) -> None:
    job = tmp_path / "job"
    job.write_bytes(recorded(("run", [], Axpb(8).run())))
    settings = {"fail": [{"call": "cuLaunchKernelEx", "code": "illegal_address", "at": 0, "count": 1000}]}
    assert run("run-once", str(job), **settings).returncode == 70


def test_under_a_profiler_there_is_no_blocker(built: Built) -> None:
    environment = clean_environment(CUDA_INJECTION64_PATH="/x.so", WARPWRIGHT_STANDIN='{"l2_bytes": 1048576}')
    with Wire([str(built.harness), "serve", "--driver", str(built.driver)], environment) as wire:
        wire.ask("hello", schema=1, device=0, nonce="n")
        wire.ask("open")
        wire.ask("load", image(*OWN_KERNELS), name="warpwright", symbols=OWN_KERNELS, globals=[])
        wire.ask("load", image("axpb"), name="candidate", symbols=["axpb"], globals=[])
        request = Axpb(100)
        reply = wire.ask("time", **request.time(request.block(), request.block(first=11)))
    assert all("CUDA_INJECTION64_PATH" in block["blocker"] for block in reply["blocks"])
