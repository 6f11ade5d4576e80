"""NVRTC's log as diagnostics placed in the user's files, and as text that says nothing of other files.

A message about a file that is neither the user's nor a CUDA header loses its text: an include that slipped through
every other gate could still not print a host file into a log, a record or a prompt.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from warpwright.compiler.result import Diagnostic

_PLACED = re.compile(
    r"^(?P<file>.*?)\((?P<line>\d+)\): (?P<severity>(?:catastrophic )?error|warning|remark|note)(?: #[\w-]+)?:? ?(?P<text>.*)$"
)
_FATAL = re.compile(r"^nvrtc: error:\s*(?P<text>.*)$")
_PTXAS = re.compile(r"^ptxas\b[^:]*?(?P<severity>error|fatal|warning)\s*: (?P<text>.*)$")
_PATH = re.compile(r"(?<![\w.])(?:[A-Za-z]:)?[/\\][\w.@+\-]+(?:[/\\][\w.@+\-]+)+")
_DEFAULT_DEVICE = re.compile(r"Consider using -default-device flag[^.]*")
_NAME_MAP = "__nv_name_map"
_MAX_MESSAGES = 40
ELSEWHERE = "(another file)"
ASSEMBLER = "ptxas"
NAME_EXPRESSION = "(entry)"


@dataclass(frozen=True, slots=True)
class KnownFiles:
    """The files that a log may speak of. directories: of CUDA headers and stubs."""

    source_name: str
    headers: frozenset[str]
    directories: tuple[Path, ...]

    def owned(self, file: str) -> bool:
        """True for the user's own files."""
        return file == self.source_name or file in self.headers

    def library_name(self, file: str) -> str | None:
        """A CUDA header by its include name; None for any other file."""
        for directory in sorted(self.directories, key=lambda path: len(path.parts), reverse=True):
            if Path(file).is_absolute() and Path(file).is_relative_to(directory) and ".." not in Path(file).parts:
                return Path(file).relative_to(directory).as_posix()
        return None


@dataclass(frozen=True, slots=True)
class ParsedLog:
    """diagnostics in order; text: the log fit for people, records and prompts."""

    diagnostics: tuple[Diagnostic, ...]
    text: str


def parse_log(log: str, files: KnownFiles) -> ParsedLog:
    """Place each message; at most 40 are kept, and the text says how many more there were."""
    diagnostics: list[Diagnostic] = []
    lines: list[str] = []
    total = 0
    for message, context in _messages(log):
        placed = _diagnostic(message, files)
        if placed is None or (placed.file == ELSEWHERE and placed in diagnostics):
            continue
        total += 1
        if total > _MAX_MESSAGES:
            continue
        diagnostics.append(placed)
        lines.append(format_diagnostic(placed))
        if files.owned(placed.file):
            lines.extend(context)
    if total > _MAX_MESSAGES:
        lines.append(f"... and {total - _MAX_MESSAGES} more messages")
    return ParsedLog(tuple(diagnostics), "\n".join(lines))


def errors(diagnostics: Collection[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Only the errors."""
    return tuple(d for d in diagnostics if d.severity == "error")


def format_diagnostic(diagnostic: Diagnostic) -> str:
    """`kernel.cu(14): error: expected a ";"`."""
    place = diagnostic.file if diagnostic.line is None else f"{diagnostic.file}({diagnostic.line})"
    return f"{place}: {diagnostic.severity}: {diagnostic.message}"


def _messages(log: str) -> Iterator[tuple[str, list[str]]]:
    """Each message with the source text and caret that NVRTC prints below it."""
    current: str | None = None
    context: list[str] = []
    for line in log.splitlines():
        if _PLACED.match(line) or _FATAL.match(line) or line.startswith("ptxas"):
            if current is not None:
                yield current, context
            current, context = line, []
        elif line.startswith("  ") and current is not None:
            context.append(line)
    if current is not None:
        yield current, context


def _diagnostic(message: str, files: KnownFiles) -> Diagnostic | None:
    if placed := _PLACED.match(message):
        severity = "error" if "error" in placed["severity"] else placed["severity"].replace("remark", "note")
        return _placed(placed["file"], int(placed["line"]), severity, placed["text"], files)
    if fatal := _FATAL.match(message):
        return Diagnostic("nvrtc", None, "error", _presentable(fatal["text"]))
    if assembler := _PTXAS.match(message):
        severity = "warning" if assembler["severity"] == "warning" else "error"
        return Diagnostic(ASSEMBLER, None, severity, _presentable(assembler["text"]))
    return None


def _placed(file: str, line: int, severity: str, text: str, files: KnownFiles) -> Diagnostic | None:
    if files.owned(file):
        return Diagnostic(file, line, severity, _presentable(text))
    if file == _NAME_MAP:
        return Diagnostic(NAME_EXPRESSION, None, severity, _presentable(text))
    header = files.library_name(file)
    if severity != "error":
        return None  # what CUDA's own headers warn about is not the author's business
    if header is not None:
        return Diagnostic(header, line, severity, _presentable(text))
    return Diagnostic(ELSEWHERE, None, severity, "a message about a file that is not part of the candidate")


def _presentable(text: str) -> str:
    """NVRTC's words without host folders, and without advice that cannot be followed here.

    `(declared at line 8 of /home/me/.venv/.../cuda_fp16.h)` -> `(declared at line 8 of cuda_fp16.h)`.
    """
    advised = _DEFAULT_DEVICE.sub("Add __device__ to it", text)
    return _PATH.sub(lambda match: re.split(r"[/\\]", match[0])[-1], advised)
