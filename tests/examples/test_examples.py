"""The example workloads: what each must ship, and that its plain kernel is right."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from loop.shared import Shared
from warpwright.hardware import load_gpu
from warpwright.workload.floor import Binding, case_floor
from warpwright.workload.loader import load_workload
from warpwright.workload.model import CaseKind, DeviceKind, Workload

DIRECTORIES = sorted(path for path in (Path(__file__).parents[2] / "examples").iterdir() if path.is_dir())
NAMES = [path.name for path in DIRECTORIES]
H200 = load_gpu("h200")


@pytest.fixture(params=DIRECTORIES, ids=NAMES)
def workload(request: pytest.FixtureRequest) -> Workload:
    return load_workload(request.param)


@pytest.fixture(scope="module")
def shared() -> Iterator[Shared]:
    parts = Shared()
    yield parts
    parts.close()


def test_the_six_are_there() -> None:
    assert NAMES == ["histogram", "matmul", "reduce_sum", "rmsnorm", "softmax", "transpose"]


def test_an_example_has_cases_for_both_devices(workload: Workload) -> None:
    assert workload.name == workload.directory.name
    assert workload.summary
    assert len(workload.cases_on(DeviceKind.EMULATOR, CaseKind.CHECK)) >= 2
    assert len(workload.cases_on(DeviceKind.EMULATOR, CaseKind.PERF)) >= 2
    gpu_only = [case for case in workload.cases if case.on == {DeviceKind.GPU}]
    assert len(gpu_only) >= 2
    assert all(case_floor(workload, case, H200).binding is not Binding.LAUNCH for case in gpu_only)


def test_work_and_tunables_are_given(workload: Workload) -> None:
    assert workload.work.bytes is not None
    assert all(len(values) >= 4 for values in workload.initial.tunables.values())
    assert workload.initial.tunables


def test_the_initial_kernel_passes_its_check_cases(workload: Workload, shared: Shared) -> None:
    cases = workload.cases_on(DeviceKind.EMULATOR, CaseKind.CHECK)
    result = shared.bench(workload, "7" * 64).evaluator.verify_only(workload.initial, cases, "examples", 2)
    assert result.outcome.correct, result.message
