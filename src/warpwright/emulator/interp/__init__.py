"""The NumPy executor: slow, readable, the definition."""

from warpwright.emulator.interp.interpreter import Interpreter

__all__ = ["Interpreter"]
