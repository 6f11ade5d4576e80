import pytest

from warpwright.profiler.sanitizer.findings import Kernels, findings_of
from warpwright.profiler.sanitizer.records import Place, Record
from warpwright.profiler.sanitizer.report import NOT_APPLICABLE, SanitizerReport, Tool, ToolResult, Verdict

KERNELS = Kernels({"_Z5scalePf": "scale", "_Z3sumPf": "sum"}, "kernel.cu")
WRITE = "Invalid __global__ write of size 4 bytes"


def result(tool: Tool, verdict: Verdict, reason: str = "") -> ToolResult:
    return ToolResult(tool, verdict, reason=reason)


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (SanitizerReport(tools=tuple(result(t, Verdict.CLEAN) for t in Tool)), "clean (4 tools)"),
        (SanitizerReport(reason="it was not found"), "not run: it was not found"),
        (SanitizerReport(tools=tuple(result(t, Verdict.NOT_RUN, "no GPU") for t in Tool)), "not run: no GPU"),
        (
            SanitizerReport(
                tools=(result(Tool.MEMCHECK, Verdict.CLEAN), result(Tool.RACECHECK, Verdict.NOT_RUN, "too slow"))
            ),
            "clean (1 tool); not run: racecheck: too slow",
        ),
        (NOT_APPLICABLE, "not applicable: the emulator checks every access itself"),
    ],
)
def test_one_line_says_what_was_checked(report: SanitizerReport, text: str) -> None:
    assert report.summary == text
    assert report.serious == ()


def test_a_fault_in_a_header_is_shown_where_the_candidate_calls_it() -> None:
    places = (Place("__half2float", "cuda_fp16.hpp", 900), Place("_Z3sumPf", "kernel.cu", 14))
    (finding,) = findings_of(Tool.MEMCHECK, [Record(WRITE, places)], KERNELS)
    assert (finding.entry, finding.line) == ("sum", 14)


def test_demangled_names_are_understood() -> None:
    kernels = Kernels({"scale": "scale", "sum": "sum"}, "kernel.cu")
    (finding,) = findings_of(Tool.MEMCHECK, [Record(WRITE, (Place("sum(float *, int)"),))], kernels)
    assert (finding.entry, finding.line) == ("sum", None)


def test_faults_at_different_lines_stay_apart() -> None:
    records = [Record(WRITE, (Place("_Z3sumPf", "kernel.cu", line),)) for line in (3, 4, 3)]
    findings = findings_of(Tool.MEMCHECK, records, KERNELS)
    assert [(f.line, f.occurrences) for f in findings] == [(3, 2), (4, 1)]


def test_faults_come_before_warnings() -> None:
    records = [Record("Race", (), warning=True), Record("Race", (Place("_Z3sumPf", "kernel.cu", 9),))]
    assert [f.serious for f in findings_of(Tool.RACECHECK, records, KERNELS)] == [True, False]


@pytest.mark.parametrize("tool", Tool)
def test_every_tool_has_words_for_what_nobody_foresaw(tool: Tool) -> None:
    (finding,) = findings_of(tool, [Record("something new")], KERNELS)
    assert finding.message
    assert finding.label.partition(".")[0] in ("crash", "unstable", "wrong_result")


def test_reports_about_the_host_are_left_out() -> None:
    assert findings_of(Tool.MEMCHECK, [Record("an API error", about_device=False)], KERNELS) == ()
