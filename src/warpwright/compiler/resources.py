"""Registers, shared memory and spills of each kernel, from ptxas's own report (`--ptxas-options=-v`)."""

import re
from collections.abc import Mapping

from warpwright.compiler.result import KernelResources

_ENTRY = re.compile(r"ptxas info\s*: Compiling entry function '([^']+)'")
_FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"ptxas info\s*: Used (\d+) registers(.*)")
_SHARED = re.compile(r"(\d+) bytes smem")

UNKNOWN = KernelResources(None, None, None, None, None)


def parse_resources(log: str) -> Mapping[str, KernelResources]:
    """Resources by symbol. Shared bytes are per block, the rest per thread; local is the stack frame."""
    found: dict[str, KernelResources] = {}
    symbol: str | None = None
    frame: tuple[int, int, int] | None = None
    for line in log.splitlines():
        if entry := _ENTRY.search(line):
            symbol, frame = entry[1], None
        elif sizes := _FRAME.search(line):
            frame = frame or (int(sizes[1]), int(sizes[2]), int(sizes[3]))
        elif (used := _USED.search(line)) and symbol is not None:
            shared = _SHARED.search(used[2])
            local, stores, loads = frame or (None, None, None)
            found[symbol] = KernelResources(int(used[1]), int(shared[1]) if shared else 0, local, stores, loads)
            symbol = None
    return found
