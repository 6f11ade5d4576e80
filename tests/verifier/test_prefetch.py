"""Host values that are computed before anybody asks."""

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from warpwright.errors import WorkloadError
from warpwright.verifier import host_values
from warpwright.verifier.host_values import HostValues
from warpwright.verifier.prefetch import Prefetch
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Case, Workload
from warpwright.workload.oracle import Oracle
from warpwright.workload.values import Array, CaseArguments

KEPT_BYTES = 8_004
"""Expected outputs of one seed of case small."""


class Counted(Oracle):
    """The real oracle; asked: how often for each key of the input. failing: it refuses."""

    def __init__(self, workload: Workload) -> None:
        super().__init__(workload)
        self.asked: Counter[int] = Counter()
        self.failing = False

    def expected(self, case: Case, arguments: CaseArguments) -> dict[str, Array]:
        self.asked[arguments.generated["x"].key] += 1
        if self.failing:
            raise WorkloadError("reference.py: no")
        time.sleep(0.02)  # others come while it is under way
        return super().expected(case, arguments)


@pytest.fixture
def counted(scale: Workload, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counted]:
    monkeypatch.setattr(host_values, "PREFETCH_FROM_ELEMENTS", 1)
    monkeypatch.setattr("warpwright.workload.oracle.workers.most_workers", lambda: 3)
    with Counted(scale) as oracle:
        yield oracle


def settled(values: HostValues, held_bytes: int) -> None:
    deadline = time.monotonic() + 30
    while values.held_bytes() < held_bytes and time.monotonic() < deadline:
        time.sleep(0.01)


def test_what_is_asked_for_is_there_and_was_computed_once(scale: Workload, counted: Counted) -> None:
    values = HostValues(scale, counted)
    case = scale.case("small")
    values.prefetch(case, range(6))
    for seed in range(6):
        arguments = values.arguments(case, seed)
        wanted = 2 * arguments.inputs["x"].astype(np.float64)
        assert np.array_equal(values.expected(case, arguments)["y"], wanted)
    assert sorted(counted.asked.values()) == [1] * 6


def test_it_goes_on_while_nobody_asks(scale: Workload, counted: Counted) -> None:
    values = HostValues(scale, counted)
    case = scale.case("small")
    values.prefetch(case, range(4))
    settled(values, 4 * (KEPT_BYTES + 4000))  # with the inputs
    counted.failing = True  # nothing is computed any more
    for seed in range(4):
        assert values.expected(case, values.arguments(case, seed))["y"].shape == (1000,)
    assert len(counted.asked) == 4


def test_threads_that_ask_for_the_same_wait_for_one_computation(scale: Workload, counted: Counted) -> None:
    values = HostValues(scale, counted)
    case = scale.case("small")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: values.expected(case, values.arguments(case, 1)), range(16)))
    assert all(expected is found[0] for expected in found)
    assert list(counted.asked.values()) == [1]


def test_no_more_than_fits(scale: Workload, counted: Counted) -> None:
    values = HostValues(scale, counted, kept_bytes=3 * KEPT_BYTES + 100)
    case = scale.case("small")
    asked = values.arguments(case, 100)
    first = values.expected(case, asked)
    values.prefetch(case, range(8))
    settled(values, 3 * KEPT_BYTES)
    time.sleep(0.2)
    assert 3 * KEPT_BYTES <= values.held_bytes() <= 3 * KEPT_BYTES + 100
    assert len(counted.asked) == 3
    assert values.expected(case, asked) is first  # it pushed nothing out


def test_small_cases_are_left_alone(scale: Workload, counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_values, "PREFETCH_FROM_ELEMENTS", 2002)  # x, y and one more
    values = HostValues(scale, counted)
    values.prefetch(scale.case("small"), range(4))
    values.prefetch(scale.case("timed"), range(1))
    settled(values, 1)
    time.sleep(0.2)
    assert len(counted.asked) == 1


def test_a_failure_is_met_by_whoever_asks(scale: Workload, counted: Counted) -> None:
    values = HostValues(scale, counted)
    case = scale.case("small")
    counted.failing = True
    values.prefetch(case, range(50))
    time.sleep(0.3)
    assert 1 <= len(counted.asked) <= 3  # each thread gave up at its first
    with pytest.raises(WorkloadError, match="no"):
        values.expected(case, values.arguments(case, 0))


def test_closing_ends_what_is_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scale: Workload) -> None:
    for name in ("workload.toml", "kernel.cu"):
        (tmp_path / name).write_bytes((scale.directory / name).read_bytes())
    (tmp_path / "reference.py").write_text("import time\ndef reference(x):\n    time.sleep(60)\n", encoding="utf-8")
    monkeypatch.setattr(host_values, "PREFETCH_FROM_ELEMENTS", 1)
    workload = load_workload(tmp_path)
    values = HostValues(workload, Oracle(workload))
    values.prefetch(workload.case("small"), range(20))
    time.sleep(0.5)
    started = time.monotonic()
    values.close()
    assert time.monotonic() - started < 20
    values.prefetch(workload.case("small"), range(20))
    values.close()


def test_items_are_begun_in_order() -> None:
    begun: list[int] = []
    prefetch = Prefetch(begun.append, 1)
    prefetch.add(range(100))
    prefetch.add(range(100, 200))
    prefetch.join()
    assert begun == list(range(200))
