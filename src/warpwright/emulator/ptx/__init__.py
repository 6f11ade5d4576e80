"""PTX text to data."""

from warpwright.emulator.ptx.lexer import PtxSyntaxError
from warpwright.emulator.ptx.parser import parse

__all__ = ["PtxSyntaxError", "parse"]
