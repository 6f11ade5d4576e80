"""How many blocks of a shape an SM holds."""

from typing import Annotated

from pydantic import Field

from warpwright.hardware.occupancy import theoretical_occupancy
from warpwright.proposer.model.tools.aids import Aids
from warpwright.proposer.model.tools.tool import Arguments, Tool

_MOST = 2**31 - 1


class _Ask(Arguments):
    block: Annotated[int, Field(description="Threads of a block.", ge=1, le=_MOST)]
    registers: Annotated[int, Field(description="Registers of a thread; 0: unknown, no limit.", ge=0, le=_MOST)] = 0
    shared: Annotated[
        int, Field(description="Bytes of shared memory of a block, static and dynamic.", ge=0, le=_MOST)
    ] = 0


def occupancy(aids: Aids) -> Tool:
    """Resident warps and blocks, and which resource limits them."""

    def answer(asked: _Ask) -> str:
        found = theoretical_occupancy(aids.state.gpu, asked.block, asked.registers or None, asked.shared)
        by = ", ".join(f"{limiter.value} {blocks}" for limiter, blocks in found.limits.items())
        if found.blocks_per_sm == 0:
            return (
                f"Such a block does not fit on an SM: limited by {found.limiter.value}. Blocks an SM by resource: {by}."
            )
        return (
            f"{found.ratio:.0%} occupancy: {found.warps} warps in {found.blocks_per_sm} blocks an SM, limited by "
            f"{found.limiter.value}. Blocks an SM by resource: {by}."
        )

    return Tool(
        "occupancy", "Theoretical occupancy of a block size with its registers and shared memory.", _Ask, answer
    )
