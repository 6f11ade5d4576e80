"""The workload's reference kernel as a second opinion on its oracle (V7), and as a second baseline."""

from warpwright.errors import WorkloadError
from warpwright.evaluation.evaluator import Evaluator
from warpwright.evaluation.outcome import Evaluation


def second_opinion(evaluator: Evaluator) -> Evaluation | None:
    """The reference kernel's evaluation; None if the workload has none.

    Raises: WorkloadError if it does not run to its end or disagrees with the oracle beyond tolerance, with both values:
    one of the two is wrong, and which one is for the author to find out.
    """
    workload = evaluator.workload
    kernel = workload.reference_kernel
    if kernel is None:
        return None
    evaluation = evaluator.evaluate(kernel)
    if evaluation.outcome.correct:
        return evaluation
    where = workload.directory / kernel.source_name
    raise WorkloadError(
        f"{where}: the reference kernel and reference.py do not agree ({evaluation.label}): {evaluation.message} "
        "Correct whichever is wrong, or remove [reference]."
    )
