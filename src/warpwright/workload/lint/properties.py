"""Holds the oracle to the laws that the workload declares (`[[properties]]`): one wrong formula rarely keeps them all.

A law needs no second implementation: it compares results of the same reference for related inputs. Inputs are handed over
in float64, so that what is added or scaled has no rounding of its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from warpwright.workload.lint.evidence import CaseEvidence
from warpwright.workload.lint.finding import LintFinding, Severity
from warpwright.workload.model import Property, PropertyKind, Workload
from warpwright.workload.oracle import Oracle
from warpwright.workload.values import Array

_TRIALS = 3
"""Cases that one law is tried on, the smallest that can show it broken."""
_LIMIT = 1e-5
"""Of the difference, relative to the value and to the root mean square of all: a reference may round to float32 inside."""
_NOISE = 1e-9
_SHIFT, _SCALE = 0.8125, 2.5


@dataclass(frozen=True, slots=True)
class _Trial:
    law: Property
    inputs: Mapping[str, Array]
    result: Array
    """Of the unchanged inputs."""
    other: Mapping[str, Array]
    """Inputs of another seed."""
    reference: Callable[[Mapping[str, Array]], Array]

    def changed(self, change: Callable[[str, Array], Array]) -> Array:
        """The result with each of the law's inputs changed."""
        return self.reference({name: change(name, self.inputs[name]) for name in self.law.inputs})


_Sides = tuple[Array, Array]
"""What the reference gave, and what the law asks for."""


def property_findings(workload: Workload, cases: list[CaseEvidence], oracle: Oracle) -> list[LintFinding]:
    """An error for each law that the reference breaks, a warning for each that no case can show."""
    findings = []
    for law in workload.properties:
        tried = 0
        for evidence in cases:
            sides = _RELATIONS[law.kind](_trial(workload, law, evidence, oracle)) if tried < _TRIALS else None
            if sides is None:
                continue
            tried += 1
            broken = _difference(*sides, _noise(law, evidence))
            if broken is not None:
                findings.append(
                    LintFinding(Severity.ERROR, f"{law_text(law)} does not hold: {broken}", evidence.case.name)
                )
                break
        if not tried:
            findings.append(LintFinding(Severity.WARNING, f"{law_text(law)} could be tried on no case"))
    return findings


def law_text(law: Property) -> str:
    """`y is linear in x`, as a person says it."""
    inputs = " and ".join(law.inputs)
    words = {
        PropertyKind.LINEAR: f"is linear in {inputs}",
        PropertyKind.HOMOGENEOUS: f"is homogeneous of degree {law.numbers.get('degree', 0):g} in {inputs}",
        PropertyKind.SHIFT_INVARIANT: f"does not change when a constant is added to {inputs}",
        PropertyKind.SHIFT_EQUIVARIANT: f"grows by the constant that is added to {inputs}",
        PropertyKind.PERMUTATION_INVARIANT: f"does not depend on the order of {inputs} along axis {law.axis}",
        PropertyKind.PERMUTATION_EQUIVARIANT: (
            f"is permuted along axis {law.output_axis} as {inputs} along axis {law.axis}"
        ),
        PropertyKind.SYMMETRIC: f"is the same with {inputs} exchanged",
        PropertyKind.IDEMPOTENT: f"is the same when it is given back for {inputs}",
        PropertyKind.SUMS_TO: f"sums to {law.numbers.get('value', 0):g} along axis {law.axis}",
        PropertyKind.BOUNDED: f"lies in {law.numbers.get('low', 0):g}..{law.numbers.get('high', 0):g}",
        PropertyKind.NONDECREASING: f"never falls along axis {law.axis}",
    }
    return f"{law.output} {words[law.kind]}"


def _trial(workload: Workload, law: Property, evidence: CaseEvidence, oracle: Oracle) -> _Trial:
    floats = {a.name for a in workload.outputs if evidence.expected[a.name].dtype.kind == "f"}

    def reference(changed: Mapping[str, Array]) -> Array:
        given = MappingProxyType({**inputs, **changed})
        result = oracle.expected(evidence.case, replace(evidence.arguments, inputs=given))[law.output]
        return result.astype(np.float64) if law.output in floats else result

    inputs = {name: _wide(array) for name, array in evidence.arguments.inputs.items()}
    other = {name: _wide(evidence.other_arguments.inputs[name]) for name in law.inputs}
    return _Trial(law, inputs, evidence.expected[law.output], other, reference)


def _wide(array: Array) -> Array:
    return array if array.dtype.kind in "iub" else array.astype(np.float64)


def _linear(trial: _Trial) -> _Sides | None:
    combined = trial.changed(lambda name, x: _SCALE * x - trial.other[name])
    return combined, _SCALE * trial.result - trial.reference(trial.other)


def _homogeneous(trial: _Trial) -> _Sides | None:
    return trial.changed(lambda _, x: _SCALE * x), _SCALE ** trial.law.numbers["degree"] * trial.result


def _shift_invariant(trial: _Trial) -> _Sides | None:
    return trial.changed(lambda _, x: x + _SHIFT), trial.result


def _shift_equivariant(trial: _Trial) -> _Sides | None:
    return trial.changed(lambda _, x: x + _SHIFT), trial.result + _SHIFT


def _permutation_invariant(trial: _Trial) -> _Sides | None:
    order = _order(trial)
    return None if order is None else (trial.changed(lambda _, x: np.take(x, order, trial.law.axis)), trial.result)


def _permutation_equivariant(trial: _Trial) -> _Sides | None:
    order, axis = _order(trial), trial.law.output_axis
    if order is None or trial.result.shape[axis] != len(order):
        return None
    return trial.changed(lambda _, x: np.take(x, order, trial.law.axis)), np.take(trial.result, order, axis)


def _order(trial: _Trial) -> Array | None:
    """A fixed permutation without symmetry; None where the inputs have one element there, or not the same number."""
    lengths = {trial.inputs[name].shape[trial.law.axis] for name in trial.law.inputs}
    if len(lengths) != 1 or lengths == {1}:
        return None
    order: Array = np.random.Generator(np.random.Philox(key=7)).permutation(length := lengths.pop())
    return np.roll(np.arange(length), 1) if np.array_equal(order, np.arange(length)) else order


def _symmetric(trial: _Trial) -> _Sides | None:
    first, second = trial.law.inputs
    a, b = trial.inputs[first], trial.inputs[second]
    return None if a.shape != b.shape else (trial.reference({first: b, second: a}), trial.result)


def _idempotent(trial: _Trial) -> _Sides | None:
    (name,) = trial.law.inputs
    if trial.inputs[name].shape != trial.result.shape:
        return None
    return trial.reference({name: trial.result.astype(trial.inputs[name].dtype)}), trial.result


def _sums_to(trial: _Trial) -> _Sides | None:
    total = trial.result.astype(np.float64).sum(axis=trial.law.axis)
    return total, np.full_like(total, trial.law.numbers["value"])


def _bounded(trial: _Trial) -> _Sides | None:
    return trial.result, np.clip(trial.result, trial.law.numbers["low"], trial.law.numbers["high"])


def _nondecreasing(trial: _Trial) -> _Sides | None:
    if trial.result.shape[trial.law.axis] < 2:
        return None
    return trial.result, np.maximum.accumulate(trial.result, axis=trial.law.axis)


_RELATIONS: Mapping[PropertyKind, Callable[[_Trial], _Sides | None]] = {
    PropertyKind.LINEAR: _linear,
    PropertyKind.HOMOGENEOUS: _homogeneous,
    PropertyKind.SHIFT_INVARIANT: _shift_invariant,
    PropertyKind.SHIFT_EQUIVARIANT: _shift_equivariant,
    PropertyKind.PERMUTATION_INVARIANT: _permutation_invariant,
    PropertyKind.PERMUTATION_EQUIVARIANT: _permutation_equivariant,
    PropertyKind.SYMMETRIC: _symmetric,
    PropertyKind.IDEMPOTENT: _idempotent,
    PropertyKind.SUMS_TO: _sums_to,
    PropertyKind.BOUNDED: _bounded,
    PropertyKind.NONDECREASING: _nondecreasing,
}


def _noise(law: Property, evidence: CaseEvidence) -> float:
    """What rounding in float64 may leave where the law asks for zero: it goes with what was added up on the way there."""
    values = [evidence.expected[law.output], *(evidence.arguments.inputs[name] for name in law.inputs)]
    finite = [np.abs(v[np.isfinite(v)]).sum() for v in (value.astype(np.float64) for value in values)]
    return _NOISE * float(max(finite))


def _difference(got: Array, want: Array, noise: float) -> str | None:
    """Where the sides differ most beyond the limit, in words. noise: allowed everywhere."""
    a, b = np.atleast_1d(got).astype(np.float64), np.atleast_1d(want).astype(np.float64)
    if a.shape != b.shape:
        return f"shape {a.shape} instead of {b.shape}"
    finite = np.isfinite(b)
    scale = float(np.sqrt(np.mean(np.square(b[finite])))) if finite.any() else 0.0
    with np.errstate(invalid="ignore"):
        over = np.abs(a - b) - _LIMIT * (np.abs(b) + scale) - noise
    over = np.where((a == b) | (np.isnan(a) & np.isnan(b)), -1.0, np.where(np.isnan(over), np.inf, over))
    worst = np.unravel_index(int(np.argmax(over)), over.shape)
    if over[worst] <= 0:
        return None
    return f"at {[int(i) for i in worst]} the reference gives {a[worst]:.6g}, the law asks for {b[worst]:.6g}"
