"""Atomics of every thread on one scalar: each thread sums for itself, each block adds once."""

from dataclasses import replace

from warpwright.candidate.analysis.accumulate import Operation
from warpwright.candidate.source_edit import apply_edits, insert_after, insert_before, replace_node
from warpwright.candidate.source_nodes import text_of
from warpwright.proposer.strategist.moves.share_row import block_choice
from warpwright.proposer.strategist.rewriting.atomics import RESIDENT, Atomic, AtomicLoop, atomic_loop
from warpwright.proposer.strategist.rewriting.group import SHUFFLED_TYPES
from warpwright.proposer.strategist.rewriting.move import Change, Move, Refusal
from warpwright.proposer.strategist.rewriting.subject import Subject
from warpwright.proposer.strategist.snippets import snippet

_OPERATIONS = {
    "atomicAdd": (Operation.SUM, "a + b", "{part} += {value}"),
    "atomicOr": (Operation.OR, "a | b", "{part} |= {value}"),
    "atomicXor": (Operation.XOR, "a ^ b", "{part} ^= {value}"),
    "atomicMax": (Operation.MAXIMUM, "a > b ? a : b", "{part} = max({part}, {value})"),
}
"""Atomics whose identity is 0 (maximum: for unsigned types)."""


def rewrite(subject: Subject) -> Change | Refusal:
    """Reduce in registers, then over the block, then with one atomic per block of a grid as large as the device."""
    found = atomic_loop(subject)
    if isinstance(found, Refusal):
        return found
    refused = _refusal(found)
    if refused is not None:
        return Refusal(refused)
    source = _source(found)
    block, sizes = block_choice(found.subject)
    resident = found.subject.fresh_tunable("BLOCKS_PER_SM")
    grid = f"min({subject.launch.grid[0]}, device.sm_count * {resident})"
    launch = replace(subject.launch, grid=(grid, *subject.launch.grid[1:]), block=(block,))
    targets = ", ".join(dict.fromkeys(a.base for a in found.atomics))
    return Change(
        candidate=found.subject.made(source, launch=launch, tunables={**sizes, resident: RESIDENT}),
        text=f"Every thread's atomic on {targets} waits for all the others: add up in registers, then once per block.",
        promise=20.0,
        expects={"l2_atomic_sectors": 0.05},
    )


def _refusal(found: AtomicLoop) -> str | None:
    if not found.atomics or not all(a.fixed for a in found.atomics):
        return "an atomic goes to a place that depends on the element"
    for atomic in found.atomics:
        parameter = found.subject.kernel.function.parameter(atomic.base)
        kind = "" if parameter is None else parameter.element
        if atomic.function not in _OPERATIONS or kind not in SHUFFLED_TYPES:
            return f"{atomic.function} on {kind or atomic.base} is not understood"
        if atomic.function == "atomicMax" and not kind.startswith(("unsigned", "uint")):
            return "a maximum of signed values has no neutral start"
    return None


def _source(found: AtomicLoop) -> str:
    kernel = found.subject.kernel
    targets: dict[tuple[str, str], list[Atomic]] = {}
    for atomic in found.atomics:
        targets.setdefault((atomic.function, text_of(atomic.place)), []).append(atomic)
    edits, helpers, taken = [], {}, set[str]()
    for (function, place), atomics in targets.items():
        operation, combine, step = _OPERATIONS[function]
        part = kernel.fresh(f"{atomics[0].base}_part", taken)
        taken.add(part)
        parameter = kernel.function.parameter(atomics[0].base)
        kind = "" if parameter is None else parameter.element
        helpers[operation] = (kernel.fresh(f"block_{operation.value}"), combine)
        name = helpers[operation][0]
        edits.append(insert_before(found.loop.node, f"{kind} {part} = 0;\n    "))
        edits += [replace_node(a.call, step.format(part=part, value=f"({text_of(a.value)})")) for a in atomics]
        once = f"if (threadIdx.x == 0) {function}({place}, {part});"
        edits.append(insert_after(found.loop.node, f"\n    {part} = {name}({part});\n    {once}"))
    text = "".join(snippet("block_reduce.cuh", name=name, combine=combine) for name, combine in helpers.values())
    return apply_edits(kernel.source, [*edits, insert_before(kernel.function.outer, text)]).text


MOVE = Move(
    "privatise_reduction", "atomics on one scalar become a reduction and one atomic per block", rewrite, ("FG-38",)
)
