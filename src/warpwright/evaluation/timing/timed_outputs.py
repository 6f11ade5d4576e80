"""Outputs of timed launches against the oracle: a kernel that computes something else under the clock is rejected (M12)."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from warpwright.benchmark.series import KeptOutputs, Series
from warpwright.device.measurement import BlockRecord, CheckedLaunch
from warpwright.evaluation.failure import Failure
from warpwright.verifier.evidence import case_text, worst_margin
from warpwright.verifier.host_values import HostValues
from warpwright.workload.comparison.comparator import compare_case
from warpwright.workload.model import Case
from warpwright.workload.values import Comparison

_AT_ONCE = 8
"""Outputs that are compared side by side."""


def check_outputs(values: HostValues, case: Case, series: Series) -> tuple[CheckedLaunch, ...] | Failure:
    """Every launch whose outputs came back, with its margin; or the first that is wrong.

    The case has passed verification, so a wrong output under the clock is no mere mistake.
    The outputs are dropped from the series: they are as large as the case. Raises: WorkloadError if the oracle fails.
    """
    kept, series.kept = series.kept, []
    if not kept:
        return ()
    checked: list[CheckedLaunch] = []
    with ThreadPoolExecutor(min(len(kept), _AT_ONCE)) as pool:
        compared = pool.map(lambda each: _compared(values, case, each), kept)
        for each, comparisons in zip(kept, compared, strict=True):
            wrong = next((comparison for comparison in comparisons if not comparison.passed), None)
            if wrong is not None:
                where = f"{case_text(case)}: {_position(series.records, each.block, each.launch)}"
                return _mismatch(f"{where} gave a wrong {wrong.output}{_details(wrong)}")
            margin = max((worst_margin(comparison) for comparison in comparisons), default=0.0)
            checked.append(CheckedLaunch(each.block, each.launch, margin))
    return tuple(sorted(checked, key=lambda launch: (launch.block, launch.launch)))


def _compared(values: HostValues, case: Case, kept: KeptOutputs) -> tuple[Comparison, ...]:
    expected = values.expected(case, values.arguments(case, kept.seed))
    return compare_case(values.workload, case, kept.outputs, expected, values.oracle)


def _mismatch(what: str) -> Failure:
    return Failure(
        "rejected.timed_mismatch",
        f"{what}. The same binary passed verification, so it computes something else when it is timed: each launch must "
        "compute its outputs from the inputs of that launch.",
    )


def _position(blocks: Sequence[BlockRecord], block: int, launch: int) -> str:
    launches = sum(len(record.samples_us) for record in blocks)
    number = sum(len(record.samples_us) for record in blocks[:block]) + launch + 1
    return f"launch {number} of {launches} under the clock (block {block + 1}, launch {launch + 1})"


def _details(wrong: Comparison) -> str:
    return f": {wrong.message}" if wrong.message else f": {wrong.wrong} of {wrong.total} elements are over tolerance"
