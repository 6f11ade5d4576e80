"""Plans in integers, and plans that have no meaning for a case."""

import pytest

from warpwright.candidate.candidate import Candidate, CaseOverride, Launch, LaunchPlan, Scratch
from warpwright.candidate.resolve import resolve_plan
from warpwright.candidate.resolved import PlanFault, ResolvedLaunch, ResolvedPlan, ResolvedScratch
from warpwright.hardware import load_gpu

GPU = load_gpu("h200")
NAMES = ("y", "x", "n")


def candidate(launch: Launch, scratch: tuple[Scratch, ...] = (), **overrides: CaseOverride) -> Candidate:
    return Candidate("", LaunchPlan((launch,), scratch, overrides), tunables={"B": (64, 128)})


def test_expressions_see_dims_tunables_and_the_device() -> None:
    launch = Launch("f", ("ceil_div(n, B)", "device.sm_count"), ("B",), "B * 4", args=("x", "part"))
    plan = resolve_plan(candidate(launch, (Scratch("part", "float32", ("n", "2")),)), {"n": 1000}, GPU, "c", NAMES)
    assert plan == ResolvedPlan(
        (ResolvedLaunch("f", (16, 132, 1), (64, 1, 1), 256, ("x", "part")),),
        (ResolvedScratch("part", "float32", (1000, 2)),),
    )


def test_arguments_default_to_all_parameters_then_all_scratch() -> None:
    plan = resolve_plan(candidate(Launch("f", ("1",), ("1",)), (Scratch("s", "int32", ("1",)),)), {}, GPU, "c", NAMES)
    assert isinstance(plan, ResolvedPlan)
    assert plan.launches[0].args == ("y", "x", "n", "s")


def test_an_override_holds_for_its_case_only() -> None:
    tried = candidate(Launch("f", ("n",), ("B",)), wide=CaseOverride(grid=("7",), shared="16", point={"B": 128}))
    usual = resolve_plan(tried, {"n": 3}, GPU, "other", NAMES)
    special = resolve_plan(tried, {"n": 3}, GPU, "wide", NAMES)
    assert isinstance(usual, ResolvedPlan)
    assert isinstance(special, ResolvedPlan)
    assert usual.launches[0] == ResolvedLaunch("f", (3, 1, 1), (64, 1, 1), 0, NAMES)
    assert special.launches[0] == ResolvedLaunch("f", (7, 1, 1), (128, 1, 1), 16, NAMES)


@pytest.mark.parametrize(
    ("launch", "reason", "message"),
    [
        (
            Launch("f", ("m",), ("1",)),
            "expression",
            "case c: grid.x: expression 'm': unknown name 'm'; known: B, n.",
        ),
        (Launch("f", ("1", "n - 3"), ("1",)), "expression", "case c: grid.y = 'n - 3' is 0; at least 1 is allowed"),
        (Launch("f", ("1",), ("1",), "-n"), "expression", "case c: shared = '-n' is -3; at least 0 is allowed"),
        (Launch("f", ("1",) * 4, ("1",)), "expression", "case c: grid has 4 dimensions; 1 to 3 are allowed"),
        (
            Launch("f", ("1",), ("1",), args=("z",)),
            "signature",
            "case c: args of f name 'z'; known parameters and scratch: y, x, n",
        ),
    ],
    ids=["unknown name", "zero grid", "negative shared", "four axes", "unknown argument"],
)
def test_a_plan_without_meaning_is_data(launch: Launch, reason: str, message: str) -> None:
    assert resolve_plan(candidate(launch), {"n": 3}, GPU, "c", NAMES) == PlanFault("invalid_plan", reason, message)


def test_a_tunable_may_not_replace_a_parameter() -> None:
    tried = Candidate("", LaunchPlan((Launch("f", ("1",), ("1",)),)), tunables={"x": (1,)})
    fault = resolve_plan(tried, {"n": 3}, GPU, "c", NAMES)
    message = "case c: tunable x has the name of a dim or parameter; rename it"
    assert fault == PlanFault("invalid_plan", "signature", message)
