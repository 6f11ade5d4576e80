"""Everything that a draft must stand before a person is asked about it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warpwright.candidate.source import parse_source
from warpwright.errors import UnsupportedInstruction, WorkloadError
from warpwright.evaluation.bench import Bench, fresh_secret, open_bench
from warpwright.evaluation.outcome import Evaluation, Outcome
from warpwright.evaluation.summary import evaluation_to_json
from warpwright.loop.describing.context import DescribeContext
from warpwright.loop.describing.draft import SECOND, WORKLOAD_TOML, Draft
from warpwright.loop.describing.examples import worked_examples
from warpwright.loop.describing.rules import rule_faults
from warpwright.workload.lint import LintFinding, Severity
from warpwright.workload.lint.properties import law_text
from warpwright.workload.lint.trivial import PRECISION
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Workload

SECOND_ENTRY = "reference_kernel"


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
    try:
        workload = load_workload(draft.files)
        with open_bench(workload, draft.assignment.device, fresh_secret(), context.bench) as bench:
            return _inspected(draft, workload, bench)
    except (WorkloadError, UnsupportedInstruction) as error:
        return Inspection((_without_folder(str(error), draft.files),))


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
        "examples": worked_examples(workload, bench.evaluator.oracle) if not errors else [],
    }
    clean = tuple(_without_folder(text, draft.files) for text in errors)
    return Inspection(clean, tuple(weaknesses), record)


def compare_draft(context: DescribeContext) -> Comparison:
    """Run reference.cu on every case, against the oracle. Raises: WorkloadError if the draft no longer loads."""
    draft = context.draft
    declare_second(draft)
    workload = load_workload(draft.files)
    kernel = workload.reference_kernel
    if kernel is None:
        raise WorkloadError(f"{draft.files / WORKLOAD_TOML}: has no [reference] for {SECOND}")
    try:
        with open_bench(workload, draft.assignment.device, fresh_secret(), context.bench) as bench:
            evaluation = bench.evaluator.evaluate(kernel)
    except UnsupportedInstruction as error:
        return Comparison(workload.content_hash, _without_folder(str(error), draft.files))
    record = {"evaluation": evaluation_to_json(evaluation)}
    if evaluation.outcome.correct:
        return Comparison(workload.content_hash, record=record)
    fault = _without_folder(f"{evaluation.label}: {evaluation.message}", draft.files)
    return Comparison(workload.content_hash, fault, evaluation.outcome is Outcome.WRONG_RESULT, record)


def declare_second(draft: Draft) -> None:
    """Name reference.cu in workload.toml, with a launch that any grid-stride kernel is right for."""
    workload = load_workload(draft.files)
    text = draft.text(WORKLOAD_TOML)
    if workload.reference_kernel is None and text is not None:
        entry = _entry(draft) if SECOND in draft.assignment.supplied else SECOND_ENTRY
        draft.write(WORKLOAD_TOML, text.rstrip("\n") + "\n\n" + _second_table(workload, entry))


def _entry(draft: Draft) -> str:
    """The kernel of the person's own reference.cu."""
    kernels = parse_source(draft.text(SECOND) or "", SECOND).kernels
    if len(kernels) != 1:
        names = ", ".join(kernel.name for kernel in kernels) or "none"
        raise WorkloadError(
            f"{SECOND}: kernels found: {names}; give a file with one, or a workload.toml whose [reference] names it"
        )
    return kernels[0].name


def _second_table(workload: Workload, entry: str) -> str:
    elements = " * ".join(f"({size})" for size in workload.outputs[0].shape)
    return (
        "[reference] # a second implementation, written from the description without sight of the first\n"
        f'source = "{SECOND}"\nentry = "{entry}"\n'
        f'grid = ["min(1024, ceil_div({elements}, 256))"]\nblock = ["256"]\n'
    )


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


def _without_folder(text: str, folder: Path) -> str:
    """Where things lie on this machine is nobody's business."""
    for name in (str(folder.resolve()), str(folder)):
        text = text.replace(f"{name}/", "").replace(f"{name}\\", "")
    return text
