"""A fault as messages tell it: case, kernel, line, block and thread, then what happened."""

from warpwright.device.protocol import Fault, Program
from warpwright.verifier.evidence import case_text
from warpwright.workload.model import Case


def fault_text(case: Case, fault: Fault, program: Program) -> str:
    """`case one (n=1): axpb, kernel.cu:4, block (0, 0, 0), thread (1, 0, 0): out-of-bounds ...`; unknown parts left out."""
    places = (
        fault.entry,
        None if fault.line is None else f"{program.source_name}:{fault.line}",
        None if fault.block is None else f"block {fault.block}",
        None if fault.thread is None else f"thread {fault.thread}",
    )
    known = ", ".join(place for place in places if place is not None)
    where = f"{case_text(case)}: {known}" if known else case_text(case)
    return f"{where}: {fault.message}"
