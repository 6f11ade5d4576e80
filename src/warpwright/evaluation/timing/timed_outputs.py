"""Outputs of timed launches against the oracle: a kernel that computes something else under the clock is rejected (M12).

Nothing of a comparison gets out but whether all outputs were right: values, indices, counts, the number of the launch and the
margin are all the kernel's to choose, by what it reads, and would tell a proposer the secret seeds bit by bit.
"""

from concurrent.futures import ThreadPoolExecutor

from warpwright.benchmark.series import KeptOutputs, Series
from warpwright.device.measurement import CheckedLaunch
from warpwright.errors import WorkloadError
from warpwright.evaluation.failure import Failure
from warpwright.verifier.evidence import case_text
from warpwright.verifier.host_values import HostValues
from warpwright.workload.comparison.comparator import compare_case
from warpwright.workload.model import Case

_AT_ONCE = 8
"""Outputs that are compared side by side."""


def check_outputs(values: HostValues, case: Case, series: Series) -> tuple[CheckedLaunch, ...] | Failure:
    """Every launch whose outputs came back; or the failure if one is wrong.

    The case has passed verification, so a wrong output under the clock is no mere mistake.
    The outputs are dropped from the series: they are as large as the case. Raises: WorkloadError if the oracle fails.
    """
    kept, series.kept = series.kept, []
    if not kept:
        return ()
    with ThreadPoolExecutor(min(len(kept), _AT_ONCE)) as pool:
        wrong = set().union(*pool.map(lambda each: _wrong(values, case, each), kept))
    if wrong:
        return _mismatch(case, [output.name for output in values.workload.outputs if output.name in wrong])
    checked = [CheckedLaunch(each.block, each.launch) for each in kept]
    return tuple(sorted(checked, key=lambda launch: (launch.block, launch.launch)))


def _wrong(values: HostValues, case: Case, kept: KeptOutputs) -> frozenset[str]:
    """Outputs of a launch that are wrong; all of them where the workload's own `compare` refused it."""
    expected = values.expected(case, values.arguments(case, kept.seed))
    try:
        comparisons = compare_case(values.workload, case, kept.outputs, expected, values.oracle)
    except WorkloadError:
        if not values.oracle.compares:
            raise
        raise WorkloadError(
            f"{case_text(case)}: `compare` of the workload failed on outputs under the clock. What it said is left out, since "
            "it may tell values of secret seeds. It must give a verdict on any outputs, also on NaN and infinities."
        ) from None
    names = {output.name for output in values.workload.outputs}
    refused = {comparison.output for comparison in comparisons if not comparison.passed}
    return frozenset(refused if refused <= names else names)


def _mismatch(case: Case, outputs: list[str]) -> Failure:
    return Failure(
        "rejected.timed_mismatch",
        f"{case_text(case)}: launches under the clock gave a wrong {' and '.join(outputs)}. The same binary passed "
        "verification, so it computes something else when it is timed: each launch must compute its outputs from the inputs of "
        "that launch. Which launches and elements, and by how much, is told nowhere: it would give secret values away.",
    )
