"""A kernel as basic blocks: device functions inlined, every instruction bound to its row, blocks in reverse post-order.

What executors see after lowering (`flow.lowering`), so that they need not know it:

- `ret` of the entry is `exit`; other returns and all calls but `trap` and `print` (a `vprintf`, no operands) are gone;
- call parameters are registers, or local variables where their bytes are accessed in different sizes;
- `add.cc d, a, b` has operands `d|%cc, a, b` and `addc d, a, b` has `d, a, b, %cc`: the carry is a register of width 1;
- `cp.async` is a guarded `ld.global` and `st.shared` (the copy is immediate), its group instructions do nothing.

`ops.operands` flattens operands in the order of `Bound.operation.signature`; `ops.access` reads memory instructions
and barriers. A branch, branch table, exit or barrier is the last node of its block; a guarded exit falls through to its
one successor. Other instructions may be guarded anywhere; a guarded `trap` faults only if a lane executes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from warpwright.emulator.ops.table import Bound
from warpwright.emulator.ptx.ir import Instruction, Parameter, Variable


@dataclass(frozen=True, slots=True)
class Node:
    """An instruction with its meaning. memory_index: its row in `RawCounts.memory`, None for other instructions."""

    instruction: Instruction
    bound: Bound
    memory_index: int | None = None


@dataclass(frozen=True, slots=True)
class BasicBlock:
    """Straight-line code that ends at a branch, barrier or exit.

    successors: block numbers; for a conditional branch (taken, fall-through), for a branch table its targets in order.
    live_in, live_out: register names.
    """

    nodes: tuple[Node, ...]
    successors: tuple[int, ...]
    live_in: frozenset[str]
    live_out: frozenset[str]


@dataclass(frozen=True, slots=True)
class KernelGraph:
    """One entry, ready to execute. Block 0 is the entry; numbers follow reverse post-order (min-PC scheduling uses them).

    registers: name -> width in bits (1 = predicate). shared, local: variables placed at byte offsets
    (`shared_offsets`, `local_offsets`); dynamic shared memory begins at `shared_static_bytes` (aligned to 16).
    """

    name: str
    parameters: tuple[Parameter, ...]
    parameter_bytes: int
    registers: Mapping[str, int]
    blocks: tuple[BasicBlock, ...]
    memory_instructions: tuple[Node, ...]
    shared_offsets: Mapping[str, int]
    shared_static_bytes: int
    local_offsets: Mapping[str, int]
    local_bytes: int
    module_variables: Mapping[str, Variable]
    """Global and const variables of the module; `launch` places them, their addresses are `run.arena.symbols[name].address`."""
