"""The LLVM executor: 32-lane vectors, counters and checks inline."""

from warpwright.emulator.jit.availability import available
from warpwright.emulator.jit.executor import Jit

__all__ = ["Jit", "available"]
