"""The table: one line for each family."""

from warpwright.emulator.ops import (
    approximate,
    atomic,
    bits,
    carry,
    compare,
    control,
    convert,
    floating,
    half_arithmetic,
    integer,
    logic,
    memory,
    move,
    video,
    warp,
)
from warpwright.emulator.ops.table import Table

_FAMILIES = (
    integer.FAMILY,
    carry.FAMILY,
    logic.FAMILY,
    bits.FAMILY,
    compare.FAMILY,
    floating.FAMILY,
    approximate.FAMILY,
    half_arithmetic.FAMILY,
    convert.FAMILY,
    video.FAMILY,
    move.FAMILY,
    memory.FAMILY,
    atomic.FAMILY,
    warp.FAMILY,
    control.FAMILY,
)

TABLE = Table(row for family in _FAMILIES for row in family.rows)
"""Every operation that the emulator executes."""
