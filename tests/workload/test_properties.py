"""Laws that a workload declares: each is held, each can be broken, and what cannot be read is refused."""

from pathlib import Path

import pytest

from warpwright.errors import WorkloadError
from warpwright.workload.lint import LintFinding, Severity, lint
from warpwright.workload.loader import load_workload
from warpwright.workload.oracle import Oracle

WORKLOAD = """\
name = "laws"
[dims]
rows = "1..64"
cols = "1..64"
[[params]]
name = "y"
role = "out"
dtype = "float32"
shape = ["rows", "cols"]
[[params]]
name = "a"
role = "in"
dtype = "float32"
shape = ["rows", "cols"]
values = "normal(0, 1)"
[[params]]
name = "b"
role = "in"
dtype = "float32"
shape = ["rows", "cols"]
values = "normal(1, 2)"
[[params]]
name = "k"
role = "in"
dtype = "int32"
shape = ["rows", "cols"]
values = "integers(0, 9)"
[kernel]
entry = "laws"
grid = ["1"]
block = ["1"]
[[cases]]
name = "one"
kind = "check"
dims = { rows = 1, cols = 1 }
[[cases]]
name = "timed"
kind = "perf"
dims = { rows = 5, cols = 7 }
"""


def written(directory: Path, law: str, body: str = "0 * a") -> Path:
    (directory / "workload.toml").write_text(f"{WORKLOAD}[[properties]]\n{law}\n", encoding="utf-8")
    (directory / "kernel.cu").write_text('extern "C" __global__ void laws() {}\n', encoding="utf-8")
    text = f"import numpy as np\n\n\ndef reference(a, b, k):\n    return {{'y': {body}}}\n"
    (directory / "reference.py").write_text(text, encoding="utf-8")
    return directory


def told(directory: Path, severity: Severity) -> list[str]:
    workload = load_workload(directory)
    with Oracle(workload) as oracle:
        found: list[LintFinding] = lint(workload, oracle)
    return [f.message for f in found if f.severity is severity and f.message.startswith("y ")]


LAWS = {
    "linear": ('inputs = ["a"]', "a * b + 0 * k", "a * b + 1", "y is linear in a"),
    "linear in two": ('inputs = ["a", "b"]', "a + 2 * b", "a * b", "y is linear in a and b"),
    "homogeneous": ('inputs = ["a"]\ndegree = 2', "a * a", "a * abs(a) ** 0.5", "y is homogeneous of degree 2 in a"),
    "shift_invariant": (
        'inputs = ["a"]',
        "a - a.mean(1, keepdims=True)",
        "a - 0.9 * a.mean(1, keepdims=True)",
        "y does not change when a constant is added to a",
    ),
    "shift_equivariant": ('inputs = ["a"]', "np.sort(a, 1)", "2 * a", "y grows by the constant that is added to a"),
    "permutation_invariant": (
        'inputs = ["a"]\naxis = 1',
        "0 * a + a.sum(1, keepdims=True)",
        "0 * a + a[:, :1] + a.sum(1, keepdims=True)",
        "y does not depend on the order of a along axis 1",
    ),
    "permutation_equivariant": (
        'inputs = ["a", "b"]\naxis = 0\noutput_axis = 0',
        "a * b",
        "np.cumsum(a * b, 0)",
        "y is permuted along axis 0 as a and b along axis 0",
    ),
    "symmetric": ('inputs = ["a", "b"]', "np.hypot(a, b)", "a - b", "y is the same with a and b exchanged"),
    "idempotent": (
        'inputs = ["a"]',
        "np.maximum(a, 0)",
        "np.maximum(2 * a, 0)",
        "y is the same when it is given back for a",
    ),
    "sums_to": (
        "axis = 1\nvalue = 1",
        "np.exp(a) / np.exp(a).sum(1, keepdims=True)",
        "np.exp(a) / np.exp(a).sum(0, keepdims=True)",
        "y sums to 1 along axis 1",
    ),
    "bounded": ("low = -1\nhigh = 1", "np.tanh(a)", "1.1 * np.tanh(9 * a)", "y lies in -1..1"),
    "nondecreasing": ("axis = 1", "np.sort(a, 1)", "np.sort(a, 0)", "y never falls along axis 1"),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_law_that_is_kept_is_silent_and_one_that_is_broken_is_an_error(name: str, tmp_path: Path) -> None:
    keys, kept, broken, text = LAWS[name]
    law = f'kind = "{name.partition(" ")[0]}"\n{keys}'
    assert told(written(tmp_path, law, kept), Severity.ERROR) == []
    errors = told(written(tmp_path, law, broken), Severity.ERROR)
    assert len(errors) == 1
    assert errors[0].startswith(f"{text} does not hold: at [")


def test_a_law_that_no_case_can_show_is_a_warning(tmp_path: Path) -> None:
    directory = written(tmp_path, 'kind = "permutation_invariant"\ninputs = ["a"]\naxis = 1', "a")
    path = directory / "workload.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("cols = 7", "cols = 1"), encoding="utf-8")
    expected = "y does not depend on the order of a along axis 1 could be tried on no case"
    assert told(directory, Severity.WARNING) == [expected]


BAD = {
    "a kind that is not": ('kind = "nice"', "properties[0].kind"),
    "a key missing": ('kind = "linear"', "properties[0] (linear): inputs missing; allowed: inputs, output"),
    "a key beyond": (
        'kind = "linear"\ninputs = ["a"]\naxis = 1',
        "properties[0] (linear): found axis; allowed: inputs, output",
    ),
    "an unknown input": (
        'kind = "linear"\ninputs = ["c"]',
        "properties[0] (linear).inputs: unknown name 'c'; allowed: a, b, k.",
    ),
    "integers": ('kind = "linear"\ninputs = ["k"]', "k has dtype int32; allowed: inputs of a floating-point dtype"),
    "an axis beyond": ('kind = "sums_to"\nvalue = 1\naxis = 2', "found 2; y has 2 axes; allowed: -2..1"),
    "one to exchange": ('kind = "symmetric"\ninputs = ["a"]', "properties[0] (symmetric).inputs: found 1; allowed: 2"),
    "bounds the wrong way": ('kind = "bounded"\nlow = 2\nhigh = 1', "low 2 is above high 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_law_that_cannot_be_read_is_refused(name: str, tmp_path: Path) -> None:
    law, text = BAD[name]
    with pytest.raises(WorkloadError) as refused:
        load_workload(written(tmp_path, law))
    assert text in str(refused.value)
