from dataclasses import replace
from pathlib import Path

import pytest

from warpwright.hardware import load_gpu
from warpwright.profiler.diagnosis.situation import FACTS, Situation, matmul_like, situation_of
from warpwright.workload.loader import load_workload

ROOT = Path(__file__).resolve().parents[3]
H200 = load_gpu("h200")


def test_facts_of_a_case() -> None:
    workload = load_workload(ROOT / "examples" / "softmax")
    found = situation_of(workload, workload.case("gpu_rows8192"), H200, 80.0)
    moved = 8 * 8192 * 4096
    assert found.unique_bytes == moved
    assert found.floor_us is not None
    assert found.floor_us == pytest.approx(moved / 4.8e12 * 1e6)
    assert found.attainable_us == pytest.approx(2.6 + found.floor_us / 0.92)
    assert found.compulsory_bytes == moved
    assert (found.floor_binding, found.matmul_like) == ("bytes", False)
    assert set(found.facts()) == set(FACTS)


def test_what_a_warm_l2_may_hold_need_not_come_from_dram() -> None:
    workload = load_workload(ROOT / "examples" / "softmax")
    warm = replace(workload, cold_cache=False)
    small, large = (situation_of(warm, warm.case(name), H200, 80.0) for name in ("rows512", "gpu_rows8192"))
    assert (small.unique_bytes, small.compulsory_bytes) == (8.0 * 512 * 4096, None)
    assert large.compulsory_bytes == large.unique_bytes
    assert (small.warm_l2, large.warm_l2) == (True, False)


def test_what_is_unknown_is_no_fact() -> None:
    assert Situation().facts() == {}
    assert Situation(time_us=2.0, matmul_like=True).facts() == {"time_us": 2.0, "matmul_like": 1.0}


@pytest.mark.parametrize(
    ("directory", "expected"),
    [
        ("benchmarks/diagnosis/kernels/half_matmul", True),
        ("benchmarks/diagnosis/kernels/dram_stream", False),
        ("examples/matmul", False),  # fp32 in, and its policy keeps the precision
        ("examples/softmax", False),
        ("examples/transpose", False),
    ],
)
def test_a_contraction_that_tensor_cores_may_take(directory: str, expected: bool) -> None:
    assert matmul_like(load_workload(ROOT / directory)) is expected


def test_a_matrix_times_a_vector_is_none(tmp_path: Path) -> None:
    half = (ROOT / "benchmarks/diagnosis/kernels/half_matmul/workload.toml").read_text(encoding="utf-8")
    vector = half.replace('shape = ["k", "n"]', 'shape = ["k"]')
    (tmp_path / "workload.toml").write_text(vector, encoding="utf-8")
    kernel = ROOT / "benchmarks/diagnosis/kernels/half_matmul/kernel.cu"
    (tmp_path / "kernel.cu").write_text(kernel.read_text(encoding="utf-8"), encoding="utf-8")
    assert not matmul_like(load_workload(tmp_path))
