"""`__launch_bounds__`: let the compiler spend registers by the block size that is really used."""

from warpwright.candidate.expressions import Binary, Name, Node, Number, parse
from warpwright.candidate.source_edit import apply_edits, insert_after
from warpwright.proposer.strategist.rewriting.move import Change, Move, Refusal
from warpwright.proposer.strategist.rewriting.sizes import bracketed
from warpwright.proposer.strategist.rewriting.subject import Subject

MIN_BLOCKS = (1, 2, 3, 4, 6, 8)


def rewrite(subject: Subject) -> Change | Refusal:
    """Add the bound, with the number of resident blocks as a tunable."""
    function = subject.kernel.function
    if function.launch_bounds is not None:
        return Refusal("the kernel has __launch_bounds__ already")
    if subject.fixed_mapping is not None:
        return Refusal(subject.fixed_mapping)
    sizes = [size for size in subject.launch.block if size != "1"]
    if not all(_constant(parse(size).root, set(subject.candidate.tunables)) for size in sizes):
        return Refusal("the block size is not a compile-time constant")
    kind = function.node.child_by_field_name("type")
    if kind is None:
        return Refusal("the kernel's return type cannot be found")
    name = subject.fresh_tunable("MIN_BLOCKS")
    threads = " * ".join(bracketed(size) for size in sizes) or "1"
    source = apply_edits(subject.kernel.source, [insert_after(kind, f" __launch_bounds__({threads}, {name})")])
    occupancy = subject.counter("occupancy_theoretical_ratio")
    starved = occupancy is not None and occupancy < 0.5
    return Change(
        candidate=subject.made(source.text, tunables={name: MIN_BLOCKS}),
        text="The compiler plans registers for 1024 threads a block: tell it the real block and how many shall be resident.",
        promise=1.12 if starved else 1.01,
        expects={"occupancy_theoretical_ratio": 1.2} if starved else {},
    )


def _constant(node: Node, tunables: set[str]) -> bool:
    match node:
        case Number():
            return True
        case Name(name):
            return name in tunables
        case Binary("+" | "-" | "*", left, right):
            return _constant(left, tunables) and _constant(right, tunables)
    return False


MOVE = Move("launch_bounds", "__launch_bounds__ with a tunable number of resident blocks", rewrite, ("FG-22",))
