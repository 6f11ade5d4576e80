"""What compute-sanitizer found out about one run: by tool clean, found or not run. Not run is never clean."""

from dataclasses import dataclass
from enum import StrEnum


class Tool(StrEnum):
    """The tools, in the order in which they run."""

    MEMCHECK = "memcheck"
    RACECHECK = "racecheck"
    INITCHECK = "initcheck"
    SYNCCHECK = "synccheck"


class Verdict(StrEnum):
    """What became of one tool."""

    CLEAN = "clean"
    FOUND = "found"
    NOT_RUN = "not_run"


@dataclass(frozen=True, slots=True)
class SanitizerFinding:
    """One fault of the candidate, however many threads showed it.

    label: outcome and reason as the verifier and the emulator name them (`unstable.race`). message: in Warpwright's words.
    said: the tool's own line. entry: the kernel, None unknown. line: in the candidate's source, None without line
    information. block, thread: the first that showed it. serious: False for what the tool calls a warning: it is told and
    fails nothing. occurrences: reports that were merged.
    """

    tool: Tool
    label: str
    message: str
    said: str
    entry: str | None = None
    line: int | None = None
    block: tuple[int, int, int] | None = None
    thread: tuple[int, int, int] | None = None
    serious: bool = True
    occurrences: int = 1

    @property
    def text(self) -> str:
        """The whole finding in one sentence: place, fault, who, how often."""
        where = "" if self.line is None else f"line {self.line}: "
        who = "" if self.thread is None else f", thread {self.thread} of block {self.block or 'unknown'}"
        of = "" if self.entry is None else f" in {self.entry}"
        more = f", {self.occurrences} reports" if self.occurrences > 1 else ""
        return f"{where}{self.message}{of}{who}{more} ({self.tool.value}: {self.said})"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """One tool. findings: also warnings of a clean one. reason: why it was not run to its end."""

    tool: Tool
    verdict: Verdict
    findings: tuple[SanitizerFinding, ...] = ()
    reason: str = ""
    seconds: float = 0.0


_NOT_APPLICABLE = "not_applicable"


@dataclass(frozen=True, slots=True)
class SanitizerReport:
    """All tools on one case. version: of the program, empty where it was not found. case: name, empty where none was run.

    reason: why no tool was tried; then `tools` is empty. `not_applicable`: the device checks every access by itself.
    """

    version: str = ""
    case: str = ""
    tools: tuple[ToolResult, ...] = ()
    reason: str = ""

    @property
    def applicable(self) -> bool:
        """False on the emulator."""
        return self.reason != _NOT_APPLICABLE

    @property
    def serious(self) -> tuple[SanitizerFinding, ...]:
        """Findings that fail the candidate."""
        return tuple(f for tool in self.tools for f in tool.findings if f.serious)

    def tried(self, verdict: Verdict) -> tuple[ToolResult, ...]:
        """Tools with that verdict."""
        return tuple(tool for tool in self.tools if tool.verdict is verdict)

    @property
    def fault(self) -> str:
        """The first finding that fails the candidate, and how many more there are; empty without one."""
        first, *others = self.serious or (None,)
        more = f" (and {len(others)} more)" if others else ""
        return "" if first is None else f"{first.text}{more}"

    @property
    def summary(self) -> str:
        """One line: `clean (4 tools)`, `clean (3 tools); racecheck not run: ...`, `not run: ...`, `found: ...`."""
        if not self.applicable:
            return "not applicable: the emulator checks every access itself"
        if self.serious:
            return f"found: {self.fault}"
        clean, skipped = self.tried(Verdict.CLEAN), self.tried(Verdict.NOT_RUN)
        if not clean:
            return f"not run: {self.reason or _reasons(skipped)}"
        tools = f"{len(clean)} tool{'s' if len(clean) != 1 else ''}"
        warned = sum(len(tool.findings) for tool in clean)
        warnings = f", {warned} warning{'s' if warned != 1 else ''}" if warned else ""
        text = f"clean ({tools}{warnings})"
        return f"{text}; not run: {_reasons(skipped)}" if skipped else text


NOT_APPLICABLE = SanitizerReport(reason=_NOT_APPLICABLE)
"""On the emulator, which checks bounds, races, barriers and uninitialised reads in every run."""


def _reasons(skipped: tuple[ToolResult, ...]) -> str:
    """Why tools were not run; a reason that several share is said once."""
    by_reason: dict[str, list[str]] = {}
    for tool in skipped:
        by_reason.setdefault(tool.reason, []).append(tool.tool.value)
    if len(by_reason) == 1 and len(skipped) == len(Tool):
        return next(iter(by_reason))
    return "; ".join(f"{', '.join(tools)}: {reason}" for reason, tools in by_reason.items())
