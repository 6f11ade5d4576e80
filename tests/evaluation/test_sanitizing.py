"""Which case is sanitized, and the gate on the real harness and the stand-in driver."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluation.conftest import WORKLOAD
from harness.building import BuildUnavailable, build
from profiler.sanitizer.installing import install
from warpwright.device.registry import DeviceOptions
from warpwright.evaluation.bench import Bench, BenchOptions, open_bench
from warpwright.evaluation.sanitizing import sanitized_case
from warpwright.profiler.sanitizer.options import SanitizerOptions
from warpwright.profiler.sanitizer.report import NOT_APPLICABLE
from warpwright.workload.model import DeviceKind, Workload

Make = Callable[..., Workload]
CASES = WORKLOAD.partition("[[cases]]")[0]
needs_shell = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in of the tool is a shell script")


def with_cases(make: Make, **sizes: tuple[int, str]) -> Workload:
    text = "".join(
        f'[[cases]]\nname = "{name}"\nkind = "{kind}"\ndims = {{ n = {n} }}\n' for name, (n, kind) in sizes.items()
    )
    return make(files={"workload.toml": CASES + text})


def test_the_smallest_case_that_is_not_trivial(make_workload: Make) -> None:
    workload = with_cases(
        make_workload, one=(1, "check"), large=(9000, "check"), fit=(400, "check"), timed=(350, "perf")
    )
    assert sanitized_case(workload, DeviceKind.GPU).name == "fit"


def test_the_largest_of_trivial_cases(make_workload: Make) -> None:
    workload = with_cases(make_workload, one=(1, "check"), few=(77, "check"), timed=(5000, "perf"))
    assert sanitized_case(workload, DeviceKind.GPU).name == "few"


def test_a_timed_case_where_none_is_only_checked(make_workload: Make) -> None:
    workload = with_cases(make_workload, timed=(5000, "perf"))
    assert sanitized_case(workload, DeviceKind.GPU).name == "timed"


def test_the_emulator_needs_no_tool(make_workload: Make) -> None:
    workload = make_workload()
    missing = BenchOptions(sanitizer=SanitizerOptions(Path("nowhere")))
    with open_bench(workload, "emulator:h200", "the secret", missing) as bench:
        assert bench.sanitize(workload.initial) == NOT_APPLICABLE


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> DeviceOptions:
    try:
        found = build()
    except BuildUnavailable as missing:
        pytest.skip(f"the harness cannot be built: {missing}")
    library = Path(shutil.copy(found.driver, tmp_path_factory.mktemp("driver")))
    Path(f"{library}.json").write_text(json.dumps({"l2_bytes": 1 << 20, "memory_bytes": 1 << 30}), encoding="utf-8")
    return DeviceOptions(driver=library, harness=found.harness)


def opened(workload: Workload, driver: DeviceOptions, tool: Path, folder: Path) -> Bench:
    options = BenchOptions(folder / "cache", device=driver, sanitizer=SanitizerOptions(tool))
    return open_bench(workload, "gpu:0", "the secret", options)


@needs_shell
def test_a_clean_candidate(make_workload: Make, driver: DeviceOptions, tmp_path: Path) -> None:
    workload = with_cases(make_workload, few=(77, "check"), timed=(5000, "perf"))
    with opened(workload, driver, install(tmp_path / "tool"), tmp_path) as bench:
        report = bench.sanitize(workload.initial)
    assert (report.summary, report.case) == ("clean (4 tools)", "few")


@needs_shell
def test_a_fault_has_the_line_of_the_candidate(make_workload: Make, driver: DeviceOptions, tmp_path: Path) -> None:
    workload = with_cases(make_workload, few=(77, "check"), timed=(5000, "perf"))
    with opened(workload, driver, install(tmp_path / "tool", racecheck="race"), tmp_path) as bench:
        (finding,) = bench.sanitize(workload.initial).serious
    assert (finding.label, finding.line, finding.entry) == ("unstable.race", 3, "axpb")
