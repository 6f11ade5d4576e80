"""What single cases can have wrong: dims, scalars, values and shapes under their dims."""

from collections.abc import Iterator, Mapping
from math import prod

from warpwright.candidate.expressions import ExpressionError, evaluate, parse
from warpwright.candidate.validation import did_you_mean
from warpwright.workload.distributions import DistributionError, check_distribution, parse_distribution
from warpwright.workload.dtypes import element_type
from warpwright.workload.form.schema import CaseEntry, ParameterTable, WorkloadFile
from warpwright.workload.shapes import ValueDoesNotFit, pack_scalar

_MAX_ARRAY_BYTES = 2**40


def case_mistakes(tables: WorkloadFile) -> Iterator[str]:
    """Every mistake of every case; the rest of the file is sound."""
    for table in tables.params:
        if table.values is not None:
            yield from _distribution_mistakes(table)
    for position, entry in enumerate(tables.cases):
        key = f"cases[{position}] ({entry.name})"
        dims = list(_dim_mistakes(key, entry, tables))
        yield from dims
        if not dims:
            for table in tables.params:
                yield from _scalar(key, table, entry) if table.value is not None else _array(key, table, entry.dims)
        yield from _scalar_names(key, entry, tables)


def _distribution_mistakes(table: ParameterTable) -> Iterator[str]:
    try:
        parse_distribution(table.values or "")
    except DistributionError as error:
        yield f"params ({table.name}).values: {error}"


def _dim_mistakes(key: str, entry: CaseEntry, tables: WorkloadFile) -> Iterator[str]:
    for name in entry.dims:
        if name not in tables.dims:
            allowed = list(tables.dims)
            yield f"{key}.dims: unknown dim {name!r}; allowed: {', '.join(allowed)}.{did_you_mean(name, allowed)}"
    for name, limits in tables.dims.items():
        if name not in entry.dims:
            yield f"{key}.dims: {name} is missing; every case gives a value to {', '.join(tables.dims)}"
        elif not limits.low <= entry.dims[name] <= limits.high:
            yield f"{key}.dims.{name}: found {entry.dims[name]}; allowed: {limits.low}..{limits.high} (from [dims])"


def _scalar_names(key: str, entry: CaseEntry, tables: WorkloadFile) -> Iterator[str]:
    scalars = [table.name for table in tables.params if table.value is not None]
    for name in entry.scalars:
        if name not in scalars:
            allowed = ", ".join(scalars) or "none"
            yield f"{key}.scalars: unknown scalar {name!r}; allowed: {allowed}.{did_you_mean(name, scalars)}"
        elif name in tables.dims:
            yield f"{key}.scalars.{name}: is a dim; set it in dims"


def _scalar(key: str, table: ParameterTable, entry: CaseEntry) -> Iterator[str]:
    value = entry.scalars.get(table.name, table.value)
    assert value is not None
    try:
        pack_scalar(table.dtype, evaluate(value, entry.dims) if isinstance(value, str) else value)
    except (ValueDoesNotFit, ExpressionError) as error:
        yield f"{key}: scalar {table.name}: {error}"


def _array(key: str, table: ParameterTable, dims: Mapping[str, int]) -> Iterator[str]:
    try:
        shape = tuple(evaluate(text, dims) for text in table.shape or ())
    except ExpressionError as error:
        yield f"{key}: shape of {table.name}: {error}"
        return
    bad = [(text, size) for text, size in zip(table.shape or (), shape, strict=True) if size < 1]
    if bad:
        yield f"{key}: shape of {table.name}: {bad[0][0]!r} is {bad[0][1]}; allowed: 1 or more"
        return
    element = element_type(table.dtype)
    if prod(shape) * element.size_bytes > _MAX_ARRAY_BYTES:
        yield f"{key}: {table.name} has {prod(shape) * element.size_bytes} bytes; allowed: at most {_MAX_ARRAY_BYTES}"
    yield from _values(key, table, shape, dims)


def _values(key: str, table: ParameterTable, shape: tuple[int, ...], dims: Mapping[str, int]) -> Iterator[str]:
    if table.values is None:
        return
    try:
        distribution = parse_distribution(table.values)
    except DistributionError:
        return  # already told, once for all cases
    unknown = sorted(name for text in distribution.arguments for name in _names(distribution.kind, text) - set(dims))
    if unknown:
        yield f"params ({table.name}).values: unknown name {unknown[0]!r}; allowed: {', '.join(dims)}"
        return
    try:
        check_distribution(distribution, element_type(table.dtype), shape, dims)
    except DistributionError as error:
        yield f"{key}: values of {table.name}: {error}"


def _names(kind: str, text: str) -> frozenset[str]:
    return parse(text).names if kind == "integers" else frozenset()
