"""The command lines of compute-sanitizer's tools, held to the options that the installed version has."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from warpwright.profiler.sanitizer.report import Tool
from warpwright.profiler.tool_process import ToolCommand, run_tool

ERROR_EXIT_CODE = 86
"""For `faults were found`. 255 means that the program never used CUDA, and 1, 2, 64, 70, 71 are the harness's own."""

NOT_INSTRUMENTED_EXIT_CODE = 255
PRINT_LIMIT = 20
PADDING_BYTES = 256
_HELP_LIMIT_S = 60.0
_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]+")
_VERSION = re.compile(r"[Vv]ersion\s+(\d[\w.]*)")
_NEEDED = ("--tool", "--error-exitcode", "--log-file")
_OF_TOOL: Mapping[Tool, tuple[tuple[str, str], ...]] = {
    Tool.MEMCHECK: (("--padding", str(PADDING_BYTES)), ("--report-api-errors", "no"), ("--leak-check", "no")),
    Tool.RACECHECK: (("--racecheck-report", "analysis"), ("--racecheck-detect-level", "warn")),
    Tool.INITCHECK: (("--initcheck-address-space", "all"), ("--check-api-memory-access", "no")),
    Tool.SYNCCHECK: (),
}


@dataclass(frozen=True, slots=True)
class Installed:
    """A compute-sanitizer that answers. options: every one that its help names."""

    program: Path
    version: str
    options: frozenset[str]

    @property
    def writes_xml(self) -> bool:
        """Whether it can save its reports as XML."""
        return {"--xml", "--save"} <= self.options


def ask_installed(program: Path, environment: Mapping[str, str], folder: Path) -> Installed | str:
    """Version and options by `--help`; or, in words, why it cannot be used."""
    try:
        answer = run_tool(ToolCommand((str(program), "--help"), environment, folder, _HELP_LIMIT_S))
    except OSError as error:
        return f"{program} could not be started: {error}"
    if answer.exit_code is None:
        return f"{program} --help did not end within {_HELP_LIMIT_S:g} s"
    options = frozenset(_OPTION.findall(answer.text))
    missing = [option for option in _NEEDED if option not in options]
    if missing:
        return f"{program} --help names no option {', '.join(missing)}: no compute-sanitizer, or one that is too old"
    version = _VERSION.search(answer.text)
    return Installed(program, "unknown" if version is None else version[1], options)


@dataclass(frozen=True, slots=True)
class Files:
    """Where one tool writes."""

    log: Path
    xml: Path


def tool_command(installed: Installed, tool: Tool, files: Files, command: Sequence[str]) -> tuple[str, ...]:
    """The whole argument vector. command: of the program under the tool.

    Kernels are not filtered by name: the program launches nothing but the candidate's, and a filter that matches nothing
    would look like a clean run.
    """
    wished = (
        ("--demangle", "no"),
        ("--strip-paths", "yes"),
        ("--print-limit", str(PRINT_LIMIT)),
        ("--show-backtrace", "device"),
        *_OF_TOOL[tool],
    )
    arguments = [str(installed.program), "--tool", tool.value, "--error-exitcode", str(ERROR_EXIT_CODE)]
    arguments += [part for pair in wished if pair[0] in installed.options for part in pair]
    arguments += ["--log-file", str(files.log)]
    if installed.writes_xml:
        arguments += ["--save", str(files.xml), "--xml"]
    return (*arguments, *command)
