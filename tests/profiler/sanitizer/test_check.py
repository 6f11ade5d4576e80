"""The whole way on the stand-in driver: the real harness runs the job under a stand-in of compute-sanitizer."""

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from device.gpu.kernels import NORMAL, scale_request
from harness.building import BuildUnavailable, Built, build
from profiler.sanitizer.installing import install
from warpwright.compiler.compiler import Compiler
from warpwright.device.gpu.device import GpuDevice
from warpwright.device.protocol import ArrayArgument, RunRequest
from warpwright.device.registry import DeviceOptions, open_device
from warpwright.profiler.sanitizer.check import sanitize
from warpwright.profiler.sanitizer.options import SanitizerOptions
from warpwright.profiler.sanitizer.report import SanitizerReport, Tool, ToolResult, Verdict
from warpwright.workload.recipe import Generated

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in of the tool is a shell script")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    try:
        found = build()
    except BuildUnavailable as missing:
        pytest.skip(f"the harness cannot be built: {missing}")
    folder = tmp_path_factory.mktemp("built")
    return Built(*(Path(shutil.copy(path, folder)) for path in (found.harness, found.driver, found.old_driver)))


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "events.jsonl"


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compiler]:
    with Compiler(tmp_path_factory.mktemp("compiled")) as opened:
        yield opened


@pytest.fixture(scope="module")
def gpu(built: Built, log: Path, compiler: Compiler) -> Iterator[GpuDevice]:
    settings = {"l2_bytes": 1 << 20, "memory_bytes": 512 << 20, "log": str(log)}
    Path(f"{built.driver}.json").write_text(json.dumps(settings), encoding="utf-8")
    device = open_device("gpu:0", DeviceOptions(driver=built.driver, harness=built.harness))
    assert isinstance(device, GpuDevice)
    with device:
        device.prepare(compiler)
        yield device


@pytest.fixture(scope="module")
def request_(compiler: Compiler) -> RunRequest:
    return scale_request(compiler)


Said = Callable[..., SanitizerReport]


@pytest.fixture
def said(gpu: GpuDevice, request_: RunRequest, tmp_path: Path) -> Said:
    """The report of tools that say so."""

    def make(options: str = "full", time_limit_s: float = 30.0, **say: str) -> SanitizerReport:
        program = install(tmp_path / "tool", options, **say)
        tools = tuple(Tool(name) for name in say) or tuple(Tool)
        return sanitize(gpu, request_, SanitizerOptions(program, tools, time_limit_s))

    return make


def only(report: SanitizerReport) -> ToolResult:
    assert report.reason == ""
    (result,) = report.tools
    return result


def test_every_tool_runs_the_plan_once_and_nothing_else(said: Said, log: Path) -> None:
    log.write_text("", encoding="utf-8")
    report = said()
    assert report.summary == "clean (4 tools)"
    assert report.version == "2026.4.0.0"
    launches = [row for line in log.read_text(encoding="utf-8").splitlines() if (row := json.loads(line)).get("kernel")]
    assert [row["kernel"] for row in launches] == ["scale"] * 4


def test_a_write_out_of_bounds_is_found_at_its_line(said: Said) -> None:
    result = only(said(memcheck="write"))
    assert result.verdict is Verdict.FOUND
    (finding,) = result.findings
    assert (finding.label, finding.entry, finding.line) == ("wrong_result.oob_write", "scale", 3)
    assert (finding.block, finding.thread, finding.occurrences) == ((1, 0, 0), (5, 0, 0), 2)
    assert finding.text == (
        "line 3: a write to global memory that belongs to no array in scale, thread (5, 0, 0) of block (1, 0, 0), 2 reports "
        "(memcheck: Invalid __global__ write of size 4 bytes)"
    )


@pytest.mark.parametrize(
    ("tool", "scenario", "label"),
    [
        ("memcheck", "read", "wrong_result.oob_read"),
        ("memcheck", "misaligned", "crash.misaligned"),
        ("racecheck", "race", "unstable.race"),
        ("initcheck", "uninitialised", "wrong_result.uninitialised_read"),
        ("synccheck", "barrier", "wrong_result.barrier_divergence"),
    ],
)
def test_faults_have_the_labels_of_the_verifier(said: Said, tool: str, scenario: str, label: str) -> None:
    (finding,) = only(said(**{tool: scenario})).findings
    assert (finding.label, finding.line, finding.serious) == (label, 3, True)


def test_a_race_names_both_lines(said: Said) -> None:
    report = said(racecheck="race")
    assert "line 3: a race on shared memory" in report.summary
    assert "(with line 4)" in report.summary


def test_a_warning_is_told_and_fails_nothing(said: Said) -> None:
    report = said(racecheck="warning")
    assert only(report).verdict is Verdict.CLEAN
    assert report.serious == ()
    assert report.summary == "clean (1 tool, 1 warning)"


@pytest.mark.parametrize(("scenario", "options"), [("cut_write", "full"), ("write", "old")])
def test_without_readable_xml_the_text_is_read(said: Said, scenario: str, options: str) -> None:
    (finding,) = only(said(options, memcheck=scenario)).findings
    assert (finding.label, finding.line, finding.thread) == ("wrong_result.oob_write", 3, (5, 0, 0))
    assert "Address 0x7f00 is out of bounds" in finding.said


def test_counted_faults_whose_reports_are_unreadable_count(said: Said) -> None:
    result = only(said(memcheck="uncounted"))
    assert result.verdict is Verdict.FOUND
    assert result.findings[0].said == "ERROR SUMMARY: 3 errors"


@pytest.mark.parametrize(
    ("scenario", "reason"),
    [
        ("not_cuda", "it did not see the program use the GPU: Error: the target ended before its first call"),
        ("mute", "it gave no summary: "),
        ("api", "the run under it failed (exit code 86): cuCtxSynchronize gave an error"),
        ("hang", "did not end within 0.5 s"),
    ],
)
def test_what_was_not_checked_is_never_clean(said: Said, scenario: str, reason: str) -> None:
    report = said(time_limit_s=0.5 if scenario == "hang" else 30.0, memcheck=scenario)
    result = only(report)
    assert result.verdict is Verdict.NOT_RUN
    assert result.reason.startswith(reason)
    assert report.summary.startswith("not run: ")


def test_one_tool_that_hangs_leaves_the_others(said: Said) -> None:
    report = said(time_limit_s=3.0, memcheck="clean", racecheck="hang")
    assert report.summary == "clean (1 tool); not run: racecheck: did not end within 3 s"


def test_a_run_that_fails_under_the_tool_is_not_clean(said: Said, gpu: GpuDevice, built: Built) -> None:
    settings = Path(f"{built.driver}.json")
    before = settings.read_text(encoding="utf-8")
    settings.write_text(json.dumps({**json.loads(before), "kernels": {"scale": {"fault": "trap"}}}), encoding="utf-8")
    try:
        result = only(said(memcheck="clean"))
    finally:
        settings.write_text(before, encoding="utf-8")
    assert result.verdict is Verdict.NOT_RUN
    assert "the run under it failed (exit code 1)" in result.reason or "(exit code 70)" in result.reason


def test_another_program_is_no_compute_sanitizer(said: Said) -> None:
    report = said("other")
    assert report.tools == ()
    assert "names no option --tool, --error-exitcode, --log-file" in report.summary


def test_a_missing_tool_is_a_reason(gpu: GpuDevice, request_: RunRequest, tmp_path: Path) -> None:
    report = sanitize(gpu, request_, SanitizerOptions(tmp_path / "nowhere"))
    assert report.summary == (
        f"not run: {tmp_path / 'nowhere'} is no program that can be run. Check WARPWRIGHT_COMPUTE_SANITIZER."
    )


def test_a_gpu_behind_a_command_says_why(
    built: Built, compiler: Compiler, request_: RunRequest, tmp_path: Path
) -> None:
    words = f"command:{built.harness} --driver {built.driver}"
    with open_device(words, DeviceOptions()) as device:  # type: ignore[attr-defined]
        device.prepare(compiler)
        report = sanitize(device, request_, SanitizerOptions(install(tmp_path / "tool")))
    assert "on the machine that has the GPU" in report.summary


def test_inputs_made_on_the_device_are_made_here(
    gpu: GpuDevice, request_: RunRequest, tmp_path: Path, log: Path
) -> None:
    def generated(argument: object) -> object:
        if isinstance(argument, ArrayArgument) and isinstance(argument.value, np.ndarray):
            return replace(argument, value=None, generated=Generated(NORMAL, 7))
        return argument

    request = replace(request_, arguments=tuple(generated(a) for a in request_.arguments))  # type: ignore[misc]
    log.write_text("", encoding="utf-8")
    report = sanitize(gpu, request, SanitizerOptions(install(tmp_path / "tool"), (Tool.INITCHECK,)))
    assert report.summary == "clean (1 tool)"
    assert "ww_generate" not in log.read_text(encoding="utf-8")


def test_what_the_tools_wrote_is_kept(gpu: GpuDevice, request_: RunRequest, tmp_path: Path) -> None:
    program = install(tmp_path / "tool", racecheck="race")
    sanitize(gpu, request_, SanitizerOptions(program, (Tool.RACECHECK,), keep=tmp_path / "kept"))
    kept = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "kept").iterdir()}
    assert sorted(kept) == ["racecheck.txt", "racecheck.xml"]
    assert "RACECHECK SUMMARY" in kept["racecheck.txt"]
