"""What kind of operation a workload is: what results on one may say about another. Names play no part in it.

`kind` is decided by the dims of the arrays and, where they cannot tell, by the loops of the initial kernel. In this order:

    contraction   two inputs share a dim that no output keeps, and each has one of its own that the output keeps (matmul)
    reduction     an input has a dim that no output keeps (sum, histogram)
    permutation   an output has the dims of an input in another order (transpose)
    row-wise      every dim is kept, and a loop up to a scalar parameter accumulates (softmax, rmsnorm)
    window        every dim is kept, and a loop up to a constant accumulates (stencil, small convolution)
    map           every dim is kept, and nothing accumulates
    other         an output has dims of its own
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from tree_sitter import Node

from warpwright.candidate.analysis.accumulate import accumulations
from warpwright.candidate.source import parse_source
from warpwright.candidate.source_nodes import LOOPS, identifiers, of_type
from warpwright.profiler.diagnosis.situation import matmul_like
from warpwright.workload.model import ArrayParameter, Workload


class OperationKind(StrEnum):
    """The kind of an operation, in the words that hints use."""

    CONTRACTION = "contraction"
    REDUCTION = "reduction"
    PERMUTATION = "permutation"
    ROW_WISE = "row-wise"
    WINDOW = "window"
    MAP = "map"
    OTHER = "other"


class Axis(StrEnum):
    """Where the dims lie that are summed over."""

    NONE = "none"
    LAST = "last"
    """Neighbours in memory are summed, in every array that has the dim."""
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """inputs, outputs: `float32:2` (dtype and rank) of each array, sorted. summed: of the dims that no output keeps.

    tensor_cores: they may do it (its types or its policy allow them).
    """

    kind: OperationKind
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    summed: Axis
    tensor_cores: bool

    @property
    def dtypes(self) -> frozenset[str]:
        """Element types of all arrays."""
        return frozenset(text.partition(":")[0] for text in (*self.inputs, *self.outputs))

    @property
    def text(self) -> str:
        """In one line: `row-wise, float32:2 -> float32:2`."""
        return f"{self.kind.value}, {' '.join(self.inputs) or 'nothing'} -> {' '.join(self.outputs)}"


_KIND, _DTYPES, _INPUTS, _OUTPUTS, _SUMMED, _TENSOR = 0.4, 0.2, 0.1, 0.1, 0.1, 0.1


def similarity(one: Fingerprint, other: Fingerprint) -> float:
    """0..1; 0 for operations of different kinds, 1 for equal fingerprints."""
    if one.kind is not other.kind:
        return 0.0
    agreed = (
        (_KIND, True),
        (_DTYPES, one.dtypes == other.dtypes),
        (_INPUTS, one.inputs == other.inputs),
        (_OUTPUTS, one.outputs == other.outputs),
        (_SUMMED, one.summed is other.summed),
        (_TENSOR, one.tensor_cores == other.tensor_cores),
    )
    return sum(weight for weight, agrees in agreed if agrees)


def fingerprint_of(workload: Workload) -> Fingerprint:
    """The fingerprint of a workload."""
    lost = _lost_dims(workload)
    return Fingerprint(
        kind=_kind(workload, lost),
        inputs=tuple(sorted(map(_array, workload.inputs))),
        outputs=tuple(sorted(map(_array, workload.outputs))),
        summed=_axis(workload, lost),
        tensor_cores=matmul_like(workload),
    )


def _array(array: ArrayParameter) -> str:
    return f"{array.dtype}:{len(array.shape)}"


def _kind(workload: Workload, lost: frozenset[str]) -> OperationKind:
    inputs = [_dims(workload, array) for array in workload.inputs]
    outputs = [_dims(workload, array) for array in workload.outputs]
    own = {dim for output in outputs for dim in output} - {dim for array in inputs for dim in array}
    if own and inputs:
        return OperationKind.OTHER
    if lost:
        pairs = combinations(map(frozenset, inputs), 2)
        contracted = any(_contracted(left, right, frozenset(out)) for left, right in pairs for out in outputs)
        return OperationKind.CONTRACTION if contracted else OperationKind.REDUCTION
    if any(sorted(array) == sorted(out) and array != out for array in inputs for out in outputs):
        return OperationKind.PERMUTATION
    return _kind_by_loops(workload)


def _contracted(left: frozenset[str], right: frozenset[str], output: frozenset[str]) -> bool:
    return bool((left & right) - output) and bool((left - right) & output) and bool((right - left) & output)


def _kind_by_loops(workload: Workload) -> OperationKind:
    """Of a workload that keeps every dim: what its initial kernel, or else its tolerance, says of sums."""
    scalars = {scalar.name for scalar in workload.scalars}
    source = parse_source(workload.initial.source)
    bounds = [
        bool(identifiers(condition) & scalars)
        for function in (*source.kernels, *source.device_functions)
        for loop in of_type(function.node, *LOOPS)
        if (condition := loop.child_by_field_name("condition")) is not None and _accumulates(loop)
    ]
    if any(bounds) or workload.tolerance.reduction is not None:
        return OperationKind.ROW_WISE
    return OperationKind.WINDOW if bounds else OperationKind.MAP


def _accumulates(loop: Node) -> bool:
    body = loop.child_by_field_name("body")
    return body is not None and bool(accumulations(body))


def _lost_dims(workload: Workload) -> frozenset[str]:
    """Dims of inputs that no output keeps."""
    kept = {dim for array in workload.outputs for dim in _dims(workload, array)}
    return frozenset(dim for array in workload.inputs for dim in _dims(workload, array)) - kept


def _axis(workload: Workload, lost: frozenset[str]) -> Axis:
    if not lost:
        return Axis.NONE
    shapes = [dims for array in workload.inputs if lost & set(dims := _dims(workload, array))]
    return Axis.LAST if all(dims[-1] in lost for dims in shapes) else Axis.MIXED


def _dims(workload: Workload, array: ArrayParameter) -> Sequence[str]:
    """Dims that a shape mentions, in order, each once."""
    mentioned = (name for text in array.shape for name in re.findall(r"[A-Za-z_]\w*", text))
    return list(dict.fromkeys(name for name in mentioned if name in workload.dims))
