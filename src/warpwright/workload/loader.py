"""Loads a workload directory; every mistake in it is one WorkloadError that lists them all."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from types import MappingProxyType

from warpwright.candidate.schema import KernelTable
from warpwright.candidate.unseen import check_strings, check_text
from warpwright.candidate.validation import read_text, read_toml, validate
from warpwright.errors import WorkloadError
from warpwright.workload.dtypes import element_type
from warpwright.workload.form.checks import Checked, find_mistakes
from warpwright.workload.form.own_files import check_own_files
from warpwright.workload.form.property_checks import PROPERTY_NUMBERS
from warpwright.workload.form.reference_file import REFERENCE_FILE, Function, read_functions
from warpwright.workload.form.schema import (
    CaseEntry,
    OutputToleranceTable,
    ParameterTable,
    PropertyTable,
    ToleranceTable,
    WorkloadFile,
)
from warpwright.workload.model import (
    ArrayParameter,
    Case,
    CaseKind,
    DeviceKind,
    OracleKind,
    Parameter,
    Policy,
    Property,
    Role,
    ScalarParameter,
    Tolerance,
    Workload,
    WorkModel,
)  # fmt: skip

WORKLOAD_FILE = "workload.toml"


def load_workload(directory: Path, *, frozen: bool = False) -> Workload:
    """The workload in a directory; nothing of it is run.

    frozen: a session's own copy, which was let in by the rules of its time; characters that nobody sees stay in it.
    Raises: WorkloadError naming for each mistake the file, the key, what was found and what is allowed.
    """
    if not directory.is_dir():
        raise WorkloadError(f"{directory}: no such directory; a workload is a directory with {WORKLOAD_FILE}")
    path = directory / WORKLOAD_FILE
    check_own_files(directory, [WORKLOAD_FILE])
    content = read_toml(path, WorkloadError)
    if not frozen:
        check_text(path, read_text(path, WorkloadError), WorkloadError)
        check_strings(path, content, WorkloadError)
    tables = validate(WorkloadFile, content, path, WorkloadError)
    check_own_files(directory, [*_names(tables), REFERENCE_FILE])
    functions = _functions(directory, tables)
    mistakes = list(find_mistakes(Checked(tables, functions)))
    if mistakes:
        raise WorkloadError("\n".join(f"{path}: {mistake}" for mistake in dict.fromkeys(mistakes)))
    workload = _workload(directory, tables)
    if not frozen:
        _check_seen(directory, workload)
    return workload


def _functions(directory: Path, tables: WorkloadFile) -> dict[str, Function] | None:
    """What reference.py defines; None where the kernel is its own oracle and there is no such file."""
    path = directory / REFERENCE_FILE
    if tables.oracle.kind == "kernel" and not path.exists():
        return None
    if not path.exists():
        raise WorkloadError(
            f"{path}: no such file; it must define reference(...), the NumPy function that computes the outputs"
        )
    return read_functions(path)


def _workload(directory: Path, tables: WorkloadFile) -> Workload:
    initial = tables.kernel.candidate(directory, WorkloadError)
    reference = None if tables.reference is None else tables.reference.candidate(directory, WorkloadError)
    files = _files(directory, tables)
    return Workload(
        name=tables.name,
        summary=tables.summary,
        directory=directory,
        dims=MappingProxyType(dict(tables.dims)),
        parameters=tuple(_parameter(table) for table in tables.params),
        tolerance=_tolerance(tables.tolerance),
        initial=initial,
        reference_kernel=reference,
        work=WorkModel(tables.work.bytes, tables.work.flops),
        cases=tuple(_case(entry) for entry in tables.cases),
        policy=Policy(tables.policy.lower_precision, tables.policy.specialise),
        cold_cache=tables.timing.cache == "cold",
        content_hash=_content_hash(directory, files),
        files=files,
        oracle=OracleKind(tables.oracle.kind),
        properties=tuple(_property(table, tables) for table in tables.properties),
    )


def _names(tables: WorkloadFile) -> set[str]:
    """The files that workload.toml names."""
    kernels: Iterable[KernelTable] = (tables.kernel, tables.reference) if tables.reference else (tables.kernel,)
    return {*tables.files, *(name for kernel in kernels for name in (kernel.source, *kernel.headers))}


def _files(directory: Path, tables: WorkloadFile) -> tuple[str, ...]:
    own = {REFERENCE_FILE} if (directory / REFERENCE_FILE).exists() else set()
    return tuple(sorted({WORKLOAD_FILE, *own, *_names(tables)}))


def _check_seen(directory: Path, workload: Workload) -> None:
    """What a person reads of the workload is all that is there."""
    for candidate in filter(None, (workload.initial, workload.reference_kernel)):
        for name, text in ((candidate.source_name, candidate.source), *candidate.headers.items()):
            check_text(directory / name, text, WorkloadError)
    for name in workload.files:
        if name.endswith(".py"):
            check_text(directory / name, read_text(directory / name, WorkloadError), WorkloadError)


def _content_hash(directory: Path, files: tuple[str, ...]) -> str:
    total = hashlib.sha256()
    for name in files:
        try:
            content = (directory / name).read_bytes()
        except OSError as error:
            raise WorkloadError(f"{directory / name}: cannot be read: {error.strerror}") from None
        total.update(f"{name}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()


def _parameter(table: ParameterTable) -> Parameter:
    if table.value is not None:
        return ScalarParameter(table.name, table.dtype, table.value)
    assert table.role is not None
    assert table.shape is not None
    size_bytes = element_type(table.dtype).size_bytes
    return ArrayParameter(
        name=table.name,
        role=Role(table.role),
        dtype=table.dtype,
        shape=tuple(table.shape),
        align_bytes=table.align or size_bytes,
        values=table.values,
        zeroed=table.zeroed,
        alias=table.alias,
    )


def _tolerance(table: ToleranceTable) -> Tolerance:
    by_output = {name: _limits(own) for name, own in table.outputs.items()}
    return Tolerance(table.rtol, table.atol, table.reduction, MappingProxyType(by_output))


def _limits(table: OutputToleranceTable) -> Tolerance:
    return Tolerance(table.rtol, table.atol, table.reduction)


def _case(entry: CaseEntry) -> Case:
    on = frozenset(DeviceKind) if entry.on == "both" else frozenset({DeviceKind(entry.on)})
    return Case(
        name=entry.name,
        kind=CaseKind(entry.kind),
        dims=MappingProxyType(dict(entry.dims)),
        on=on,
        seed=_seed(entry.name) if entry.seed is None else entry.seed,
        scalars=MappingProxyType(dict(entry.scalars)),
    )


def _property(table: PropertyTable, tables: WorkloadFile) -> Property:
    outputs = [p.name for p in tables.params if p.role in ("out", "inout")]
    numbers = {n: float(v) for n in PROPERTY_NUMBERS if (v := getattr(table, n)) is not None}
    return Property(
        kind=table.kind,
        output=table.output or outputs[0],
        inputs=tuple(table.inputs),
        axis=-1 if table.axis is None else table.axis,
        output_axis=-1 if table.output_axis is None else table.output_axis,
        numbers=MappingProxyType(numbers),
    )


def _seed(name: str) -> int:
    """A seed of its own for each case, the same on every machine."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "little")
