"""Inputs are drawn once and shared."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from warpwright.physical_memory import physical_memory_bytes
from warpwright.units import MIB
from warpwright.verifier.host_values import MOST_KEPT_BYTES, HostValues, default_kept_bytes
from warpwright.workload.model import Workload
from warpwright.workload.oracle import Oracle


def test_the_same_case_and_seed_give_the_same_arrays(scale: Workload, oracle: Oracle) -> None:
    values = HostValues(scale, oracle)
    case = scale.case("small")
    assert values.arguments(case, 1) is values.arguments(case, 1)
    assert not np.array_equal(values.arguments(case, 1).inputs["x"], values.arguments(case, 2).inputs["x"])


def test_what_is_shared_cannot_be_changed(scale: Workload, oracle: Oracle) -> None:
    inputs = HostValues(scale, oracle).arguments(scale.case("small"), 1).inputs
    with pytest.raises(ValueError, match="read-only"):
        inputs["x"][0] = 1


def test_expected_outputs_are_computed_once(scale: Workload, oracle: Oracle, monkeypatch: pytest.MonkeyPatch) -> None:
    values = HostValues(scale, oracle)
    case = scale.case("small")
    arguments = values.arguments(case, 1)
    first = values.expected(case, arguments)
    monkeypatch.setattr(oracle, "expected", None)
    assert values.expected(case, values.arguments(case, 1)) is first
    with pytest.raises(ValueError, match="read-only"):
        first["y"][0] = 1


def test_expected_outputs_follow_replaced_inputs(scale: Workload, oracle: Oracle) -> None:
    values = HostValues(scale, oracle)
    case = scale.case("small")
    arguments = values.arguments(case, 1)
    values.expected(case, arguments)
    other = replace(arguments, inputs={"x": np.zeros(1000, np.float32)})
    assert not values.expected(case, other)["y"].any()
    assert values.expected(case, arguments)["y"].any()


def test_inputs_with_a_recipe_go_first_and_come_back_equal(scale: Workload, oracle: Oracle) -> None:
    values = HostValues(scale, oracle, kept_bytes=20_000)  # outputs take 8 kB and 4 bytes, inputs 4 kB
    case = scale.case("small")
    first = values.arguments(case, 1)
    x = first.inputs["x"]
    wanted = values.expected(case, first)
    second = values.arguments(case, 2)
    values.expected(case, second)
    assert values.held_bytes() <= 20_000
    assert values.arguments(case, 1) is first
    assert values.expected(case, first) is wanted
    assert first.inputs["x"] is not x
    assert first.inputs["x"].tobytes() == x.tobytes()


def test_what_does_not_fit_is_computed_again_and_equal(scale: Workload, oracle: Oracle) -> None:
    values = HostValues(scale, oracle, kept_bytes=9_000)
    case = scale.case("small")
    first = values.arguments(case, 1)
    wanted = values.expected(case, first)
    values.expected(case, values.arguments(case, 2))
    assert values.held_bytes() <= 9_000
    again = values.arguments(case, 1)
    assert again is not first
    assert np.array_equal(again.inputs["x"], first.inputs["x"])
    assert np.array_equal(values.expected(case, again)["y"], wanted["y"])


def test_threads_get_the_same_arrays(scale: Workload, oracle: Oracle) -> None:
    values = HostValues(scale, oracle, kept_bytes=30_000)
    case = scale.case("small")

    def total(number: int) -> float:
        arguments = values.arguments(case, number % 5)
        return float(values.expected(case, arguments)["y"].sum() - 2 * arguments.inputs["x"].sum(dtype=np.float64))

    with ThreadPoolExecutor(4) as pool:
        differences = list(pool.map(total, range(60)))
    assert np.abs(differences).max() < 1e-9
    read_again = 4 * case.dims["n"] * 4  # each thread may have made one input again after the last look at what is held
    assert values.held_bytes() <= 30_000 + read_again


def test_a_quarter_of_the_machine_is_kept_at_most() -> None:
    memory = physical_memory_bytes()
    assert memory is not None
    assert memory > 256 * MIB
    assert default_kept_bytes() == min(memory // 4, MOST_KEPT_BYTES)
