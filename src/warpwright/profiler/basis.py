"""What the counters of a profile rest on, in words: for people and prompts alike."""

from warpwright.profiler.derived import TOOL as DERIVED
from warpwright.profiler.emulated import TOOL as EMULATOR

_WITHOUT_HARDWARE = {
    EMULATOR: "counted and estimated by the emulator",
    DERIVED: "no hardware counters: derived from the compiler's report and the launch plan",
}


def counted_by(tool: str) -> str:
    """`Nsight Compute 2025.3.1`, or what stood in for hardware counters. tool: of a profile or diagnosis."""
    return _WITHOUT_HARDWARE.get(tool, tool)
