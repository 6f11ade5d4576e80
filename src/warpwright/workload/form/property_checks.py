"""What `[[properties]]` can have wrong: keys that a kind lacks or does not have, names, axes."""

from collections.abc import Iterator
from dataclasses import dataclass

from warpwright.candidate.validation import did_you_mean
from warpwright.workload.dtypes import DTYPE_NAMES, element_type
from warpwright.workload.form.schema import ParameterTable, PropertyTable, WorkloadFile
from warpwright.workload.model import PropertyKind

PROPERTY_NUMBERS = ("degree", "value", "low", "high")
_KEYS = ("inputs", "axis", "output_axis", *PROPERTY_NUMBERS)


@dataclass(frozen=True, slots=True)
class _Form:
    """Keys that a kind must and may have besides `output`. most: inputs that it takes. floats: they must be floats."""

    needs: tuple[str, ...]
    may: tuple[str, ...] = ()
    most: int = 8
    floats: bool = False


_FORMS = {
    PropertyKind.LINEAR: _Form(("inputs",), floats=True),
    PropertyKind.HOMOGENEOUS: _Form(("inputs", "degree"), floats=True),
    PropertyKind.SHIFT_INVARIANT: _Form(("inputs",), floats=True),
    PropertyKind.SHIFT_EQUIVARIANT: _Form(("inputs",), floats=True),
    PropertyKind.PERMUTATION_INVARIANT: _Form(("inputs", "axis")),
    PropertyKind.PERMUTATION_EQUIVARIANT: _Form(("inputs", "axis", "output_axis")),
    PropertyKind.SYMMETRIC: _Form(("inputs",), most=2),
    PropertyKind.IDEMPOTENT: _Form(("inputs",), most=1),
    PropertyKind.SUMS_TO: _Form(("axis", "value")),
    PropertyKind.BOUNDED: _Form(("low", "high")),
    PropertyKind.NONDECREASING: _Form(("axis",)),
}


def property_mistakes(tables: WorkloadFile) -> Iterator[str]:
    """Every mistake of every property."""
    for position, table in enumerate(tables.properties):
        key = f"properties[{position}] ({table.kind.value})"
        yield from _key_mistakes(key, table)
        yield from _name_mistakes(key, table, tables)


def _key_mistakes(key: str, table: PropertyTable) -> Iterator[str]:
    form = _FORMS[table.kind]
    given = {name for name in _KEYS if getattr(table, name) not in (None, [])}
    missing = [name for name in form.needs if name not in given]
    beyond = sorted(given - {*form.needs, *form.may})
    if missing or beyond:
        found = f"{', '.join(missing)} missing" if missing else f"found {', '.join(beyond)}"
        yield f"{key}: {found}; allowed: {', '.join((*form.needs, *form.may, 'output'))}"
    if len(table.inputs) > form.most or (table.kind is PropertyKind.SYMMETRIC and len(table.inputs) == 1):
        yield f"{key}.inputs: found {len(table.inputs)}; allowed: {form.most}"
    if table.low is not None and table.high is not None and table.low > table.high:
        yield f"{key}: low {table.low} is above high {table.high}"


def _name_mistakes(key: str, table: PropertyTable, tables: WorkloadFile) -> Iterator[str]:
    arrays = {p.name: p for p in tables.params if p.value is None and p.shape is not None}
    outputs = [name for name, p in arrays.items() if p.role in ("out", "inout")]
    inputs = [name for name, p in arrays.items() if p.role in ("in", "inout")]
    if table.output is None and len(outputs) > 1:
        yield f"{key}.output: missing; allowed: one of {', '.join(outputs)}"
    if table.output is not None and table.output not in outputs:
        close = did_you_mean(table.output, outputs)
        yield f"{key}.output: unknown name {table.output!r}; allowed: {', '.join(outputs)}.{close}"
    for name in table.inputs:
        if name not in inputs:
            yield f"{key}.inputs: unknown name {name!r}; allowed: {', '.join(inputs) or 'none'}.{did_you_mean(name, inputs)}"
        elif _FORMS[table.kind].floats and not _is_float(arrays[name]):
            yield f"{key}.inputs: {name} has dtype {arrays[name].dtype}; allowed: inputs of a floating-point dtype"
    changed = [arrays[name] for name in table.inputs if name in inputs]
    output = [arrays[name] for name in (table.output or (outputs or [""])[0],) if name in outputs]
    yield from _axis_mistakes(f"{key}.axis", table.axis, changed or output)
    yield from _axis_mistakes(f"{key}.output_axis", table.output_axis, output)


def _axis_mistakes(key: str, axis: int | None, arrays: list[ParameterTable]) -> Iterator[str]:
    for array in arrays:
        count = len(array.shape or ())
        if axis is not None and not -count <= axis < count:
            yield f"{key}: found {axis}; {array.name} has {count} axes; allowed: {-count}..{count - 1}"


def _is_float(table: ParameterTable) -> bool:
    return table.dtype in DTYPE_NAMES and element_type(table.dtype).is_float
