"""Hidden cases from the legal range of dims."""

import math
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType

import pytest

from warpwright.device.protocol import Device
from warpwright.verifier.hidden import draw_hidden_cases
from warpwright.workload.model import CaseKind, DimRange, Policy, Workload


def test_hidden_cases_are_legal_new_bounded_and_the_same_for_one_secret(scale: Workload, still: Device) -> None:
    cases = draw_hidden_cases(scale, "secret", 12, still)
    sizes = [case.dims["n"] for case in cases]
    assert len(set(sizes)) == 12
    assert all(1 <= n <= 5000 for n in sizes)
    assert not {1000, 5000} & set(sizes)
    assert {case.kind for case in cases} == {CaseKind.CHECK}
    assert cases == draw_hidden_cases(scale, "secret", 12, still)
    assert cases != draw_hidden_cases(scale, "other", 12, still)


def test_the_six_shapes_all_occur(scale: Workload, still: Device) -> None:
    smallest, prime, power, visible, large, _ = (c.dims["n"] for c in draw_hidden_cases(scale, "s", 6, still))
    assert smallest == 1
    assert all(prime % divisor for divisor in range(2, math.isqrt(prime) + 1))
    assert (power - 1) & (power - 2) == 0 or (power + 1) & power == 0
    assert visible in (999, 1001, 4999, 5001)
    assert large >= 0.75 * 5000 - 1


def test_a_range_that_holds_only_visible_cases_gives_none(scale: Workload, still: Device) -> None:
    fixed = replace(scale, dims=MappingProxyType({"n": DimRange(1000, 1000)}))
    assert draw_hidden_cases(fixed, "s", 6, still) == ()


def test_dims_that_the_initial_plan_refuses_are_not_drawn(scale: Workload, still: Device) -> None:
    launch = replace(scale.initial.plan.launches[0], grid=("n / 8",))
    plan = replace(scale.initial.plan, launches=(launch,))
    multiples = replace(scale, initial=replace(scale.initial, plan=plan))
    cases = draw_hidden_cases(multiples, "s", 4, still)
    assert cases
    assert all(case.dims["n"] % 8 == 0 for case in cases)


def test_specialised_candidates_are_not_asked_for_other_shapes(scale: Workload, still: Device) -> None:
    assert draw_hidden_cases(replace(scale, policy=Policy(specialise=True)), "s", 6, still) == ()


@pytest.fixture
def still(numpy_device: Callable[..., Device]) -> Device:
    return numpy_device(lambda arrays, request: None)
