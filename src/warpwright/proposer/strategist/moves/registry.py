"""Every move of the built-in strategist; the order breaks ties between equal promises."""

from warpwright.proposer.strategist.moves import (
    block_tunable,
    grid_stride,
    launch_bounds,
    privatise_reduction,
    restrict,
    share_row,
    shared_histogram,
    shared_tile_matmul,
    shared_tile_transpose,
    swap_axes,
    unroll,
    vectorise,
)
from warpwright.proposer.strategist.rewriting.move import Move

MOVES: tuple[Move, ...] = (
    share_row.WARP,
    share_row.BLOCK,
    privatise_reduction.MOVE,
    shared_histogram.MOVE,
    shared_tile_matmul.MOVE,
    shared_tile_transpose.MOVE,
    swap_axes.MOVE,
    vectorise.MOVE,
    block_tunable.MOVE,
    grid_stride.MOVE,
    unroll.MOVE,
    launch_bounds.MOVE,
    restrict.MOVE,
)
