"""compute-sanitizer on one run of a candidate: each tool under its limit, each answer read, nothing taken for granted."""

import logging
import math
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from warpwright.device.protocol import Argument, ArrayArgument, Program, RunOnce, RunOnceDevice, RunRequest
from warpwright.errors import DeviceUnavailable, InfrastructureError
from warpwright.profiler.sanitizer.command import (
    ERROR_EXIT_CODE,
    NOT_INSTRUMENTED_EXIT_CODE,
    Files,
    Installed,
    ask_installed,
    tool_command,
)
from warpwright.profiler.sanitizer.findings import Kernels, findings_of, unread_finding
from warpwright.profiler.sanitizer.locate import find_compute_sanitizer
from warpwright.profiler.sanitizer.options import SanitizerOptions
from warpwright.profiler.sanitizer.report import SanitizerFinding, SanitizerReport, Tool, ToolResult, Verdict
from warpwright.profiler.sanitizer.text_report import read_summary, read_text
from warpwright.profiler.sanitizer.xml_report import read_xml
from warpwright.profiler.tool_process import GpuBusy, ToolCommand, ToolRun, run_tool
from warpwright.workload.generator import generate

_LOG_BYTES = 1024 * 1024
_LAST_WORDS = 300
_LOGGER = logging.getLogger(__name__)
_DEFAULT_OPTIONS = SanitizerOptions()


@dataclass(frozen=True, slots=True)
class _Run:
    """What every tool is run on."""

    installed: Installed
    once: RunOnce
    kernels: Kernels
    environment: Mapping[str, str]
    time_limit_s: float


def sanitize(
    device: RunOnceDevice, request: RunRequest, options: SanitizerOptions = _DEFAULT_OPTIONS
) -> SanitizerReport:
    """Run a plan once under every tool. A tool that did not do its work is `not_run` with the reason, never clean.

    The run is the harness's, on plain memory. Inputs that a device would make by itself are made here, so that no kernel of
    ours runs beside the candidate's. Lines are known where the program was built with line information.
    Raises: InfrastructureError if the device fails.
    """
    program = find_compute_sanitizer(options.program)
    if isinstance(program, str):
        return SanitizerReport(reason=program)
    with tempfile.TemporaryDirectory(prefix="warpwright-sanitizer-", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        job = folder / "job"
        job.mkdir()
        try:
            once = device.run_once(_plain(request, options.time_limit_s), job)
        except DeviceUnavailable as unavailable:
            return SanitizerReport(reason=str(unavailable))
        environment = {**once.environment, "LC_ALL": "C"}
        installed = ask_installed(program, environment, folder)
        if isinstance(installed, str):
            return SanitizerReport(reason=installed)
        run = _Run(installed, once, _kernels(request.program), environment, options.time_limit_s)
        results = tuple(_tool(tool, run, folder) for tool in options.tools)
        if options.keep is not None:
            _keep(folder, options.tools, options.keep)
        return SanitizerReport(installed.version, tools=results)


def _keep(folder: Path, tools: tuple[Tool, ...], kept: Path) -> None:
    try:
        kept.mkdir(parents=True, exist_ok=True)
        for path in (path for tool in tools for path in (folder / tool.value).iterdir()):
            shutil.copyfile(path, kept / f"{path.parent.name}{path.suffix}")
    except OSError as error:
        raise InfrastructureError(f"{kept}: reports of compute-sanitizer cannot be kept there ({error})") from error


def _plain(request: RunRequest, time_limit_s: float) -> RunRequest:
    """With the value of every input, and as much time as the tool itself has."""
    arguments = tuple(_with_value(argument) for argument in request.arguments)
    return replace(request, arguments=arguments, time_limit_s=time_limit_s)


def _with_value(argument: Argument) -> Argument:
    if not isinstance(argument, ArrayArgument) or argument.generated is None:
        return argument
    made = generate(argument.generated.recipe, argument.generated.key, math.prod(argument.shape))
    return replace(argument, value=made.reshape(argument.shape), generated=None)


def _kernels(program: Program) -> Kernels:
    return Kernels({symbol: entry for entry, symbol in program.lowered.items()}, program.source_name)


def _tool(tool: Tool, run: _Run, folder: Path) -> ToolResult:
    own = folder / tool.value
    own.mkdir()
    files = Files(log=own / "log.txt", xml=own / "report.xml")
    arguments = tool_command(run.installed, tool, files, run.once.command)
    _LOGGER.debug("compute-sanitizer: %s", arguments)
    try:
        done = run_tool(ToolCommand(arguments, run.environment, own, run.time_limit_s, run.once.lock))
    except OSError as error:
        return ToolResult(tool, Verdict.NOT_RUN, reason=f"{run.installed.program} could not be started: {error}")
    except GpuBusy as busy:
        return ToolResult(tool, Verdict.NOT_RUN, reason=str(busy))
    if done.exit_code is None:
        reason = f"did not end within {run.time_limit_s:g} s"
        return ToolResult(tool, Verdict.NOT_RUN, reason=reason, seconds=done.seconds)
    verdict, found, reason = _read(tool, done, files, run.kernels)
    return ToolResult(tool, verdict, found, reason, done.seconds)


def _read(
    tool: Tool, done: ToolRun, files: Files, kernels: Kernels
) -> tuple[Verdict, tuple[SanitizerFinding, ...], str]:
    """Found if any sign of a fault is there; clean only if the tool says so itself and the program ended well."""
    log = _log(files.log)
    records = read_xml(files.xml) or ()
    if not any(record.about_device for record in records):
        records = (*records, *read_text(log))
    found = findings_of(tool, records, kernels)
    if any(finding.serious for finding in found):
        return Verdict.FOUND, found, ""
    last_words = _last_words(log, done)
    host = next((record.text for record in records if not record.about_device), None)
    summary = read_summary(log)
    errors = summary is not None and summary.errors > 0
    if host is None and (errors or (done.exit_code == ERROR_EXIT_CODE and not found)):
        return Verdict.FOUND, (*found, unread_finding(tool, last_words)), ""
    if done.exit_code == NOT_INSTRUMENTED_EXIT_CODE:
        return Verdict.NOT_RUN, found, f"it did not see the program use the GPU: {last_words.rpartition(' | ')[2]}"
    if summary is None:
        return Verdict.NOT_RUN, found, f"it gave no summary: {last_words}"
    if errors or done.exit_code not in (0, ERROR_EXIT_CODE):
        return Verdict.NOT_RUN, found, f"the run under it failed (exit code {done.exit_code}): {host or last_words}"
    return Verdict.CLEAN, found, ""


def _log(path: Path) -> str:
    """What the tool wrote to its log file; of a very long one the end, where the summary stands."""
    if not path.is_file():
        return ""
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - _LOG_BYTES))
        return stream.read().decode("utf-8", "replace")


def _last_words(log: str, done: ToolRun) -> str:
    lines = [line.strip("= \t") for line in (log.strip() or done.text).splitlines()]
    said = " | ".join(line for line in lines if line and line != "COMPUTE-SANITIZER")
    return said[-_LAST_WORDS:] or f"exit code {done.exit_code}, and nothing was said"
