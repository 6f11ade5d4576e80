"""Inputs are drawn once and shared."""

import numpy as np
import pytest

from warpwright.verifier.host_values import HostValues
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


def test_what_does_not_fit_is_drawn_again_and_equal(scale: Workload, oracle: Oracle) -> None:
    values = HostValues(scale, oracle, kept_bytes=4500)
    case = scale.case("small")
    first = values.arguments(case, 1)
    values.arguments(case, 2)
    again = values.arguments(case, 1)
    assert again is not first
    assert np.array_equal(again.inputs["x"], first.inputs["x"])
