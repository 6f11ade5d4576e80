"""Checks what `reference` and `make_inputs` gave back against the parameters."""

import numpy as np

from warpwright.workload.dtypes import ElementType, element_type, integer_range
from warpwright.workload.model import ArrayParameter
from warpwright.workload.values import Array


def as_expected(parameter: ArrayParameter, array: Array, shape: tuple[int, ...]) -> Array:
    """An expected output: float64 for floats, the parameter's own dtype for integers. Raises: ValueError."""
    _check_shape("reference", parameter, array, shape)
    element = element_type(parameter.dtype)
    if element.is_float:
        return np.asarray(array, dtype=np.float64)
    return _exact("reference", parameter, element, array)


def as_input(parameter: ArrayParameter, array: Array, shape: tuple[int, ...]) -> Array:
    """An input in the parameter's dtype; floats are rounded to it, integers must fit. Raises: ValueError."""
    _check_shape("make_inputs", parameter, array, shape)
    element = element_type(parameter.dtype)
    if not element.is_float:
        return _exact("make_inputs", parameter, element, array)
    with np.errstate(over="ignore"):
        rounded: Array = array.astype(element.numpy)
    lost = ~np.isfinite(rounded)
    if lost.any() and (overflowed := lost & np.isfinite(array.astype(np.float64))).any():
        worst = array[overflowed].flat[0]
        raise ValueError(f"make_inputs returned {parameter.name} with {worst}, which does not fit {parameter.dtype}")
    return np.ascontiguousarray(rounded)


def _check_shape(function: str, parameter: ArrayParameter, array: Array, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ValueError(f"{function} returned {parameter.name} of shape {array.shape}; its shape is {shape}")


def _exact(function: str, parameter: ArrayParameter, element: ElementType, array: Array) -> Array:
    if array.dtype == element.numpy:
        return np.array(array)
    given = element_type(array.dtype.name)
    if given.is_float and not np.all(array == np.floor(array)):
        raise ValueError(f"{function} returned {parameter.name} with fractions; its dtype is {parameter.dtype}")
    low, high = integer_range(element)
    least, greatest = (array.min(), array.max()) if array.size else (0, 0)
    if least < low or greatest > high:
        raise ValueError(
            f"{function} returned {parameter.name} with values {least} .. {greatest}; {parameter.dtype} holds {low} .. "
            f"{high}. Where the kernel wraps, let {function} wrap: .astype(np.{parameter.dtype})"
        )
    converted: Array = array.astype(element.numpy)
    return converted
