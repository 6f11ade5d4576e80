"""What a candidate may include and ask of the compiler, decided before it is compiled (`verification.md` V33).

An include can print a host file into the compiler's log and so into a prompt. Allowed are CUDA's own headers, stubs for
host headers that people include by habit, and headers that the workload lists; each by its literal name.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from warpwright.candidate.unseen import BYTE_ORDER_MARK, first_unseen
from warpwright.compiler.logical_text import readings
from warpwright.compiler.result import Diagnostic
from warpwright.units import MIB

MAX_SOURCE_BYTES = 1 * MIB

_GAP = r"(?:\s|/\*.*?\*/)*"
_DIRECTIVE = re.compile(rf"(?:\#|%:){_GAP}(?P<word>include\w*|import|embed|line)\b{_GAP}(?P<rest>[^\n]*)", re.DOTALL)
_DIRECTIVE_REST = re.compile(r'"(?P<quoted>[^"\n]*)"|<(?P<angled>[^>\n]*)>')
_LINE_MARKER = re.compile(r"(?:^|\n)\s*(?:\#|%:)\s*\d")
_MODULE_IMPORT = re.compile(r'(?:^|[\n;{}])\s*(?:export\s+)?import\b\s*["<:\w]')
_PROBE = re.compile(r"\w*has_(?:include|embed)\w*", re.IGNORECASE)
_PASTE = re.compile(r"##|%:%:")
_PASTED_PROBE = re.compile(r"(?<!\w)(?:_|__|__h|__ha|__has|__has_|__has_i\w*|__has_e\w*)(?!\w)")
_JOINED_LITERALS = re.compile(r'"\s*"')
_ASSEMBLER_INCLUDE = re.compile(r"\.\s*(?:incbin|include)\b", re.IGNORECASE)
_LAYOUT = "\r\v\f"
"""White space of C besides blanks, tabs and newlines."""
_TRIGRAPH = re.compile(r"\?\?[=/]")
_HEADER_NAME = re.compile(r"[A-Za-z0-9_+\-][A-Za-z0-9_+\-.]*(?:/[A-Za-z0-9_+\-][A-Za-z0-9_+\-.]*)*")
_BARRED_FOLDERS = ("thrust/",)
"""Host libraries whose headers include what a macro names."""

_OPTION = re.compile(
    r"-?-use_fast_math"
    r"|-?-maxrregcount=\d{1,3}"
    r"|-?-std=c\+\+(?:11|14|17|20)"
    r"|-?-(?:fmad|ftz|prec-div|prec-sqrt)=(?:true|false)"
    r"|-?-extra-device-vectorization|--restrict|-restrict"
    r"|(?:--ptxas-options=|-Xptxas=)(?:-O[0-3]|-dlcm=c[ag]|-dscm=(?:wb|cg)|--allow-expensive-optimizations=(?:true|false))"
)
ALLOWED_OPTIONS = (
    "--use_fast_math, --maxrregcount=N, --std=c++{11,14,17,20}, --fmad=, --ftz=, --prec-div=, --prec-sqrt=true|false, "
    "--extra-device-vectorization, --restrict, --ptxas-options=-O{0..3}|-dlcm=c{a,g}|-dscm={wb,cg}"
)
_DEFINE = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Refusal:
    """reason: `header` or `policy`. file and line: where, line None if the file as a whole."""

    reason: str
    file: str
    line: int | None
    message: str

    def diagnostic(self) -> Diagnostic:
        """The same, as a compiler message."""
        return Diagnostic(self.file, self.line, "error", self.message)


@dataclass(frozen=True, slots=True)
class IncludePolicy:
    """directories: where NVRTC looks for CUDA headers and stubs; None: unknown here, so any plain name may be one."""

    directories: tuple[Path, ...] | None

    def check(self, source: str, source_name: str, headers: Mapping[str, str]) -> Refusal | None:
        """The first thing that is not allowed in the source or in the workload's headers; None if all is well."""
        for name in headers:
            if _HEADER_NAME.fullmatch(name) is None:
                return Refusal("header", source_name, None, f'header name "{name}" is not a plain relative path.')
        for name, text in ((source_name, source), *headers.items()):
            refusal = self._check_file(text, name, headers)
            if refusal is not None:
                return refusal
        return None

    def _check_file(self, text: str, name: str, headers: Mapping[str, str]) -> Refusal | None:
        if len(text.encode("utf-8", "surrogatepass")) > MAX_SOURCE_BYTES:
            return Refusal("policy", name, None, f"the source is larger than {MAX_SOURCE_BYTES} bytes.")
        shown = text.removeprefix(BYTE_ORDER_MARK)
        if unseen := first_unseen(shown, _LAYOUT):
            return Refusal("policy", name, _line(shown, unseen[0]), f"{unseen[1]} is not allowed in a source.")
        if found := _TRIGRAPH.search(text):
            return Refusal("policy", name, _line(text, found.start()), "a trigraph is not allowed in a source.")
        for reading in readings(text):
            message = _forbidden_word(reading)
            if message is not None:
                return Refusal("policy", name, _find_line(text, message[0]), message[1])
            refused = self._check_directives(reading, text, name, headers)
            if refused is not None:
                return refused
        return None

    def _check_directives(self, reading: str, text: str, name: str, headers: Mapping[str, str]) -> Refusal | None:
        for directive in _DIRECTIVE.finditer(reading):
            line = _find_line(text, directive["word"], directive["rest"])
            if directive["word"] != "include":
                return Refusal("policy", name, line, f"#{directive['word']} is not allowed.")
            operand = _DIRECTIVE_REST.match(directive["rest"])
            if operand is None:
                return Refusal(
                    "policy", name, line, '#include must name its header literally: #include "name" or <name>.'
                )
            message = self._refuse_header(operand["quoted"] or operand["angled"] or "", headers)
            if message is not None:
                return Refusal("header", name, line, message)
        return None

    def _refuse_header(self, header: str, headers: Mapping[str, str]) -> str | None:
        if header in headers:
            return None
        plain = _HEADER_NAME.fullmatch(header) is not None and ".." not in PurePosixPath(header).parts
        if plain and header.startswith(_BARRED_FOLDERS):
            return f'"{header}" is a host library; NVRTC compiles device code only. Remove the include.'
        if plain and (self.directories is None or any(_inside(directory, header) for directory in self.directories)):
            return None
        shown = header if plain else "a path outside the allowed folders"
        listed = ", ".join(sorted(headers)) or "none"
        return (
            f"{shown}: not available. Allowed are CUDA headers by name (cuda_fp16.h, mma.h, cooperative_groups.h, "
            f"cub/block/..., cuda/std/...) and the workload's listed headers ({listed})."
        )


def check_options(options: Iterable[str], defines: Mapping[str, int]) -> str | None:
    """What is wrong with the options or the names of the defines; None if they are allowed."""
    for option in options:
        if _OPTION.fullmatch(option) is None:
            return f'compile option "{option}" is not allowed. Allowed: {ALLOWED_OPTIONS}.'
    for name in defines:
        if _DEFINE.fullmatch(name) is None or _PROBE.search(name) or name.startswith("__"):
            return f'"{name}" cannot be a macro name; use letters, digits and single underscores.'
    return None


def _inside(directory: Path, header: str) -> bool:
    path = directory / header
    return path.is_file() and path.resolve().is_relative_to(directory.resolve())


def _forbidden_word(reading: str) -> tuple[str, str] | None:
    """The text that is forbidden, and the message."""
    if found := _PROBE.search(reading):
        return found[0], f"{found[0]} is not allowed: it asks whether files exist."
    if _PASTE.search(reading) and (found := _PASTED_PROBE.search(reading)):
        return found[0], f'"{found[0]}" beside token pasting (##) is not allowed: it can spell __has_include.'
    if found := _LINE_MARKER.search(reading):
        return found[0].strip(), "line markers are not allowed: they move messages away from your file."
    if found := _MODULE_IMPORT.search(reading):
        return "import", "import is not allowed; use #include with a header from the list."
    if found := _ASSEMBLER_INCLUDE.search(_JOINED_LITERALS.sub("", reading)):
        return found[0], f"{found[0]} is not allowed in assembly."
    return None


def _find_line(text: str, *words: str) -> int | None:
    """Line in the file as written; None where splices hide it."""
    parts = [word.strip() for word in words if word.strip()]
    for number, line in enumerate(text.split("\n"), start=1):
        if all(part in line for part in parts):
            return number
    return None


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
