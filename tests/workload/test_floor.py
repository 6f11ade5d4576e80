"""Floors: arithmetic that can be checked by hand."""

from dataclasses import replace
from pathlib import Path

import pytest

from warpwright.hardware import load_gpu
from warpwright.workload.floor import Binding, case_floor, unique_bytes
from warpwright.workload.loader import load_workload
from warpwright.workload.model import WorkModel

from .conftest import WriteWorkload

EXAMPLES = Path(__file__).parents[2] / "examples"
H200 = load_gpu("h200")


@pytest.mark.parametrize(
    ("example", "case", "us", "binding"),
    [
        ("softmax", "gpu_rows8192", 8 * 8192 * 4096 / 4.8e12 * 1e6, Binding.BYTES),
        ("matmul", "gpu_square2048", 2 * 2048**3 / (132 * 128 * 2 * 1.98e9) * 1e6, Binding.FLOPS),
        ("histogram", "one", 2.6, Binding.LAUNCH),
    ],
)
def test_the_floor_is_the_largest_part(example: str, case: str, us: float, binding: Binding) -> None:
    workload = load_workload(EXAMPLES / example)
    floor = case_floor(workload, workload.case(case), H200)
    assert floor.us == pytest.approx(us)
    assert floor.binding is binding


def test_bytes_follow_from_the_arrays_where_no_work_is_given(write_workload: WriteWorkload) -> None:
    workload = load_workload(write_workload())
    case = workload.case("long")
    assert unique_bytes(workload, case) == 8000
    assert case_floor(workload, case, H200).flops_us is None
    in_place = load_workload(write_workload(('role = "in"', 'role = "inout"')))
    assert unique_bytes(in_place, case) == 12000


def test_a_warm_cache_lowers_the_floor_of_what_fits() -> None:
    workload = load_workload(EXAMPLES / "softmax")
    warm = replace(workload, cold_cache=False)
    resident, large = workload.case("rows512"), workload.case("gpu_rows8192")
    assert case_floor(warm, resident, H200).bytes_us < case_floor(workload, resident, H200).bytes_us
    assert case_floor(warm, large, H200) == case_floor(workload, large, H200)


def test_double_precision_has_its_own_peak(write_workload: WriteWorkload) -> None:
    single = load_workload(write_workload(("[kernel]", '[work]\nflops = "1000000000 * n"\n[kernel]')))
    double = load_workload(
        write_workload(("[kernel]", '[work]\nflops = "1000000000 * n"\n[kernel]'), ("float32", "float64"))
    )
    case = single.case("long")
    ratio = case_floor(double, case, H200).us / case_floor(single, case, H200).us
    assert ratio == pytest.approx(2)
    assert case_floor(replace(single, work=WorkModel()), case, H200).binding is Binding.LAUNCH
