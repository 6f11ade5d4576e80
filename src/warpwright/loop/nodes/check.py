"""First node: the workload is linted, the oracle runs, the reference kernel gives its second opinion."""

from langgraph.runtime import Runtime

from warpwright.errors import WorkloadError
from warpwright.evaluation.second_opinion import second_opinion
from warpwright.loop.context import LoopContext, context_of
from warpwright.loop.state import LoopState
from warpwright.record.event import Event
from warpwright.workload.lint import LintFinding


def check(state: LoopState, runtime: Runtime[LoopContext]) -> LoopState:
    """Refuse a workload whose checks could not see a wrong kernel. Raises: WorkloadError with every finding."""
    context = context_of(runtime, state)
    findings = context.bench.lint()
    errors = [_text(f) for f in findings if f.severity == "error"]
    if errors:
        raise WorkloadError(f"{context.session.workload.name}: " + "; ".join(errors))
    for finding in findings:
        context.session.emit(Event("lint", text=_text(finding)))
    reference = second_opinion(context.bench.evaluator)
    if reference is not None:
        context.session.emit(Event("note", text=f"reference kernel: {reference.message}"))
    return {}


def _text(finding: LintFinding) -> str:
    return finding.message if finding.case is None else f"case {finding.case}: {finding.message}"
