"""Everything that a draft must stand before a person is asked about it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warpwright.errors import UnsupportedInstruction, WorkloadError
from warpwright.evaluation.bench import Bench, fresh_secret, open_bench
from warpwright.evaluation.outcome import Evaluation, Outcome
from warpwright.evaluation.summary import evaluation_to_json
from warpwright.loop.describing.context import DescribeContext
from warpwright.loop.describing.declaring import declare_second, reference_fault
from warpwright.loop.describing.draft import SECOND, WORKLOAD_TOML, Draft
from warpwright.loop.describing.examples import worked_examples
from warpwright.loop.describing.rules import rule_faults
from warpwright.workload.lint import LintFinding, Severity
from warpwright.workload.lint.properties import law_text
from warpwright.workload.lint.trivial import PRECISION
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Workload


@dataclass(frozen=True, slots=True)
class Inspection:
    """errors: each refuses the workload. weaknesses: each is shown to the person. record: what was found, as JSON."""

    errors: tuple[str, ...] = ()
    weaknesses: tuple[str, ...] = ()
    record: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The second implementation against the oracle on every case. fault: empty if they agree.

    disagrees: it ran, and gave other results; otherwise it is at fault by itself.
    """

    content_hash: str
    fault: str = ""
    disagrees: bool = False
    record: dict[str, Any] = field(default_factory=dict)


def inspect_draft(context: DescribeContext) -> Inspection:
    """Form, lint with every mutant and law, the oracle in its sandbox, the initial kernel on every case and on hidden ones."""
    draft = context.draft
    fault = reference_fault(draft)
    if fault is not None:  # before the loader asks for its file
        return Inspection((fault,))
    try:
        workload = load_workload(draft.files)
        with open_bench(workload, draft.assignment.device, fresh_secret(), context.bench) as bench:
            return _inspected(draft, workload, bench)
    except (WorkloadError, UnsupportedInstruction) as error:
        return Inspection((without_folder(str(error), draft.files),))


def _inspected(draft: Draft, workload: Workload, bench: Bench) -> Inspection:
    lint = bench.lint()
    errors = rule_faults(draft, workload, bench.device.kind) + [_text(f) for f in lint if _refuses(f)]
    weaknesses = [_text(f) for f in lint if f.severity is Severity.WARNING and not _refuses(f)]
    initial = hidden = None
    if not errors:  # kernels are compared with an oracle that is known to tell right from wrong
        initial = bench.evaluator.evaluate(workload.initial)
        errors += _kernel_fault("kernel.cu", initial)
    if not errors:
        hidden = bench.verify_hidden(workload.initial)
        errors += _kernel_fault("kernel.cu, at other legal sizes", hidden)
    record = {
        "workload": workload.name,
        "device": bench.device.description,
        "lint": [{"severity": f.severity.value, "message": f.message, "case": f.case} for f in lint],
        "initial": None if initial is None else evaluation_to_json(initial),
        "hidden": None if hidden is None else hidden.message,
        "laws": [law_text(law) for law in workload.properties],
        "elsewhere": [c.name for c in workload.cases if bench.device.kind not in c.on],
        **(worked_examples(workload, bench.evaluator.oracle) if not errors else {}),
    }
    record["examples_failed"] = [without_folder(text, draft.files) for text in record.get("examples_failed", [])]
    clean = tuple(without_folder(text, draft.files) for text in errors)
    return Inspection(clean, tuple(weaknesses), record)


def compare_draft(context: DescribeContext) -> Comparison:
    """Run reference.cu on every case, against the oracle.

    Raises: WorkloadError if the draft no longer loads, or names something else for the second implementation.
    """
    draft = context.draft
    declare_second(draft)
    workload = load_workload(draft.files)
    kernel = workload.reference_kernel
    if kernel is None or kernel.source_name != SECOND:
        found = "none" if kernel is None else f'[reference] with source = "{kernel.source_name}"'
        raise WorkloadError(
            f"{draft.files / WORKLOAD_TOML}: found {found}; the second implementation is {SECOND}, nothing else"
        )
    try:
        with open_bench(workload, draft.assignment.device, fresh_secret(), context.bench) as bench:
            evaluation = bench.evaluator.evaluate(kernel)
    except UnsupportedInstruction as error:
        return Comparison(workload.content_hash, without_folder(str(error), draft.files))
    record = {"evaluation": evaluation_to_json(evaluation)}
    if evaluation.outcome.correct:
        return Comparison(workload.content_hash, record=record)
    fault = without_folder(f"{evaluation.label}: {evaluation.message}", draft.files)
    return Comparison(workload.content_hash, fault, evaluation.outcome is Outcome.WRONG_RESULT, record)


def _kernel_fault(what: str, evaluation: Evaluation) -> list[str]:
    if evaluation.outcome.correct:
        return []
    text = f"{what}: {evaluation.label}: {evaluation.message}"
    if evaluation.outcome is Outcome.WRONG_RESULT:
        text += " The kernel and reference.py do not agree: work out by hand which of them the description asks for."
    return [text]


def _refuses(finding: LintFinding) -> bool:
    return finding.severity is Severity.ERROR or finding.rule == PRECISION


def _text(finding: LintFinding) -> str:
    return finding.message if finding.case is None else f"case {finding.case}: {finding.message}"


def without_folder(text: str, folder: Path) -> str:
    """Where things lie on this machine is nobody's business."""
    for name in (str(folder.resolve()), str(folder)):
        text = text.replace(f"{name}/", "").replace(f"{name}\\", "")
    return text
