"""Loading PTX, launching kernels, sampling blocks."""

from warpwright.emulator.launch.api import ExecutorKind, Launch, LaunchReport
from warpwright.emulator.launch.emulator import DEFAULT_BUDGET, Emulator

__all__ = ["DEFAULT_BUDGET", "Emulator", "ExecutorKind", "Launch", "LaunchReport"]
