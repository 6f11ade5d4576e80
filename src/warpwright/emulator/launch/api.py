"""The emulator's front door: PTX in, results in the arena, counts and estimates out."""

from dataclasses import dataclass
from enum import StrEnum

from warpwright.emulator.counters.profile import LaunchProfile
from warpwright.emulator.memory.fault import Fault

Dim3 = tuple[int, int, int]


class ExecutorKind(StrEnum):
    """`interp`: NumPy, the definition. `jit`: LLVM, the fast one."""

    INTERP = "interp"
    JIT = "jit"


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch. arguments: packed little-endian bytes of each parameter, in order (pointers: 8-byte device addresses)."""

    grid: Dim3
    block: Dim3
    shared_bytes: int
    arguments: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class LaunchReport:
    """profile is None after a fault. complete: every block ran (a sample never counts as a pass)."""

    fault: Fault | None
    profile: LaunchProfile | None
    complete: bool
    seconds: float
