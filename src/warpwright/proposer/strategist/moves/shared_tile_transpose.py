"""A copy that turns rows into columns goes through a padded tile of shared memory."""

from dataclasses import replace

from tree_sitter import Node

from warpwright.candidate.analysis.access import Access, Deed, Space
from warpwright.candidate.source_edit import apply_edits, replace_node
from warpwright.candidate.source_nodes import field, text_of
from warpwright.proposer.strategist.rewriting.move import Change, Move, Refusal
from warpwright.proposer.strategist.rewriting.plane import Plane, new_body, plane_of
from warpwright.proposer.strategist.rewriting.sizes import bracketed, covered
from warpwright.proposer.strategist.rewriting.subject import Subject
from warpwright.proposer.strategist.snippets import snippet

EDGES = (32, 64)
ROWS = (8, 4, 16)


def rewrite(subject: Subject) -> Change | Refusal:
    """Read along x, wait, write along x: both sides are then contiguous."""
    plane = plane_of(subject)
    if isinstance(plane, Refusal):
        return plane
    store = _store(subject, plane)
    if isinstance(store, Refusal):
        return store
    edge, rows = subject.fresh_tunable("TILE"), subject.fresh_tunable("TILE_ROWS")
    source = apply_edits(
        subject.kernel.source, [replace_node(subject.kernel.function.body, _body(subject, plane, store, edge, rows))]
    )
    spans = [bracketed(covered(subject, axis, plane.limit(i))) for axis, i in (("x", plane.x), ("y", plane.y))]
    grid = (*(f"ceil_div({span}, {edge})" for span in spans), *subject.launch.grid[2:])
    launch = replace(subject.launch, grid=grid, block=(edge, rows))
    return Change(
        candidate=subject.made(source.text, launch=launch, tunables={edge: EDGES, rows: ROWS}),
        text=f"Reads are contiguous, but writes to {store.base} jump: turn tiles around in shared memory, padded by one.",
        promise=3.0,
        expects={"global_store_sectors": 0.25, "global_store_bytes_per_sector": 4.0},
    )


def _body(subject: Subject, plane: Plane, store: Access, edge: str, rows: str) -> str:
    assignment = _assignment(plane.skeleton.body[-1])
    parameter = subject.kernel.function.parameter(store.base)
    work = snippet(
        "tile_transpose.cu",
        type="float" if parameter is None else parameter.element,
        tile=subject.kernel.fresh("tile"),
        step=subject.kernel.fresh("step"),
        edge=edge,
        rows=rows,
        x=plane.x.name,
        y=plane.y.name,
        x_type=plane.x.type,
        y_type=plane.y.type,
        guard=plane.guard,
        before=" ".join(text_of(s) for s in plane.skeleton.body[:-1]),
        value=text_of(field(assignment, "right")),
        target=text_of(field(assignment, "left")),
    )
    return new_body(plane, work).rstrip()


def _assignment(statement: Node) -> Node:
    return statement.named_children[0]


def _store(subject: Subject, plane: Plane) -> Access | Refusal:
    """The one store, contiguous along y while every load is contiguous along x."""
    kernel, body = subject.kernel, plane.skeleton.body
    last = body[-1] if body else None
    if last is None or last.type != "expression_statement" or any(s.type != "declaration" for s in body[:-1]):
        return Refusal("the work is not declarations and one assignment")
    if _assignment(last).type != "assignment_expression" or text_of(field(_assignment(last), "operator")) != "=":
        return Refusal("the work does not end in an assignment")
    accesses = [a for s in body for a in kernel.arrays.accesses(s)]
    stores = [a for a in accesses if a.writes]
    loads = [a for a in accesses if a.deed is Deed.LOAD]
    if len(stores) != 1 or stores[0].space is not Space.GLOBAL or stores[0].deed is not Deed.STORE or not loads:
        return Refusal("the work is not one store of something loaded")
    if not subject.distinct_arrays or any(a.base == stores[0].base for a in loads):
        return Refusal("the array written is also read")
    along_x, along_y = _stride(stores[0], "x"), _stride(stores[0], "y")
    if along_x in (0, 1) or along_y != 1 or any(_stride(a, "x") not in (0, 1) for a in loads):
        return Refusal("it is not a copy that is contiguous along x when reading and along y when writing")
    return stores[0]


def _stride(access: Access, axis: str) -> int | None:
    stride = None if access.index is None else access.index.stride(f"threadIdx.{axis}")
    return None if stride is None else stride.value


MOVE = Move(
    "shared_tile_transpose", "a transposing copy goes through a padded shared tile", rewrite, ("FG-11", "FG-19")
)
