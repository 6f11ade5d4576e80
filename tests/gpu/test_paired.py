"""The paired decision on kernels whose true difference is known."""

import argparse
import secrets
from collections.abc import Iterator

import pytest
from benchmarks.measurement.aa_study import PLANS, Plan, Stand, decided, stand_of
from benchmarks.measurement.study import load_kernels

from warpwright.cli.bench_options import bench_options
from warpwright.cli.environment import environment
from warpwright.compiler.compiler import Compiler
from warpwright.evaluation.bench import open_bench

pytestmark = pytest.mark.gpu
COMPARISONS, ALLOWED_WRONG = 8, 1
SERIES = [plan for plan in PLANS if plan.name in ("aa_3us", "aa_100us", "gain_100us")]


@pytest.fixture(scope="module")
def stand(device: str) -> Iterator[Stand]:
    workload = load_kernels("steady", argparse.Namespace(cases=[]))
    secret = secrets.token_hex(32)
    with (
        open_bench(workload, device, secret, bench_options()) as bench,
        Compiler(None, environment().nvrtc) as compiler,
    ):
        yield stand_of(bench, compiler, secret)


@pytest.mark.parametrize("plan", SERIES, ids=[plan.name for plan in SERIES])
def test_decisions_are_right(stand: Stand, plan: Plan) -> None:
    incumbent, contender = stand.sides(plan)
    gate = stand.gate()
    ranks = [decided(gate, incumbent, contender).rank.value for _ in range(COMPARISONS)]
    right = "tie" if plan.gain == 1.0 else "improved"
    assert COMPARISONS - ranks.count(right) <= ALLOWED_WRONG, ranks
