"""Why an attempt failed, as far as its record tells: fit to correct it by."""

from collections.abc import Iterator

from warpwright.evaluation.outcome import CaseEvaluation, Evaluation
from warpwright.proposer.model.prompt.limits import limits
from warpwright.proposer.model.prompt.quoting import one_line, quoted, without_paths
from warpwright.record.attempt import Attempt
from warpwright.record.evidence import compile_errors
from warpwright.workload.model import Workload
from warpwright.workload.values import Comparison

_NEAR = 2
"""Further lines of source around a line that the evidence names."""


def evidence(workload: Workload, attempt: Attempt) -> str:
    """The outcome, then what the compiler, the comparison or the fault said; of visible cases only."""
    evaluation = attempt.evaluation
    said = "\n".join(
        filter(None, [message_of(workload, evaluation), *_compiler(attempt), *_wrong(workload, evaluation)])
    )
    heading = f"## What happened to attempt {attempt.number}: {evaluation.label}"
    parts = [heading, quoted("evidence", without_paths(said), limits().evidence) if said else ""]
    return "\n".join([*filter(None, parts), *_line(attempt)])


def message_of(workload: Workload, evaluation: Evaluation) -> str:
    """What is said of an outcome, without paths; empty if cases were run that no proposer sees."""
    shown = len(_visible(workload, evaluation)) == len(evaluation.cases)
    return without_paths(evaluation.message) if shown else ""


def _visible(workload: Workload, evaluation: Evaluation) -> list[CaseEvaluation]:
    known = {case.name for case in workload.cases}
    return [case for case in evaluation.cases if case.name in known]


def _compiler(attempt: Attempt) -> Iterator[str]:
    for diagnostic in compile_errors(attempt.evaluation)[: limits().diagnostics_shown]:
        where = diagnostic.file if diagnostic.line is None else f"{diagnostic.file}:{diagnostic.line}"
        yield f"{where}: {diagnostic.severity}: {one_line(diagnostic.message, limits().line)}"
        if diagnostic.file == attempt.candidate.source_name:
            yield from _source(attempt, diagnostic.line, 0)


def _wrong(workload: Workload, evaluation: Evaluation) -> Iterator[str]:
    for case in _visible(workload, evaluation):
        for comparison in case.comparisons:
            if not comparison.passed:
                yield from _elements(case.name, comparison)


def _elements(case: str, comparison: Comparison) -> Iterator[str]:
    yield f"case {case}, {comparison.output}: {comparison.wrong} of {comparison.total} elements are wrong; the first ones:"
    for mismatch in comparison.first[: limits().wrong_shown]:
        index = ", ".join(map(str, mismatch.index))
        yield f"  {comparison.output}[{index}] is {mismatch.got:.9g}, should be {mismatch.want:.9g}"


def _line(attempt: Attempt) -> Iterator[str]:
    """The source line of a fault, unless the compiler's messages show theirs."""
    line = attempt.evaluation.line
    if line is not None and not compile_errors(attempt.evaluation):
        shown = "\n".join(_source(attempt, line, _NEAR))
        if shown:
            yield quoted(f"source around line {line}", shown, limits().launch)


def _source(attempt: Attempt, line: int | None, near: int) -> Iterator[str]:
    lines = attempt.candidate.source.splitlines()
    if line is None or not 0 < line <= len(lines):
        return
    for number in range(max(line - near, 1), min(line + near, len(lines)) + 1):
        yield f"  {number:4} | {lines[number - 1][: limits().line]}"
