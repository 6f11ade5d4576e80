"""What a workload.toml of the right form can still have wrong: names, dtypes, shapes, ranges, values."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from warpwright.candidate.expressions import DEVICE_NAMES, ExpressionError, parse
from warpwright.candidate.schema import CaseTable, KernelTable, LaunchTable
from warpwright.candidate.validation import did_you_mean
from warpwright.workload.dtypes import DTYPE_NAMES, element_type
from warpwright.workload.form.case_checks import case_mistakes
from warpwright.workload.form.property_checks import property_mistakes
from warpwright.workload.form.reference_file import REFERENCE_FILE, Function
from warpwright.workload.form.schema import ParameterTable, WorkloadFile

_MAX_ALIGN_BYTES = 256  # what cudaMalloc guarantees


@dataclass(frozen=True, slots=True)
class Checked:
    """A workload file whose form is right; functions: of reference.py, None if there is no such file."""

    tables: WorkloadFile
    functions: Mapping[str, Function] | None


def find_mistakes(checked: Checked) -> Iterator[str]:
    """Every mistake, each with its key, what was found and what is allowed."""
    tables = checked.tables
    parameters = list(_parameter_mistakes(tables))
    names = list(_name_mistakes(tables))
    plans = list(_kernel_mistakes(tables))
    yield from (*parameters, *names, *plans)
    if checked.functions is not None and not parameters:
        yield from _reference_mistakes(tables, checked.functions)
    yield from _tolerance_mistakes(tables)
    yield from property_mistakes(tables)
    yield from _expression("work.bytes", tables.work.bytes, tables.dims)
    yield from _expression("work.flops", tables.work.flops, tables.dims)
    if not (parameters or names or plans):  # a case is evaluated only where everything it refers to is sound
        yield from case_mistakes(tables)


def _parameter_mistakes(tables: WorkloadFile) -> Iterator[str]:
    for position, table in enumerate(tables.params):
        key = f"params[{position}] ({table.name})"
        if table.dtype not in DTYPE_NAMES:
            yield _unknown(f"{key}.dtype", table.dtype, DTYPE_NAMES)
        elif table.value is not None:
            yield from _scalar_mistakes(key, table, tables.dims)
        else:
            yield from _array_mistakes(key, table, tables)


def _scalar_mistakes(key: str, table: ParameterTable, dims: Iterable[str]) -> Iterator[str]:
    arrays_only = ("role", "shape", "align", "values", "alias")
    given = [name for name in arrays_only if getattr(table, name) is not None]
    if given or table.zeroed:
        yield f"{key}: {', '.join(given) or 'zeroed'} beside value; allowed: an array (role, shape) or a scalar (value)"
    if isinstance(table.value, str):
        yield from _expression(f"{key}.value", table.value, dims)


def _array_mistakes(key: str, table: ParameterTable, tables: WorkloadFile) -> Iterator[str]:
    missing = [name for name in ("role", "shape") if getattr(table, name) is None]
    if missing:
        yield f"{key}: {', '.join(missing)} missing; an array has role and shape, a scalar has value"
        return
    for axis, text in enumerate(table.shape or []):
        yield from _expression(f"{key}.shape[{axis}]", text, tables.dims)
    size_bytes = element_type(table.dtype).size_bytes
    if table.align is not None and (table.align % size_bytes or table.align not in _powers_of_two()):
        yield (
            f"{key}.align: found {table.align}; allowed: a power of two from {size_bytes} (the size of {table.dtype}) "
            f"to {_MAX_ALIGN_BYTES}"
        )
    if table.role == "out" and table.values is not None:
        yield f"{key}.values: found {table.values!r} on an output; allowed: only on role in or inout"
    if table.role != "out" and table.zeroed:
        yield f"{key}.zeroed: found true on role {table.role}; allowed: only on role out"
    yield from _alias_mistakes(key, table, tables)


def _alias_mistakes(key: str, table: ParameterTable, tables: WorkloadFile) -> Iterator[str]:
    if table.alias is None:
        return
    arrays = {other.name: other for other in tables.params if other.value is None and other.name != table.name}
    if table.alias not in arrays:
        yield _unknown(f"{key}.alias", table.alias, arrays)
        return
    other = arrays[table.alias]
    if (other.dtype, other.shape) != (table.dtype, table.shape):
        yield f"{key}.alias: {table.alias} has another dtype or shape; allowed: an array of the same dtype and shape"
    if other.alias is not None:
        yield f"{key}.alias: {table.alias} is itself an alias; allowed: an array that is none"


def _name_mistakes(tables: WorkloadFile) -> Iterator[str]:
    names = [table.name for table in tables.params]
    for name in _twice(names):
        yield f"params: {name!r} is described twice; allowed: each name once"
    for name in _twice(entry.name for entry in tables.cases):
        yield f"cases: {name!r} is described twice; allowed: each name once"
    for position, table in enumerate(tables.params):
        if table.name in tables.dims and table.value != table.name:
            yield (
                f"params[{position}] ({table.name}): has the name of a dim; allowed: a scalar with "
                f"value = {table.name!r}, or another name"
            )
    if not any(table.role in ("out", "inout") for table in tables.params):
        yield "params: no array has role out or inout; allowed: at least one output"
    if not any(entry.kind == "perf" for entry in tables.cases):
        yield 'cases: none has kind = "perf"; allowed: at least one, or nothing can be timed'


def _kernel_mistakes(tables: WorkloadFile) -> Iterator[str]:
    for key, kernel in (("kernel", tables.kernel), ("reference", tables.reference)):
        if kernel is not None:
            yield from _plan_mistakes(key, kernel, tables)


def _plan_mistakes(key: str, kernel: KernelTable, tables: WorkloadFile) -> Iterator[str]:
    parameters = [table.name for table in tables.params]
    for name in kernel.tunables:
        if name in tables.dims or name in parameters:
            yield f"{key}.tunables.{name}: has the name of a dim or parameter, which -D{name}=... would replace; rename it"
    known = (*tables.dims, *kernel.tunables, *DEVICE_NAMES)
    for where, texts in _plan_expressions(kernel):
        for text in texts:
            yield from _expression(f"{key}.{where}", text, known)
    arguments = (*parameters, *(table.name for table in kernel.scratch))
    for names in (kernel.args, *(launch.args for launch in kernel.launches)):
        yield from (_unknown(f"{key}.args", name, arguments) for name in names or () if name not in arguments)
    cases = [entry.name for entry in tables.cases]
    yield from (_unknown(f"{key}.case", case, cases) for case in kernel.case if case not in cases)
    yield from _scratch_mistakes(key, kernel, parameters)


def _scratch_mistakes(key: str, kernel: KernelTable, parameters: list[str]) -> Iterator[str]:
    for table in kernel.scratch:
        if table.dtype not in DTYPE_NAMES:
            yield _unknown(f"{key}.scratch.{table.name}.dtype", table.dtype, DTYPE_NAMES)
        if table.name in parameters:
            yield f"{key}.scratch.{table.name}: has the name of a parameter; rename it"


def _plan_expressions(kernel: KernelTable) -> Iterator[tuple[str, list[str]]]:
    plans: list[tuple[str, KernelTable | LaunchTable | CaseTable]] = [("", kernel)]
    plans += [(f"launches[{position}].", launch) for position, launch in enumerate(kernel.launches)]
    plans += [(f"case.{name}.", table) for name, table in kernel.case.items()]
    for where, plan in plans:
        for field in ("grid", "block", "cluster"):
            yield f"{where}{field}", getattr(plan, field, None) or []
        if plan.shared is not None:
            yield f"{where}shared", [plan.shared]
    for scratch in kernel.scratch:
        yield f"scratch.{scratch.name}.shape", scratch.shape


def _reference_mistakes(tables: WorkloadFile, functions: Mapping[str, Function]) -> Iterator[str]:
    inputs = [table.name for table in tables.params if table.role in ("in", "inout")]
    scalars = [table.name for table in tables.params if table.value is not None]
    reference = functions.get("reference")
    if reference is not None:
        known = list(dict.fromkeys((*inputs, *scalars, *tables.dims)))
        for name in reference.parameters:
            if name not in known and (name in reference.required):
                yield _unknown(f"{REFERENCE_FILE}:{reference.line}: parameter of reference", name, known)
    elif tables.oracle.kind == "numpy":
        defined = ", ".join(sorted(functions)) or "no function"
        yield f"{REFERENCE_FILE} defines {defined}; it must define reference(...), which returns the outputs by name"
    for function, parameters in (("make_inputs", ("dims", "rng")), ("compare", ("actual", "expected", "case"))):
        given = functions.get(function)
        if given is not None and given.parameters != parameters:
            yield (
                f"{REFERENCE_FILE}:{given.line}: {function}({', '.join(given.parameters)}); "
                f"allowed: {function}({', '.join(parameters)})"
            )
    if "make_inputs" not in functions:
        for table in tables.params:
            if table.role in ("in", "inout") and table.values is None:
                yield (
                    f"params ({table.name}): no values, and {REFERENCE_FILE} has no make_inputs(dims, rng); allowed: "
                    'values = "normal(0, 1)", uniform(a, b), integers(a, b), ones, permutation, or make_inputs'
                )


def _tolerance_mistakes(tables: WorkloadFile) -> Iterator[str]:
    yield from _expression("tolerance.reduction", tables.tolerance.reduction, tables.dims)
    outputs = [table.name for table in tables.params if table.role in ("out", "inout")]
    for name, own in tables.tolerance.outputs.items():
        if name not in outputs:
            yield _unknown("tolerance.outputs", name, outputs)
        yield from _expression(f"tolerance.outputs.{name}.reduction", own.reduction, tables.dims)


def _expression(key: str, text: str | None, known: Iterable[str]) -> Iterator[str]:
    if text is None:
        return
    try:
        names = parse(text).names
    except ExpressionError as error:
        yield f"{key}: {error}"
        return
    for name in sorted(names - set(known)):
        yield _unknown(f"{key} = {text!r}", name, known)


def _unknown(key: str, name: str, allowed: Iterable[str]) -> str:
    names = list(allowed)
    return f"{key}: unknown name {name!r}; allowed: {', '.join(names) or 'none'}.{did_you_mean(name, names)}"


def _twice(names: Iterable[str]) -> list[str]:
    listed = list(names)
    return sorted({name for name in listed if listed.count(name) > 1})


def _powers_of_two() -> list[int]:
    return [1 << exponent for exponent in range(_MAX_ALIGN_BYTES.bit_length())]
