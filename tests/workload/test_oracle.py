"""The oracle in its real child process: values, mistakes of the user's code, deadlines, containment."""

import os
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from warpwright.errors import WorkloadError
from warpwright.workload.arguments import make_arguments
from warpwright.workload.comparison.comparator import compare_case
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Case
from warpwright.workload.oracle import Oracle
from warpwright.workload.values import Array, CaseArguments

from .conftest import WriteWorkload


def ask(directory: Path, time_limit_s: float = 60.0, cache: Path | None = None) -> dict[str, Array]:
    workload = load_workload(directory)
    case = workload.case("ragged")
    with Oracle(workload, time_limit_s=time_limit_s, cache_directory=cache) as oracle:
        return oracle.expected(case, make_arguments(workload, case, 3, oracle))


def told(directory: Path, time_limit_s: float = 60.0) -> str:
    with pytest.raises(WorkloadError) as error:
        ask(directory, time_limit_s)
    prefix = f"{directory / 'reference.py'}: "
    assert str(error.value).startswith(prefix)
    return str(error.value).removeprefix(prefix)


def test_floats_are_computed_in_float64(write_workload: WriteWorkload) -> None:
    directory = write_workload(
        reference="def reference(x, a, n):\n    assert x.dtype == 'float64'\n    return x / 3 * a + n\n"
    )
    workload = load_workload(directory)
    case = workload.case("ragged")
    with Oracle(workload) as oracle:
        arguments = make_arguments(workload, case, 3, oracle)
        expected = oracle.expected(case, arguments)["y"]
    assert expected.dtype == np.float64
    assert np.array_equal(expected, arguments.inputs["x"].astype(np.float64) / 3 * -1.5 + 77)
    assert not expected.flags.writeable


def test_integers_stay_integers(write_workload: WriteWorkload) -> None:
    directory = write_workload(
        ('"y"\nrole = "out"\ndtype = "float32"', '"y"\nrole = "out"\ndtype = "int64"'),
        ('dtype = "float32"\nshape = ["n"]\nvalues = "normal(0, 1)"', 'dtype = "int8"\nshape = ["n"]\nvalues = "ones"'),
        reference="def reference(x):\n    assert x.dtype == 'int8'\n    return {'y': x + (1 << 60)}\n"
        .replace("x + (1", "x.astype('int64') + (1"),
    )  # fmt: skip
    expected = ask(directory)["y"]
    assert expected.dtype == np.int64
    assert set(expected.tolist()) == {2**60 + 1}


BAD = {
    "raises": (
        "def reference(x):\n    return inner(x)\n\n\ndef inner(x):\n    return x[5000]\n",
        "case ragged: reference.py:6: IndexError: index 5000 is out of bounds for axis 0 with size 77 (in: return x[5000])",
    ),
    "raises when loaded": (
        "import nothing_of_that_name\n\n\ndef reference(x):\n    return x\n",
        (
            "case ragged: reference.py:1: ModuleNotFoundError: No module named 'nothing_of_that_name' (in: import "
            "nothing_of_that_name)"
        ),
    ),
    "exits": (
        "def reference(x):\n    raise SystemExit('bye')\n",
        "case ragged: reference.py:2: SystemExit: bye (in: raise SystemExit('bye'))",
    ),
    "shape": ("def reference(x):\n    return x[1:]\n", "reference returned y of shape (76,); its shape is (77,)"),
    "names": (
        "def reference(x):\n    return {'z': x}\n",
        "case ragged: reference returned z; it must return y",
    ),
    "nothing": (
        "def reference(x):\n    x += 1\n",
        "case ragged: reference returned NoneType; it must return a dict of y",
    ),
    "text": (
        "def reference(x):\n    return {'y': ['a'] * 77}\n",
        "case ragged: reference returned y of type <U1; it must be an array of numbers",
    ),
    "dies": (
        "import os\n\n\ndef reference(x):\n    os._exit(3)\n",
        "case ragged: its process ended with exit code 3: it said nothing",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_mistake_of_the_reference_is_told_with_its_line(name: str, write_workload: WriteWorkload) -> None:
    source, message = BAD[name]
    assert told(write_workload(reference=source)) == message


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("x + 0.5", "reference returned y with fractions; its dtype is int8"),
        (
            "x + 127.0",
            (
                "reference returned y with values 128.0 .. 128.0; int8 holds -128 .. 127. Where the kernel wraps, let "
                "reference wrap: .astype(np.int8)"
            ),
        ),
    ],
    ids=["fractions", "range"],
)
def test_integer_outputs_must_be_exact(expression: str, message: str, write_workload: WriteWorkload) -> None:
    directory = write_workload(
        ('"y"\nrole = "out"\ndtype = "float32"', '"y"\nrole = "out"\ndtype = "int8"'),
        ("normal(0, 1)", "ones"),
        reference=f"def reference(x):\n    return {expression}\n",
    )
    assert told(directory) == message


def test_a_reference_without_end_is_killed_and_the_next_call_works(write_workload: WriteWorkload) -> None:
    source = "import time\n\n\ndef reference(x, n):\n    while n == 77:\n        time.sleep(0.01)\n    return x\n"
    workload = load_workload(write_workload(reference=source))
    with Oracle(workload, time_limit_s=1.0) as oracle:
        started = time.monotonic()
        with pytest.raises(WorkloadError) as error:
            oracle.expected(workload.case("ragged"), make_arguments(workload, workload.case("ragged"), 3, oracle))
        assert time.monotonic() - started < 20
        assert str(error.value).endswith("reference.py: case ragged: reference did not end within 1 s")
        case = workload.case("long")
        arguments = make_arguments(workload, case, 3, oracle)
        assert np.array_equal(oracle.expected(case, arguments)["y"], arguments.inputs["x"].astype(np.float64))


def test_what_a_reference_prints_disturbs_nothing(write_workload: WriteWorkload) -> None:
    source = "import os\n\n\ndef reference(x):\n    print('x' * 100000)\n    os.write(1, b'raw')\n    return x\n"
    assert ask(write_workload(reference=source))["y"].shape == (77,)


def test_keys_and_foreign_files_are_out_of_reach(
    write_workload: WriteWorkload, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    secret = tmp_path_factory.mktemp("elsewhere") / "secret"
    secret.write_text("1", encoding="utf-8")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    source = (
        "import os\n\n\ndef reference(x):\n    found = [k for k in os.environ if 'KEY' in k]\n"
        f"    for path, mode in (({str(secret)!r}, 'r'), ({str(secret.parent / 'new')!r}, 'w')):\n"
        "        try:\n            with open(path, mode) as f:\n                f.write('1') if mode == 'w' else f.read()\n"
        "            found.append(path)\n        except OSError:\n            pass\n    assert not found, found\n    return x\n"
    )
    workload = load_workload(write_workload(reference=source))
    case = workload.case("ragged")
    with Oracle(workload) as oracle:
        arguments = make_arguments(workload, case, 3, oracle)
        if not oracle.confined:
            pytest.skip("this kernel cannot confine a process (no Landlock)")
        oracle.expected(case, arguments)
    assert "OPENAI_API_KEY" in os.environ


MAKE_INPUTS = """
def reference(x):
    return x


def make_inputs(dims, rng):
    return {"x": rng.standard_normal(dims["n"]) * SCALE}
"""


def test_make_inputs_is_deterministic_and_rounded_to_the_dtype(write_workload: WriteWorkload) -> None:
    directory = write_workload(('values = "normal(0, 1)"\n', ""), reference=MAKE_INPUTS.replace("SCALE", "1e3"))
    workload = load_workload(directory)
    case = workload.case("ragged")
    with Oracle(workload) as oracle:
        first = oracle.make_inputs(case, 1)["x"]
        assert first.dtype == np.float32
        assert first.tobytes() == oracle.make_inputs(case, 1)["x"].tobytes()
        assert first.tobytes() != oracle.make_inputs(case, 2)["x"].tobytes()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (MAKE_INPUTS.replace("SCALE", "1e300"), ", which does not fit float32"),
        (
            MAKE_INPUTS.replace('"x": rng', '"z": rng').replace("SCALE", "1"),
            "case ragged: make_inputs returned z; x is missing",
        ),
        (MAKE_INPUTS.replace('dims["n"]) * SCALE', "3)"), "make_inputs returned x of shape (3,); its shape is (77,)"),
    ],
    ids=["overflow", "names", "shape"],
)
def test_a_mistake_of_make_inputs_is_told(source: str, message: str, write_workload: WriteWorkload) -> None:
    assert told(write_workload(('values = "normal(0, 1)"\n', ""), reference=source)).endswith(message)


COMPARE = "def reference(x):\n    return x\n\n\ndef compare(actual, expected, case):\n    "
VERDICTS = {
    "true": ("return bool(abs(actual['y'] - expected['y']).max() < 1)", True, ""),
    "false": ("return False", False, "y: the workload's compare says: compare returned False"),
    "text": ("return case['name'] + ' is bad'", False, "y: the workload's compare says: ragged is bad"),
    "assertion": ("assert case['dims']['n'] == 3, 'n'\n    return True", False, "y: the workload's compare says: n"),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_an_own_compare_decides(name: str, write_workload: WriteWorkload) -> None:
    body, accepted, message = VERDICTS[name]
    workload = load_workload(write_workload(reference=COMPARE + body + "\n"))
    case = workload.case("ragged")
    with Oracle(workload) as oracle:
        arguments = make_arguments(workload, case, 3, oracle)
        expected = oracle.expected(case, arguments)
        (verdict,) = compare_case(workload, case, {"y": arguments.inputs["x"]}, expected, oracle)
    assert (verdict.passed, verdict.message) == (accepted, message)


def test_a_compare_without_a_verdict_is_a_mistake(write_workload: WriteWorkload) -> None:
    workload = load_workload(write_workload(reference=COMPARE + "pass\n"))
    case = workload.case("ragged")
    with Oracle(workload) as oracle, pytest.raises(WorkloadError) as error:
        oracle.compare(case, {"y": np.zeros(77)}, {"y": np.zeros(77)})
    text = "compare returned None; it must return True, or False or a text that says what is wrong"
    assert str(error.value).endswith(f"case ragged: {text}")


COUNTED = "import time\n\n\ndef reference(x):\n    return x * 0 + time.time_ns() % 1000000007\n"


def test_answers_are_kept_in_memory_and_on_disk(write_workload: WriteWorkload, tmp_path: Path) -> None:
    directory = write_workload(reference=COUNTED)
    cache = tmp_path / "cache"
    first = ask(directory, cache=cache)["y"]
    assert np.array_equal(ask(directory, cache=cache)["y"], first)
    assert not np.array_equal(ask(directory)["y"], first)
    for file in cache.iterdir():
        file.write_bytes(b"damaged")
    assert not np.array_equal(ask(directory, cache=cache)["y"], first)
    assert not np.array_equal(ask(write_workload(reference=COUNTED + "# edited\n"), cache=cache)["y"], first)


def test_the_initial_kernel_can_be_the_oracle(write_workload: WriteWorkload) -> None:
    workload = load_workload(write_workload(("[kernel]", '[oracle]\nkind = "kernel"\n[kernel]'), reference=None))
    case = workload.case("ragged")

    def run_kernel(_: Case, arguments: CaseArguments) -> Mapping[str, Array]:
        return {"y": arguments.inputs["x"] + np.float32(1)}

    with Oracle(workload, run_kernel=run_kernel) as oracle:
        arguments = make_arguments(workload, case, 3, oracle)
        assert oracle.expected(case, arguments)["y"].dtype == np.float64
    with Oracle(workload) as oracle, pytest.raises(WorkloadError, match="needs a device to run the initial kernel on"):
        oracle.expected(case, arguments)
