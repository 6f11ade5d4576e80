"""How compute-sanitizer is run."""

from dataclasses import dataclass
from pathlib import Path

from warpwright.profiler.sanitizer.report import Tool

TIME_LIMIT_S = 120.0
"""Wall clock of one tool. Slow-downs of 2 to 50 times are reported publicly; the smallest check case takes milliseconds."""


@dataclass(frozen=True, slots=True)
class SanitizerOptions:
    """program: used alone if named, else looked for. tools: which, in order. time_limit_s: of one tool, wall clock.

    keep: folder where what each tool wrote is kept as `TOOL.txt` and `TOOL.xml`; None: nowhere.
    """

    program: Path | None = None
    tools: tuple[Tool, ...] = tuple(Tool)
    time_limit_s: float = TIME_LIMIT_S
    keep: Path | None = None
