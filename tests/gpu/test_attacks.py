"""Cheats are caught on the GPU by the right check; honest kernels with unusual habits pass."""

import secrets
from collections.abc import Iterator

import pytest
from benchmarks.measurement.attacks import WORKLOADS, Attack, load_attacks, load_workloads, right

from warpwright.cli.bench_options import bench_options
from warpwright.evaluation.bench import Bench, open_bench
from warpwright.evaluation.outcome import Evaluation

pytestmark = pytest.mark.gpu
ATTACKS = list(load_attacks(load_workloads(), emulator=False))
Benches = dict[str, tuple[Bench, Evaluation]]


@pytest.fixture(scope="module")
def benches(device: str) -> Iterator[Benches]:
    """Workload -> its bench and the evaluation of its honest kernel."""
    found: Benches = {}
    for name, workload in load_workloads().items():
        bench = open_bench(workload, device, secrets.token_hex(32), bench_options())
        found[name] = (bench, bench.evaluator.evaluate(workload.initial))
    yield found
    for bench, _ in found.values():
        bench.close()


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_kernel_that_cheats_are_measured_against_passes(benches: Benches, name: str) -> None:
    assert benches[name][1].label == "passed", benches[name][1].message


@pytest.mark.parametrize("attack", ATTACKS, ids=[attack.name for attack in ATTACKS])
def test_verdict(benches: Benches, attack: Attack) -> None:
    bench, honest = benches[attack.workload]
    found = bench.evaluator.evaluate(attack.candidate)
    ratio = None
    if found.geomean_us is not None and honest.geomean_us is not None:
        ratio = found.geomean_us / honest.geomean_us
    assert right(attack, found, ratio), f"{found.label} ({ratio} of the honest time): {found.message}"
