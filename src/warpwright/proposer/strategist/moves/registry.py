"""Every move of the built-in strategist; the order breaks ties between equal promises."""

from warpwright.proposer.strategist.moves import (
    block_tunable,
    launch_bounds,
    restrict,
    share_row,
    swap_axes,
    unroll,
)
from warpwright.proposer.strategist.rewriting.move import Move

MOVES: tuple[Move, ...] = (
    share_row.WARP,
    share_row.BLOCK,
    swap_axes.MOVE,
    block_tunable.MOVE,
    unroll.MOVE,
    launch_bounds.MOVE,
    restrict.MOVE,
)
