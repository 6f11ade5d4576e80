"""What the compiler says of a candidate that is not evaluated: for a model that looks before it answers."""

from warpwright.candidate.candidate import Candidate
from warpwright.compiler.result import KernelResources
from warpwright.evaluation.evaluator import Evaluator
from warpwright.evaluation.outcome import Evaluation
from warpwright.record.evidence import compile_errors, kernel_resources

_SHOWN = 8


def compile_check(evaluator: Evaluator, candidate: Candidate) -> str:
    """Errors with their lines, or what each kernel takes; plan and limits of the device are checked, too."""
    evaluation = evaluator.build_only(candidate)
    lines = [f"{evaluation.label}: {evaluation.message}"]
    lines += [f"{d.file}({d.line}): {d.severity}: {d.message}" for d in compile_errors(evaluation)[:_SHOWN]]
    return "\n".join(lines + _resources(evaluation))


def _resources(evaluation: Evaluation) -> list[str]:
    return [f"{entry}: {_taken(taken)}" for entry, taken in kernel_resources(evaluation).items()]


def _taken(taken: KernelResources) -> str:
    figures = {
        "registers a thread": taken.registers,
        "bytes of static shared memory": taken.shared_static_bytes,
        "bytes of local memory a thread": taken.local_bytes,
        "bytes of spill stores": taken.spill_store_bytes,
        "bytes of spill loads": taken.spill_load_bytes,
    }
    return ", ".join(f"{'unknown' if count is None else count} {what}" for what, count in figures.items())
