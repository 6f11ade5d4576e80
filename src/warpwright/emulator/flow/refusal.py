"""The one message for PTX that the emulator does not execute."""

from warpwright.emulator.ptx.ir import Instruction
from warpwright.errors import UnsupportedInstruction


def refuse(instruction: Instruction, what: str) -> UnsupportedInstruction:
    """`kernel.cu:14 (PTX line 87): wgmma.mma_async is not emulated. Run this candidate with --device gpu.`"""
    place = f"{instruction.source.file}:{instruction.source.line} " if instruction.source else ""
    return UnsupportedInstruction(
        f"{place}(PTX line {instruction.ptx_line}): {what} is not emulated. Run this candidate with --device gpu."
    )
