"""From a flat list of statements to basic blocks: where they begin and end, their order, what is live between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from warpwright.emulator.flow.uses import registers_read, registers_written
from warpwright.emulator.ops.table import Bound, Effect
from warpwright.emulator.ptx.ir import Instruction, Label, Statement, Vector

ENDS = frozenset({Effect.BRANCH, Effect.BRANCH_TABLE, Effect.EXIT, Effect.RETURN, Effect.TRAP, Effect.BARRIER})
_NO_FALL_THROUGH = frozenset({Effect.BRANCH, Effect.EXIT, Effect.RETURN, Effect.TRAP})


@dataclass(slots=True)
class RawBlock:
    """A block while it is being built; successors are numbers of raw blocks."""

    instructions: list[tuple[Instruction, Bound]] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    successors: tuple[int, ...] = ()
    live_in: frozenset[str] = frozenset()
    live_out: frozenset[str] = frozenset()


def split_blocks(statements: Sequence[Statement], bounds: Mapping[int, Bound]) -> list[RawBlock]:
    """Blocks in text order with their successors. bounds: position of each instruction -> its meaning."""
    blocks = [RawBlock()]
    for position, statement in enumerate(statements):
        if isinstance(statement, Label):
            if blocks[-1].instructions:
                blocks.append(RawBlock())
            blocks[-1].labels.append(statement.name)
            continue
        bound = bounds[position]
        blocks[-1].instructions.append((statement, bound))
        if bound.operation.effect in ENDS:
            blocks.append(RawBlock())
    numbers = {label: number for number, block in enumerate(blocks) for label in block.labels}
    for number, block in enumerate(blocks):
        block.successors = _successors(block, number, len(blocks), numbers)
    return blocks


def _successors(block: RawBlock, number: int, count: int, numbers: Mapping[str, int]) -> tuple[int, ...]:
    following = (number + 1,) if number + 1 < count else ()
    if not block.instructions:
        return following
    instruction, bound = block.instructions[-1]
    effect = bound.operation.effect
    if effect is Effect.BRANCH_TABLE:
        table = instruction.operands[1]
        assert isinstance(table, Vector)
        return tuple(numbers[label.name] for label in table.items if isinstance(label, Label))
    if effect is Effect.BRANCH:
        (target,) = instruction.operands
        assert isinstance(target, Label)
        taken = (numbers[target.name],)
        return taken if instruction.guard is None else (*taken, *following)
    return () if effect in _NO_FALL_THROUGH and instruction.guard is None else following


def reverse_post_order(blocks: Sequence[RawBlock]) -> list[int]:
    """Reachable blocks such that, loops apart, each stands behind all that lead to it (where lanes meet again)."""
    order: list[int] = []
    seen = {0}
    stack = [(0, _visiting(blocks[0]))]
    while stack:
        number, pending = stack[-1]
        if pending:
            target = pending.pop()
            if target not in seen:
                seen.add(target)
                stack.append((target, _visiting(blocks[target])))
            continue
        order.append(number)
        stack.pop()
    return order[::-1]


def _visiting(block: RawBlock) -> list[int]:
    """Successors, the last one in text order visited first: a loop's body then stands before what follows the loop."""
    return sorted(block.successors)


def find_live(blocks: Sequence[RawBlock]) -> None:
    """Fill `live_in` and `live_out` by iteration from the end."""
    reads: list[frozenset[str]] = []
    writes: list[frozenset[str]] = []
    for block in blocks:
        read: set[str] = set()
        written: set[str] = set()
        for instruction, bound in block.instructions:
            read |= registers_read(bound, instruction) - written
            written |= registers_written(bound, instruction)
        reads.append(frozenset(read))
        writes.append(frozenset(written))
    changed = True
    while changed:
        changed = False
        for number in range(len(blocks) - 1, -1, -1):
            block = blocks[number]
            out = frozenset().union(*(blocks[s].live_in for s in block.successors))
            into = reads[number] | (out - writes[number])
            changed = changed or into != block.live_in or out != block.live_out
            block.live_in, block.live_out = into, out
