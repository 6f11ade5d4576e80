"""Shapes and scalar values of a case, from the expressions of the workload."""

from collections.abc import Mapping
from math import isfinite, prod

import numpy as np

from warpwright.candidate.expressions import evaluate
from warpwright.workload.dtypes import ElementType, element_type, integer_range
from warpwright.workload.model import ArrayParameter, Case, ScalarParameter, Workload


class ValueDoesNotFit(ValueError):
    """A scalar value that its dtype cannot hold."""


def shape_of(parameter: ArrayParameter, dims: Mapping[str, int]) -> tuple[int, ...]:
    """Elements along each axis."""
    return tuple(evaluate(text, dims) for text in parameter.shape)


def size_bytes(parameter: ArrayParameter, dims: Mapping[str, int]) -> int:
    """Bytes of the whole array."""
    return prod(shape_of(parameter, dims)) * element_type(parameter.dtype).size_bytes


def case_elements(workload: Workload, case: Case) -> int:
    """Elements of every array of a case together."""
    return sum(prod(shape_of(array, case.dims)) for array in workload.arrays)


def case_bytes(workload: Workload, case: Case) -> int:
    """Bytes of every array of a case together."""
    return sum(size_bytes(array, case.dims) for array in workload.arrays)


def scalar_value(parameter: ScalarParameter, case: Case) -> np.generic:
    """The scalar's value for a case, in its exact dtype. Raises: ValueDoesNotFit."""
    value = case.scalars.get(parameter.name, parameter.value)
    if isinstance(value, str):
        value = evaluate(value, case.dims)
    return pack_scalar(parameter.dtype, value)


def pack_scalar(dtype: str, value: int | float) -> np.generic:
    """The value in its exact dtype: floats are rounded, integers must fit. Raises: ValueDoesNotFit."""
    element = element_type(dtype)
    if element.is_float:
        return _pack_float(element, value)
    if isinstance(value, float) and not value.is_integer():
        raise ValueDoesNotFit(f"{value} is no integer, but the dtype is {dtype}")
    low, high = integer_range(element)
    if not low <= value <= high:
        raise ValueDoesNotFit(f"{int(value)} does not fit {dtype} ({low} .. {high})")
    exact: np.generic = element.numpy.type(int(value))
    return exact


def _pack_float(element: ElementType, value: int | float) -> np.generic:
    try:
        number = float(value)
    except OverflowError:
        raise ValueDoesNotFit(f"an integer of {int(value).bit_length()} bits does not fit {element.name}") from None
    with np.errstate(over="ignore"):
        packed: np.generic = element.numpy.type(number)
    if isfinite(number) and not isfinite(float(packed.item())):
        raise ValueDoesNotFit(f"{value} does not fit {element.name}")
    return packed
