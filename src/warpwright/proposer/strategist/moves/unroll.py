"""`#pragma unroll` with a tunable factor on counted inner loops."""

from tree_sitter import Node

from warpwright.candidate.analysis.loops import counted_loop
from warpwright.candidate.analysis.polynomial import integer_literal
from warpwright.candidate.source_edit import apply_edits, insert_before
from warpwright.candidate.source_nodes import LOOPS, loop_start, of_type, text_of
from warpwright.proposer.strategist.rewriting.move import Change, Move, Refusal
from warpwright.proposer.strategist.rewriting.qualifiers import restrict_edits
from warpwright.proposer.strategist.rewriting.subject import Subject

FACTORS = (4, 2, 8, 1)


def rewrite(subject: Subject) -> Change | Refusal:
    """Unroll the innermost counted loops that have no pragma, all by one tunable factor."""
    text = subject.kernel.source.text
    loops = [n for n in of_type(subject.kernel.function.body, "for_statement") if _worth_unrolling(n, text)]
    if not loops:
        return Refusal("no innermost counted loop without a pragma whose length is unknown at compile time")
    name = subject.fresh_tunable("UNROLL")
    edits = [insert_before(loop, _pragma(loop, text, name)) for loop in loops]
    source = apply_edits(subject.kernel.source, [*edits, *restrict_edits(subject)])
    return Change(
        candidate=subject.made(source.text, tunables={name: FACTORS}),
        text=f"{len(loops)} inner loop(s) wait for one load at a time: unroll by {name} so that several are in flight.",
        promise=1.15 if subject.counter("issue_active_ratio") is None else 1.1,
        expects={"instructions": 0.9},
    )


def _worth_unrolling(loop: Node, text: str) -> bool:
    if any(n.id != loop.id for n in of_type(loop, *LOOPS)) or loop_start(loop, text) != loop.start_byte:
        return False
    counted = counted_loop(loop)
    in_block = loop.parent is not None and loop.parent.type == "compound_statement"
    return in_block and counted is not None and integer_literal(text_of(counted.limit)) is None


def _pragma(loop: Node, text: str, factor: str) -> str:
    """The pragma on a line of its own, whatever stands before the loop."""
    before = text.encode()[: loop.start_byte].rsplit(b"\n", 1)[-1]
    return f"{'\n' if before.strip() else ''}#pragma unroll {factor}\n{' ' * loop.start_point[1]}"


MOVE = Move("unroll", "#pragma unroll with a tunable factor on inner loops", rewrite, ("FG-24",))
