"""The element types of parameters: NumPy dtype, size, unit roundoff."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import ml_dtypes
import numpy as np


class NumberKind(StrEnum):
    """How values of a dtype are drawn and compared."""

    FLOAT = "float"
    INTEGER = "integer"
    BOOL = "bool"


@dataclass(frozen=True, slots=True)
class ElementType:
    """One dtype. unit_roundoff: half the distance from 1 to the next value; 0 for exact types."""

    name: str
    numpy: np.dtype[Any]
    kind: NumberKind
    unit_roundoff: float

    @property
    def size_bytes(self) -> int:
        """Bytes of one element."""
        return self.numpy.itemsize

    @property
    def is_float(self) -> bool:
        """True for floating-point types, the ones that are compared with a tolerance."""
        return self.kind is NumberKind.FLOAT


def _integer(name: str) -> ElementType:
    return ElementType(name, np.dtype(name), NumberKind.INTEGER, 0.0)


_TYPES = (
    ElementType("float64", np.dtype(np.float64), NumberKind.FLOAT, 2.0**-53),
    ElementType("float32", np.dtype(np.float32), NumberKind.FLOAT, 2.0**-24),
    ElementType("float16", np.dtype(np.float16), NumberKind.FLOAT, 2.0**-11),
    ElementType("bfloat16", np.dtype(ml_dtypes.bfloat16), NumberKind.FLOAT, 2.0**-8),
    *(_integer(name) for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")),
    ElementType("bool", np.dtype(np.bool_), NumberKind.BOOL, 0.0),
)
_BY_NAME = {element.name: element for element in _TYPES}
DTYPE_NAMES = tuple(_BY_NAME)
"""Every dtype that a parameter may have."""


def element_type(name: str) -> ElementType:
    """The dtype of that name, one of `DTYPE_NAMES`."""
    return _BY_NAME[name]


def numpy_dtype(name: str) -> np.dtype[Any]:
    """The NumPy dtype of that name; bfloat16 comes from ml_dtypes."""
    return _BY_NAME[name].numpy


def integer_range(element: ElementType) -> tuple[int, int]:
    """Least and greatest value of an integer or bool type."""
    if element.kind is NumberKind.BOOL:
        return 0, 1
    limits = np.iinfo(element.numpy)
    return int(limits.min), int(limits.max)
