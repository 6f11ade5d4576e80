"""Float pieces that NumPy lacks: fused multiply-add, canonical NaN."""

import ctypes
import ctypes.util
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

Lanes = np.ndarray[Any, np.dtype[Any]]

_CANONICAL = {np.dtype(np.float32): 0x7FFFFFFF, np.dtype(np.float64): 0x7FFFFFFFFFFFFFFF}


def canonical(values: Lanes) -> Lanes:
    """The array with every NaN replaced by PTX's one pattern."""
    missing = np.isnan(values)
    if not missing.any():
        return values
    bits = values.view(np.uint32 if values.dtype == np.float32 else np.uint64).copy()
    bits[missing] = _CANONICAL[values.dtype]
    return bits.view(values.dtype)


def fma32(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """a * b + c of float32, rounded once.

    The product is exact in float64; the sum is rounded to odd there, after which rounding to 24 bits is right
    (S. Boldo, G. Melquiond, IEEE Transactions on Computers 57, 2008).
    """
    product = a.astype(np.float64) * b.astype(np.float64)
    term = c.astype(np.float64)
    total = product + term
    part = total - product
    error = (product - (total - part)) + (term - part)
    bits = total.view(np.int64)
    odd = np.isfinite(total) & (error != 0) & np.isfinite(error) & ((bits & 1) == 0)
    toward = np.where((error > 0) == (total > 0), 1, -1)
    # a zero total with an error cannot be: such sums are exact
    return (bits + np.where(odd, toward, 0)).view(np.float64).astype(np.float32)


def _libm_fma() -> Callable[[float, float, float], float]:
    name = "ucrtbase" if sys.platform == "win32" else ctypes.util.find_library("m")
    function = ctypes.CDLL(name).fma
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_double] * 3
    return function


_FMA64 = np.frompyfunc(_libm_fma(), 3, 1)


def fma64(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """a * b + c of float64, rounded once by the C library."""
    return np.asarray(_FMA64(a, b, c), dtype=np.float64)
