"""The table: one line for each family."""

from warpwright.emulator.ops import (
    atomic,
    bits,
    compare,
    control,
    floating,
    integer,
    logic,
    memory,
    move,
    warp,
)
from warpwright.emulator.ops.table import Table

_FAMILIES = (
    integer.FAMILY,
    logic.FAMILY,
    bits.FAMILY,
    compare.FAMILY,
    floating.FAMILY,
    move.FAMILY,
    memory.FAMILY,
    atomic.FAMILY,
    warp.FAMILY,
    control.FAMILY,
)

TABLE = Table(row for family in _FAMILIES for row in family.rows)
"""Every operation that the emulator executes."""
