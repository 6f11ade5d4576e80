"""Loading: what a good directory becomes, and the whole message of every mistake."""

from pathlib import Path

import pytest

from warpwright.errors import WorkloadError
from warpwright.workload.loader import load_workload
from warpwright.workload.model import (
    ArrayParameter,
    CaseKind,
    DeviceKind,
    DimRange,
    OracleKind,
    Role,
    ScalarParameter,
    Tolerance,
)

from .conftest import WriteWorkload

DTYPES = "float64, float32, float16, bfloat16, int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool"
Y = 'name = "y"\nrole = "out"\ndtype = "float32"\nshape = ["n"]\n'
RAGGED = 'name = "ragged"\nkind = "check"\ndims = { n = 77 }\nscalars = { a = -1.5 }\n'


def test_a_directory_becomes_a_workload(write_workload: WriteWorkload) -> None:
    workload = load_workload(write_workload(("[kernel]", "[tolerance]\nrtol = 1e-5\n[kernel]")))
    assert workload.dims == {"n": DimRange(1, 1000)}
    assert workload.parameters == (
        ArrayParameter("y", Role.OUT, "float32", ("n",), 4, None),
        ArrayParameter("x", Role.IN, "float32", ("n",), 4, "normal(0, 1)"),
        ScalarParameter("n", "int32", "n"),
        ScalarParameter("a", "float32", 2.5),
    )
    assert workload.tolerance == Tolerance(rtol=1e-5)
    assert workload.initial.tunables == {"BLOCK": (64, 128)}
    assert [case.kind for case in workload.cases] == [CaseKind.CHECK, CaseKind.PERF]
    assert workload.case("ragged").scalars == {"a": -1.5}
    assert workload.files == ("kernel.cu", "reference.py", "workload.toml")
    assert workload.cold_cache
    assert workload.oracle is OracleKind.NUMPY


def test_cases_apply_where_they_say(write_workload: WriteWorkload) -> None:
    workload = load_workload(write_workload((RAGGED, RAGGED + 'on = "gpu"\n')))
    assert [case.name for case in workload.cases_on(DeviceKind.EMULATOR)] == ["long"]
    assert [case.name for case in workload.cases_on(DeviceKind.GPU)] == ["ragged", "long"]


def test_the_hash_changes_with_every_file(write_workload: WriteWorkload) -> None:
    hashes = {
        load_workload(write_workload(*replacements, reference=reference, kernel=kernel)).content_hash
        for replacements in ((), (("2.5", "2.25"),))
        for reference in ("def reference(x):\n    return x\n", "def reference(x):\n    return -x\n")
        for kernel in ("// a\n", "// b\n")
    }
    assert len(hashes) == 8


def test_seeds_differ_by_case_and_stay(write_workload: WriteWorkload) -> None:
    directory = write_workload()
    seeds = [case.seed for case in load_workload(directory).cases]
    assert len(set(seeds)) == 2
    assert [case.seed for case in load_workload(directory).cases] == seeds


def test_a_reference_kernel_is_loaded_like_the_initial_one(write_workload: WriteWorkload) -> None:
    table = '[reference]\nsource = "reference.cu"\nentry = "r"\ngrid = ["n"]\nblock = [1]\n[kernel]'
    directory = write_workload(("[kernel]", table))
    (directory / "reference.cu").write_text("// reference\n", encoding="utf-8")
    workload = load_workload(directory)
    assert workload.reference_kernel is not None
    assert workload.reference_kernel.source == "// reference\n"
    assert "reference.cu" in workload.files


MISTAKES = {
    "toml": (('"axpy"\n\n', "axpy\n\n"), "not valid TOML: Invalid value (at line 1, column 8)"),
    "unknown key": (
        ("[dims]", "sumary = 'x'\n[dims]"),
        ("unknown key 'sumary'; allowed: cases, dims, files, kernel, name, oracle, params, policy, properties, reference, "
        "summary, timing, tolerance, work. Did you mean 'summary'?"),
    ),
    "unknown key in a case": (
        (RAGGED, RAGGED + "sede = 3\n"),
        "unknown key 'sede' in [cases[0]]; allowed: dims, kind, name, on, scalars, seed. Did you mean 'seed'?",
    ),
    "kind": (('"perf"', '"pref"'), "cases[1].kind: found 'pref' (a string); allowed: 'check' or 'perf'"),
    "range": (
        ('"1..1000"', '"0..1000"'),
        "dims.n: found '0..1000'; allowed: a range from 1 or more, such as '1..65536'",
    ),
    "dtype": (
        (Y, Y.replace("float32", "float23")),
        f"params[0] (y).dtype: unknown name 'float23'; allowed: {DTYPES}. Did you mean 'float32'?",
    ),
    "shape name": ((Y, Y.replace('"n"]', '"m"]')), "params[0] (y).shape[0] = 'm': unknown name 'm'; allowed: n."),
    "shape text": (
        (Y, Y.replace('"n"]', '"n+"]')),
        ("params[0].shape[0]: expression 'n+', column 3: a value is missing at the end; allowed are numbers, names, "
        "+ - * / // %, parentheses, ceil_div, min, max, next_pow2"),
    ),
    "shape value": (
        (Y, Y.replace('"n"]', '"n / 7"]')),
        "cases[1] (long): shape of y: expression 'n / 7': 1000 / 7 is not a whole number; use // or ceil_div",
    ),
    "shape of zero": (
        (Y, Y.replace('"n"]', '"n - 77"]')),
        "cases[0] (ragged): shape of y: 'n - 77' is 0; allowed: 1 or more",
    ),
    "no role": (
        ('role = "in"\n', ""),
        "params[1] (x): role missing; an array has role and shape, a scalar has value",
    ),
    "align": (
        (Y, Y + "align = 6\n"),
        "params[0] (y).align: found 6; allowed: a power of two from 4 (the size of float32) to 256",
    ),
    "values on out": (
        (Y, Y + 'values = "ones"\n'),
        "params[0] (y).values: found 'ones' on an output; allowed: only on role in or inout",
    ),
    "values": (
        ("normal(0, 1)", "gauss(0, 1)"),
        ("params (x).values: found 'gauss(0, 1)'; allowed: normal(mean, deviation), uniform(low, high), "
        "integers(first, last), ones, permutation"),
    ),
    "values of no dim": (
        ("normal(0, 1)", "integers(0, m)"),
        "params (x).values: unknown name 'm'; allowed: n",
    ),
    "no values": (
        ('values = "normal(0, 1)"\n', ""),
        ("params (x): no values, and reference.py has no make_inputs(dims, rng); allowed: values = \"normal(0, 1)\", "
        "uniform(a, b), integers(a, b), ones, permutation, or make_inputs"),
    ),
    "duplicate parameter": (
        (Y, Y.replace('"y"', '"x"')),
        "params: 'x' is described twice; allowed: each name once",
    ),
    "array named as a dim": (
        ('"1..1000"', '"1..1000"\ny = "1..2"'),
        "params[0] (y): has the name of a dim; allowed: a scalar with value = 'y', or another name",
    ),
    "duplicate case": (('"long"', '"ragged"'), "cases: 'ragged' is described twice; allowed: each name once"),
    "no output": (
        (Y, Y.replace('"out"', '"in"\nvalues = "ones"')),
        "params: no array has role out or inout; allowed: at least one output"),
    "no perf case": (
        ('"perf"', '"check"'),
        'cases: none has kind = "perf"; allowed: at least one, or nothing can be timed',
    ),
    "dims out of range": (
        ("n = 1000 }", "n = 1001 }"),
        "cases[1] (long).dims.n: found 1001; allowed: 1..1000 (from [dims])",
    ),
    "unknown dim": (
        ("n = 1000 }", "n = 1000, m = 2 }"),
        "cases[1] (long).dims: unknown dim 'm'; allowed: n.",
    ),
    "scalar": (("value = 2.5", "value = 3e39"), "cases[1] (long): scalar a: 3e+39 does not fit float32"),
    "scalar of no type": (
        ("value = 2.5", "value = [1]"),
        "params[3].value: found a list; allowed: an integer or a number or a string",
    ),
    "scalar that is a dim": (("a = -1.5", "n = 7"), "cases[0] (ragged).scalars.n: is a dim; set it in dims"),
    "unknown scalar": (
        ("a = -1.5", "b = 1.5"),
        "cases[0] (ragged).scalars: unknown scalar 'b'; allowed: n, a.",
    ),
    "tolerance": (
        ("[kernel]", "[tolerance]\nrtol = -1\n[kernel]"),
        "tolerance.rtol: found -1; allowed: a finite number, 0 or above",
    ),
    "tolerance of an input": (
        ("[kernel]", "[tolerance.outputs.x]\nrtol = 1\n[kernel]"),
        "tolerance.outputs: unknown name 'x'; allowed: y.",
    ),
    "plan name": (
        ('"ceil_div(n, BLOCK)"', '"ceil_div(n, BLOK)"'),
        ("kernel.grid = 'ceil_div(n, BLOK)': unknown name 'BLOK'; allowed: n, BLOCK, device.sm_count, device.warp_size, "
        "device.max_threads_per_block, device.max_threads_per_sm, device.max_blocks_per_sm, device.registers_per_sm, "
        "device.shared_per_block_bytes, device.shared_per_block_optin_bytes, device.shared_per_sm_bytes, device.l2_bytes. "
        "Did you mean 'BLOCK'?"),
    ),
    "tunable named as a parameter": (
        ("BLOCK = [64, 128]", "BLOCK = [64, 128]\nx = [1]"),
        "kernel.tunables.x: has the name of a dim or parameter, which -Dx=... would replace; rename it",
    ),
    "override of no case": (
        ("[[cases]]\nname = \"ragged\"", "[kernel.case.raged]\ngrid = [1]\n[[cases]]\nname = \"ragged\""),
        "kernel.case: unknown name 'raged'; allowed: ragged, long. Did you mean 'ragged'?",
    ),
    "args": (
        ('entry = "axpy"', 'entry = "axpy"\nargs = ["z"]'),
        "kernel.args: unknown name 'z'; allowed: y, x, n, a.",
    ),
    "work": (
        ("[kernel]", "[work]\nbytes = \"8 * BLOCK\"\n[kernel]"),
        "work.bytes = '8 * BLOCK': unknown name 'BLOCK'; allowed: n.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_names_file_key_found_and_allowed(name: str, write_workload: WriteWorkload) -> None:
    replacement, message = MISTAKES[name]
    directory = write_workload(replacement)
    with pytest.raises(WorkloadError) as error:
        load_workload(directory)
    assert str(error.value) == f"{directory / 'workload.toml'}: {message}"


def test_a_scalar_must_fit_its_dtype(write_workload: WriteWorkload) -> None:
    directory = write_workload(('"1..1000"', '"1..9999999999"'), ("n = 1000 }", "n = 3000000000 }"))
    with pytest.raises(WorkloadError) as error:
        load_workload(directory)
    text = "cases[1] (long): scalar n: 3000000000 does not fit int32 (-2147483648 .. 2147483647)"
    assert str(error.value) == f"{directory / 'workload.toml'}: {text}"


def test_every_mistake_is_told_at_once(write_workload: WriteWorkload) -> None:
    directory = write_workload(("BLOCK)", "BLOK)"), ('"perf"', '"check"'), (Y, Y + "align = 6\n"))
    with pytest.raises(WorkloadError) as error:
        load_workload(directory)
    assert len(str(error.value).splitlines()) == 3


KNOWN = "allowed: x, n, a."
REFERENCES = {
    "missing": (None, "", "no such file; it must define reference(...), the NumPy function that computes the outputs"),
    "syntax": ("def reference(x:\n    pass\n", ":1", "not valid Python: '(' was never closed"),
    "unknown parameter": (
        "def reference(x, z):\n    return x\n",
        None,
        f"reference.py:1: parameter of reference: unknown name 'z'; {KNOWN}",
    ),
    "no reference": (
        "def oracle(x):\n    return x\n",
        None,
        "reference.py defines oracle; it must define reference(...), which returns the outputs by name",
    ),
    "make_inputs": (
        "def reference(x):\n    return x\n\n\ndef make_inputs(rng):\n    return {}\n",
        None,
        "reference.py:5: make_inputs(rng); allowed: make_inputs(dims, rng)",
    ),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_a_mistake_in_reference_py_is_found_without_running_it(name: str, write_workload: WriteWorkload) -> None:
    source, line, message = REFERENCES[name]
    directory = write_workload(reference=source)
    with pytest.raises(WorkloadError) as error:
        load_workload(directory)
    where = directory / "workload.toml" if line is None else f"{directory / 'reference.py'}{line}"
    assert str(error.value) == f"{where}: {message}"


def test_loading_runs_nothing(write_workload: WriteWorkload) -> None:
    load_workload(write_workload(reference="raise SystemExit(1)\n\n\ndef reference(x):\n    return x\n"))


def test_files_that_cannot_be_read_are_named(write_workload: WriteWorkload, tmp_path: Path) -> None:
    directory = write_workload()
    (directory / "kernel.cu").write_bytes(b"\xfe")
    with pytest.raises(WorkloadError) as error:
        load_workload(directory)
    assert str(error.value) == f"{directory / 'kernel.cu'}: byte 0 is not UTF-8 text; save the file as UTF-8"
    with pytest.raises(WorkloadError) as error:
        load_workload(tmp_path / "absent")
    assert str(error.value) == f"{tmp_path / 'absent'}: no such directory; a workload is a directory with workload.toml"


def test_a_kernel_may_be_its_own_oracle(write_workload: WriteWorkload) -> None:
    workload = load_workload(write_workload(("[kernel]", '[oracle]\nkind = "kernel"\n[kernel]'), reference=None))
    assert workload.oracle is OracleKind.KERNEL
    assert workload.files == ("kernel.cu", "workload.toml")
