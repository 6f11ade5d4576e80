"""Verification on a device that carries out several runs at once: they overlap, and the verdict stays the same."""

import time
from itertools import count
from threading import Barrier, Lock

import numpy as np
import pytest

from verifier.conftest import Judge, Kernel
from warpwright.device.protocol import Fault, FaultKind, RunRequest
from warpwright.errors import InfrastructureError
from warpwright.workload.values import Array

Arrays = dict[str, Array]
SEEDS = (1, 2, 3)


def honest(arrays: Arrays, request: RunRequest) -> None:
    arrays["y"][:] = 2 * arrays["x"]
    arrays["positive"][0] = (arrays["x"] > 0).sum()


def test_runs_of_all_seeds_overlap(judge: Judge) -> None:
    first_four, runs = Barrier(4, timeout=10), count()

    def meeting(arrays: Arrays, request: RunRequest) -> None:
        if next(runs) < 4:
            first_four.wait()
        honest(arrays, request)

    verdict = judge(meeting, seeds=SEEDS, gpus=4)
    assert verdict.passed
    assert verdict.deterministic is True
    assert next(runs) == 5


def test_there_are_never_more_runs_than_the_device_carries_out(judge: Judge) -> None:
    lock, underway, most = Lock(), 0, 0

    def counted(arrays: Arrays, request: RunRequest) -> None:
        nonlocal underway, most
        with lock:
            underway += 1
            most = max(most, underway)
        time.sleep(0.02)
        honest(arrays, request)
        with lock:
            underway -= 1

    assert judge(counted, seeds=SEEDS, gpus=2).passed
    assert most == 2


def test_the_third_run_of_the_first_seed_comes_behind_all_others(judge: Judge) -> None:
    lock = Lock()
    begun: list[tuple[RunRequest, int]] = []
    ended: list[RunRequest] = []

    def recorded(arrays: Arrays, request: RunRequest) -> None:
        with lock:
            begun.append((request, len(ended)))
        time.sleep(0.02 * (request.poison == 0x7E))
        honest(arrays, request)
        with lock:
            ended.append(request)

    assert judge(recorded, seeds=SEEDS, gpus=8).passed
    request, before = begun[-1]
    assert before == 4
    assert (request.poison, request.least_alignment) == (0xFF, False)


def mismatch(arrays: Arrays, request: RunRequest) -> None:
    honest(arrays, request)
    arrays["y"][7] += 1


def unwritten(arrays: Arrays, request: RunRequest) -> None:
    honest(arrays, request)
    arrays["y"][976:] = np.full(24 * 4, request.poison, np.uint8).view(np.float32)


def overreaching(arrays: Arrays, request: RunRequest) -> None:
    honest(arrays, request)
    arrays["y"][-1] += np.float32(request.guard)


def wrong_when_unaligned(arrays: Arrays, request: RunRequest) -> Fault | None:
    """The second seed."""
    honest(arrays, request)
    arrays["y"][3] += request.least_alignment
    return None


def crash_when_unaligned(arrays: Arrays, request: RunRequest) -> Fault | None:
    honest(arrays, request)
    return Fault(FaultKind.MISALIGNED, "misaligned") if request.least_alignment else None


KERNELS: tuple[Kernel, ...] = (honest, mismatch, unwritten, overreaching, wrong_when_unaligned, crash_when_unaligned)


@pytest.mark.parametrize("gpus", [2, 3, 8])
@pytest.mark.parametrize("kernel", KERNELS, ids=[getattr(kernel, "__name__", "") for kernel in KERNELS])
def test_the_verdict_is_that_of_one_gpu(judge: Judge, kernel: Kernel, gpus: int) -> None:
    several, one = judge(kernel, seeds=SEEDS, gpus=gpus), judge(kernel, seeds=SEEDS, gpu=True)
    assert repr(several) == repr(one)  # NaN equals nothing


def test_what_an_earlier_seed_shows_counts_although_a_later_one_crashed_first(judge: Judge) -> None:
    def slow_then_crash(arrays: Arrays, request: RunRequest) -> Fault | None:
        if request.least_alignment:
            return Fault(FaultKind.TRAP, "trap")
        time.sleep(0.05)
        mismatch(arrays, request)
        return None

    assert judge(slow_then_crash, seeds=SEEDS, gpus=4).outcome == "wrong_result.mismatch"


def test_a_hang_costs_its_time_limit_once(judge: Judge) -> None:
    runs = count()

    def hanging(arrays: Arrays, request: RunRequest) -> Fault:
        next(runs)
        time.sleep(0.1)
        return Fault(FaultKind.TIMEOUT, "hangs")

    assert judge(hanging, seeds=(1, 2, 3, 4, 5, 6), gpus=2).outcome == "timeout.verify"
    assert next(runs) == 2


def test_a_device_that_fails_is_no_verdict(judge: Judge) -> None:
    def failing(arrays: Arrays, request: RunRequest) -> None:
        honest(arrays, request)
        if request.least_alignment:
            raise InfrastructureError("the GPU is gone")

    with pytest.raises(InfrastructureError, match="the GPU is gone"):
        judge(failing, seeds=SEEDS, gpus=3)
