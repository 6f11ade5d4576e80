"""Launches that the device would refuse, each with the limit and the way out."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpwright.candidate.limits import check_limits
from warpwright.candidate.resolved import PlanFault, ResolvedLaunch
from warpwright.hardware import load_gpu, theoretical_occupancy

GPU = load_gpu("h200")
OK = ResolvedLaunch("f", (1, 1, 1), (32, 1, 1), 0, ())


@dataclass(frozen=True)
class Resources:
    registers: int | None = None
    shared_static_bytes: int | None = None


@pytest.mark.parametrize(
    ("launch", "resources", "label", "message"),
    [
        (
            replace(OK, block=(32, 64, 1)),
            None,
            "invalid_plan.limits",
            "f: block (32, 64, 1) has 2048 threads; sm_90 allows 1024. Use block.y <= 32.",
        ),
        (
            replace(OK, block=(1025, 1, 1)),
            None,
            "invalid_plan.limits",
            "f: block (1025, 1, 1) has block.x = 1025; sm_90 allows 1024.",
        ),
        (
            replace(OK, block=(1, 1, 65)),
            None,
            "invalid_plan.limits",
            "f: block (1, 1, 65) has block.z = 65; sm_90 allows 64.",
        ),
        (
            replace(OK, grid=(1, 65536, 1)),
            None,
            "invalid_plan.limits",
            (
                "f: grid (1, 65536, 1) has grid.y = 65536; sm_90 allows 65535. Put the long axis on x, or loop over it "
                "inside the kernel."
            ),
        ),
        (
            replace(OK, grid=(6, 1, 1), cluster=(4, 1, 1)),
            None,
            "invalid_plan.limits",
            "f: grid.x = 6 is not a multiple of cluster.x = 4.",
        ),
        (
            replace(OK, shared_bytes=300000),
            None,
            "invalid_plan.limits",
            "f: 300000 bytes of dynamic shared memory; sm_90 allows 232448 bytes a block (227 KiB, with opt-in).",
        ),
        (
            replace(OK, shared_bytes=232000),
            Resources(32, 1024),
            "launch_error.shared_memory",
            (
                "f: 232000 bytes of dynamic shared memory and 1024 of static; sm_90 allows 232448 bytes a block (227 KiB, "
                "with opt-in)."
            ),
        ),
        (
            replace(OK, block=(1024, 1, 1)),
            Resources(100, 0),
            "launch_error.resources",
            (
                "f: block (1024, 1, 1) has 1024 threads of 100 registers; sm_90 has 65536 registers a block, so at most 512 "
                "threads. Use block.x <= 512. Or use __launch_bounds__(1024)."
            ),
        ),
        (
            replace(OK, grid=(10000, 1, 1), block=(1024, 1, 1), cooperative=True),
            Resources(32, 0),
            "launch_error.cooperative",
            (
                "f: cooperative grid (10000, 1, 1) has 10000 blocks; NVIDIA H200 holds 264 of them at once (2 on each of "
                "132 SMs). Use at most 264 blocks."
            ),
        ),
    ],
    ids=["product", "block.x", "block.z", "grid.y", "cluster", "dynamic", "static", "registers", "cooperative"],
)
def test_a_broken_limit_is_named_with_the_way_out(
    launch: ResolvedLaunch, resources: Resources | None, label: str, message: str
) -> None:
    outcome, reason = label.split(".")
    assert check_limits(launch, GPU, resources) == PlanFault(outcome, reason, message)


def test_clusters_need_a_device_that_has_them() -> None:
    fault = check_limits(replace(OK, grid=(2, 1, 1), cluster=(2, 1, 1)), load_gpu("a100"), None)
    assert fault is not None
    assert fault.message == "f: cluster (2, 1, 1): sm_80 has no thread block clusters. Remove cluster."


@given(
    st.tuples(st.integers(1, 1024), st.integers(1, 64), st.integers(1, 64)),
    st.integers(1, 255),
    st.integers(0, 300000),
)
def test_what_is_accepted_fits_on_an_sm(block: tuple[int, int, int], registers: int, shared_bytes: int) -> None:
    launch = replace(OK, block=block, shared_bytes=shared_bytes)
    accepted = check_limits(launch, GPU, Resources(registers, 0)) is None
    resident = theoretical_occupancy(GPU, launch.block_threads, registers, shared_bytes).blocks_per_sm
    assert accepted == (resident > 0)
