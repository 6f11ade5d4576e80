"""The oracle's processes: several at a time, large arrays in shared memory, closed while they work."""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from warpwright.errors import InfrastructureError, WorkloadError
from warpwright.workload.arguments import make_arguments
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Case, Workload
from warpwright.workload.oracle import Oracle
from warpwright.workload.oracle.arena import Arena, ArenaError
from warpwright.workload.oracle.channel import Channel
from warpwright.workload.oracle.workers import Workers
from warpwright.workload.values import Array, CaseArguments

from .conftest import WriteWorkload

LARGE = 1_000_003
GENERATED = ("n = 77", f"n = {LARGE}"), ('n = "1..1000"', 'n = "1..2000000"')
HOST_MADE = (*GENERATED, ('values = "normal(0, 1)"\n', ""))
MAKE_INPUTS = "\n\ndef make_inputs(dims, rng):\n    return {'x': rng.standard_normal(dims['n']).astype('float32')}\n"
WAYS: Mapping[str, Callable[[], Arena | None]] = {"shared": Arena.open, "piped": lambda: None}


@pytest.fixture(params=sorted(WAYS))
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways in which arrays travel."""
    name = str(request.param)
    monkeypatch.setattr(Arena, "open", WAYS[name])
    return name


def asked(directory: Path) -> tuple[CaseArguments, dict[str, Array]]:
    workload = load_workload(directory)
    case = workload.case("ragged")
    with Oracle(workload) as oracle:
        arguments = make_arguments(workload, case, 3, oracle)
        return arguments, oracle.expected(case, arguments)


@pytest.mark.usefixtures("way")
@pytest.mark.usefixtures("way")
def test_a_large_input_with_a_recipe_is_the_same_in_the_process(write_workload: WriteWorkload) -> None:
    arguments, expected = asked(write_workload(*GENERATED, reference="def reference(x, a):\n    return x * a\n"))
    assert expected["y"].tobytes() == (arguments.inputs["x"].astype(np.float64) * -1.5).tobytes()


@pytest.mark.usefixtures("way")
@pytest.mark.usefixtures("way")
def test_large_arrays_travel_unchanged(write_workload: WriteWorkload) -> None:
    arguments, expected = asked(
        write_workload(*HOST_MADE, reference="def reference(x):\n    return x + 1\n" + MAKE_INPUTS)
    )
    x = arguments.inputs["x"]
    assert x.dtype == np.float32
    assert x.shape == (LARGE,)
    assert 0.99 < x.std() < 1.01
    assert np.array_equal(expected["y"], x.astype(np.float64) + 1)


@pytest.mark.usefixtures("way")
@pytest.mark.usefixtures("way")
def test_an_own_compare_sees_large_arrays(write_workload: WriteWorkload) -> None:
    source = (
        "def reference(x):\n    return x\n\n\ndef compare(actual, expected, case):\n"
        "    assert actual['y'].dtype == 'float32' and not actual['y'].flags.writeable\n"
        "    return f\"{actual['y'].sum():.0f} {expected['y'].sum():.0f}\"\n"
    )
    workload = load_workload(write_workload(*GENERATED, reference=source))
    case = workload.case("ragged")
    with Oracle(workload) as oracle:
        verdict = oracle.compare(case, {"y": np.full(LARGE, 2, np.float32)}, {"y": np.ones(LARGE)})
    assert verdict.message == f"{2 * LARGE} {LARGE}"


@pytest.mark.usefixtures("way")
@pytest.mark.usefixtures("way")
def test_a_larger_answer_than_the_output_is_told(write_workload: WriteWorkload) -> None:
    source = "import numpy as np\n\n\ndef reference(x):\n    return np.concatenate([x, x])\n"
    with pytest.raises(WorkloadError, match=rf"returned y of shape \({2 * LARGE},\); its shape is \({LARGE},\)"):
        asked(write_workload(*GENERATED, reference=source))


def test_answers_keep_their_values_when_the_next_call_reuses_the_memory(write_workload: WriteWorkload) -> None:
    workload = load_workload(write_workload(*GENERATED, reference="def reference(x):\n    return x\n"))
    case = workload.case("ragged")
    with Oracle(workload) as oracle:
        first, second = (make_arguments(workload, case, seed, oracle) for seed in (1, 2))
        kept = oracle.expected(case, first)["y"]
        before = kept.copy()
        oracle.expected(case, second)
        assert np.array_equal(kept, before)


def test_the_process_cannot_make_the_shared_memory_longer(write_workload: WriteWorkload) -> None:
    shared = Arena.open()
    if shared is None:
        pytest.skip("no shared memory on this system")
    shared.close()
    source = (
        "import os, sys\n\n\ndef reference(x):\n    try:\n        os.ftruncate(int(sys.argv[3]), 1 << 33)\n"
        "    except OSError:\n        return x\n    raise ValueError('it grew')\n"
    )
    asked(write_workload(*GENERATED, reference=source))


def test_shared_memory_that_was_shortened_is_an_error_and_no_fault() -> None:
    arena = Arena.open()
    if arena is None:
        pytest.skip("no shared memory on this system")
    arena.resize(4096)
    arena.write(4000, memoryview(bytes(range(96))))
    place = bytearray(96)
    arena.read_into(4000, place)
    assert bytes(place) == bytes(range(96))
    arena.resize(4050)
    with pytest.raises(ArenaError, match="ends 46 bytes early"):
        arena.read_into(4000, place)
    arena.close()


PROCESS = "import os, time\n\n\ndef reference(x, n):\n    time.sleep(SECONDS)\n    return x * 0 + os.getpid()\n"


@pytest.fixture
def slow(write_workload: WriteWorkload) -> Callable[[float], tuple[Workload, Case]]:
    """A workload whose reference takes that many seconds and returns the number of its process."""

    def make(seconds: float) -> tuple[Workload, Case]:
        workload = load_workload(write_workload(reference=PROCESS.replace("SECONDS", str(seconds))))
        return workload, workload.case("ragged")

    return make


def process_of(oracle: Oracle, case: Case, seed: int) -> int:
    return int(oracle.expected(case, make_arguments(oracle.workload, case, seed, oracle))["y"][0])


def test_threads_that_ask_at_a_time_have_processes_of_their_own(
    slow: Callable[[float], tuple[Workload, Case]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warpwright.workload.oracle.workers.most_workers", lambda: 2)
    workload, case = slow(1.5)
    with Oracle(workload) as oracle, ThreadPoolExecutor(4) as pool:
        processes = list(pool.map(lambda seed: process_of(oracle, case, seed), range(4)))
    assert len(set(processes)) == 2


def test_one_thread_has_one_process(slow: Callable[[float], tuple[Workload, Case]]) -> None:
    workload, case = slow(0.0)
    with Oracle(workload) as oracle:
        assert len({process_of(oracle, case, seed) for seed in range(4)}) == 1


def test_closing_cuts_off_what_is_under_way(slow: Callable[[float], tuple[Workload, Case]]) -> None:
    workload, case = slow(60.0)
    oracle = Oracle(workload)
    with ThreadPoolExecutor(1) as pool:
        assert oracle.confined in (True, False)  # the process runs
        call = pool.submit(process_of, oracle, case, 1)
        time.sleep(0.3)
        started = time.monotonic()
        oracle.close()
        with pytest.raises(InfrastructureError, match="closed"):
            call.result(20)
        assert time.monotonic() - started < 20
    with pytest.raises(InfrastructureError, match="the oracle is closed"):
        process_of(oracle, case, 2)
    oracle.close()


def test_calls_that_need_much_memory_take_turns() -> None:
    workers = Workers(lambda: Channel("unused", (), Path()), most=4, memory_bytes=100)
    running, seen, lock = [0], list[int](), threading.Lock()

    def call(needed_bytes: int) -> None:
        with workers.one(needed_bytes):
            with lock:
                running[0] += needed_bytes
                seen.append(running[0])
            time.sleep(0.05)
            with lock:
                running[0] -= needed_bytes

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(call, [30, 30, 30, 30, 60, 500, 10]))
    workers.close()
    assert max(load for load in seen if load < 500) in range(60, 101)
    assert {load for load in seen if load >= 500} == {500}
