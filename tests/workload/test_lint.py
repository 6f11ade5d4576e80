"""Every hole that the lint must find, and workloads that have none."""

from dataclasses import replace
from pathlib import Path

import pytest

from warpwright.hardware import load_gpu
from warpwright.workload.lint import LintFinding, Severity, lint
from warpwright.workload.loader import load_workload
from warpwright.workload.oracle import Oracle

from .conftest import WriteWorkload

EXAMPLES = sorted(path for path in (Path(__file__).parents[2] / "examples").iterdir() if path.is_dir())
H200 = load_gpu("h200")


def found(directory: Path) -> list[LintFinding]:
    workload = load_workload(directory)
    with Oracle(workload) as oracle:
        return lint(workload, oracle, H200)


def messages(directory: Path, severity: Severity) -> list[str]:
    return [finding.message for finding in found(directory) if finding.severity is severity]


@pytest.mark.parametrize("directory", EXAMPLES, ids=[path.name for path in EXAMPLES])
def test_an_example_has_no_hole(directory: Path) -> None:
    assert [finding for finding in found(directory) if finding.severity is not Severity.NOTE] == []


def test_a_sound_workload_is_only_launch_bound(write_workload: WriteWorkload) -> None:
    text = (
        "launch-bound on NVIDIA H200: its bytes need 1.67 ns, an empty launch 2.60 us; a perfect kernel cannot be told "
        "from a good one there"
    )
    assert found(write_workload()) == [LintFinding(Severity.NOTE, text, "long")]


ADVICE = "tighten [tolerance] or use inputs that tell them apart"
IGNORED = (
    "input x can take other values without any case noticing: the reference does not use it, the tolerance hides it, or "
    "its values never vary"
)
CONSTANT = "output y holds one and the same value in every case"
MEAN = f"every case accepts the mean of the output everywhere: {ADVICE}"
OTHER = f"every case accepts the result of another seed: {ADVICE}"
HOLES = {
    "an input unused": ("return a * (1 + 0 * x).cumsum()", (), [OTHER, IGNORED]),
    "constant": ("return 0 * x + 3.0", (), [CONSTANT, MEAN, OTHER, IGNORED]),
    "ones": (
        "return 0 * x + 1.0",
        (),
        [CONSTANT, f"every case accepts an output of ones: {ADVICE}", MEAN, OTHER, IGNORED],
    ),
    "identity": ("return x", (), [f"every case accepts a copy of input x: {ADVICE}"]),
    "zeros pass": (
        "return 1e-6 * a * x",
        ("[kernel]", "[tolerance]\natol = 1e-3\n[kernel]"),
        [f"every case accepts an output of zeros: {ADVICE}", MEAN, OTHER, IGNORED],
    ),
    "inputs without variety": ("return a * x + 1", ("normal(0, 1)", "ones"), [CONSTANT, MEAN, OTHER, IGNORED]),
}


@pytest.mark.parametrize("name", HOLES)
def test_a_hole_is_an_error(name: str, write_workload: WriteWorkload) -> None:
    body, replacement, expected = HOLES[name]
    directory = write_workload(*([replacement] if replacement else []), reference=f"def reference(x, a):\n    {body}\n")
    assert sorted(messages(directory, Severity.ERROR)) == sorted(expected)


def test_nan_from_finite_inputs_is_an_error(write_workload: WriteWorkload) -> None:
    source = "import numpy as np\n\n\ndef reference(x, a):\n    y = a * x\n    y[3] = np.nan\n    return y\n"
    text = "the reference gives nan at y[3] (1 such elements) from finite inputs"
    errors = [finding for finding in found(write_workload(reference=source)) if finding.severity is Severity.ERROR]
    assert errors == [LintFinding(Severity.ERROR, text, case) for case in ("ragged", "long")]


WEAK = {
    "one size": (
        ("n = 1000 }", "n = 77 }"),
        (
            "every case has n = 77: a kernel that takes it for a constant passes; add a case with another value, or set the "
            "range of n to 77..77"
        ),
    ),
    "no tail": (
        ("n = 77 }", "n = 128 }"),
        "no case has n off a multiple of 8: a kernel without a tail passes; add one, such as n = 999",
    ),
    "a scalar that never varies": (
        ("a = -1.5", ""),
        "every case has a = 2.5: a kernel that hard-codes it passes; give one case scalars = { a = ... }",
    ),
    "loose": (
        ("[kernel]", "[tolerance]\nrtol = 1e-2\n[kernel]"),
        "every case accepts y rounded to tf32: the tolerance sees no loss of precision",
    ),
}


@pytest.mark.parametrize("name", WEAK)
def test_a_weakness_is_a_warning(name: str, write_workload: WriteWorkload) -> None:
    replacement, message = WEAK[name]
    assert messages(write_workload(replacement), Severity.WARNING) == [message]


def test_a_scalar_that_changes_nothing_is_a_warning(write_workload: WriteWorkload) -> None:
    directory = write_workload(reference="def reference(x):\n    return 2 * x + 1\n")
    text = "scalar a can be doubled without any case noticing: a kernel that ignores it passes"
    assert messages(directory, Severity.WARNING) == [text]


def test_a_mutant_that_survives_is_named(write_workload: WriteWorkload) -> None:
    source = (
        "import numpy as np\n\n\ndef reference(x, a):\n    return a * x\n\n\ndef compare(actual, expected, case):\n"
        "    return bool(np.allclose(np.sort(actual['y']), np.sort(expected['y'])))\n"
    )
    assert messages(write_workload(reference=source), Severity.WARNING) == [
        "no case sees y with every element shifted by one",
        "no case sees y with its halves swapped",
        "no case sees y with its first axis reversed",
    ]


def test_a_case_beyond_the_memory_is_an_error(write_workload: WriteWorkload) -> None:
    workload = load_workload(write_workload())
    small = replace(H200, memory=replace(H200.memory, dram_bytes=8000))
    with Oracle(workload) as oracle:
        errors = [finding for finding in lint(workload, oracle, small) if finding.severity is Severity.ERROR]
    text = "needs 7.81 KiB; of the 7.81 KiB of NVIDIA H200, 7.03 KiB can be used. Use smaller dims."
    assert errors == [LintFinding(Severity.ERROR, text, "long")]
