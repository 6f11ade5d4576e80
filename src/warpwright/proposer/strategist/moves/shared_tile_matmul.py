"""A dot product per element becomes tiles in shared memory and a small block of results per thread."""

from dataclasses import dataclass, replace

from tree_sitter import Node

from warpwright.candidate.analysis.access import Access
from warpwright.candidate.analysis.accumulate import Operation, accumulations
from warpwright.candidate.analysis.kernel import Local
from warpwright.candidate.analysis.loops import Loop, counted_loop, departure
from warpwright.candidate.source_edit import apply_edits, replace_node
from warpwright.candidate.source_nodes import LOOPS, arguments_of, field, of_type, statements_of, text_of, unwrapped
from warpwright.proposer.strategist.rewriting.move import Change, Move, Refusal
from warpwright.proposer.strategist.rewriting.plane import Plane, depends_on, new_body, plane_of
from warpwright.proposer.strategist.rewriting.sizes import bracketed, covered, typical
from warpwright.proposer.strategist.rewriting.subject import Subject
from warpwright.proposer.strategist.snippets import snippet

SHAPES = ((128, 8), (64, 4), (32, 2), (16, 1))
"""Edge of a block's square tile and of a thread's part of it, large ones first: each is 16 x 16 threads."""
DEPTHS = (16, 8, 32)
_LOCALS = (
    "left_tile", "right_tile", "left_part", "right_part", "thread", "threads", "sums", "first", "value",
    "in_row", "in_depth", "in_column", "at", "i", "j",
)  # fmt: skip
_TYPES = ("float", "double", "int", "unsigned", "unsigned int")


@dataclass(frozen=True, slots=True)
class _Product:
    """before, loop, after: the work around `sum += left * right`. left depends on y only, right on x only."""

    before: tuple[Node, ...]
    loop: Loop
    after: tuple[Node, ...]
    total: Local
    left: Node
    right: Node


def rewrite(subject: Subject) -> Change | Refusal:
    """Load tiles of both factors once per block and multiply them from registers."""
    plane = plane_of(subject)
    if isinstance(plane, Refusal):
        return plane
    product = _product(subject, plane)
    if isinstance(product, Refusal):
        return product
    spans = [bracketed(covered(subject, axis, plane.limit(i))) for axis, i in (("x", plane.x), ("y", plane.y))]
    values = _tunables(subject, spans)
    names = {name: subject.fresh_tunable(name) for name in values}
    body = new_body(plane, _work(subject, plane, product, names)).rstrip()
    source = apply_edits(subject.kernel.source, [replace_node(subject.kernel.function.body, body)])
    m, n, tm, tn = (names[k] for k in ("TILE_M", "TILE_N", "THREAD_M", "THREAD_N"))
    launch = replace(
        subject.launch,
        grid=(f"ceil_div({spans[0]}, {n})", f"ceil_div({spans[1]}, {m})", *subject.launch.grid[2:]),
        block=(f"{n} / {tn}", f"{m} / {tm}"),
    )
    return Change(
        candidate=subject.made(source.text, launch=launch, tunables={names[k]: v for k, v in values.items()}),
        text="Every product loads both factors from L1: keep tiles in shared memory and a block of results in registers.",
        promise=5.0,
        expects={"global_load_requests": 0.2},
    )


def _tunables(subject: Subject, spans: list[str]) -> dict[str, tuple[int, ...]]:
    """Values to try; the defaults are the largest tile that still gives every SM a block."""
    area = (typical(subject, spans[0]) or 1.0) * (typical(subject, spans[1]) or 1.0)
    fitting = [shape for shape in SHAPES if area / shape[0] ** 2 >= subject.gpu.sm_count]
    edge, part = fitting[0] if fitting else SHAPES[-1]
    edges = tuple(dict.fromkeys((edge, *(e for e, _ in SHAPES))))
    parts = tuple(dict.fromkeys((part, *(p for _, p in SHAPES))))
    return {"TILE_M": edges, "TILE_N": edges, "TILE_K": DEPTHS, "THREAD_M": parts, "THREAD_N": parts}


def _product(subject: Subject, plane: Plane) -> _Product | Refusal:
    kernel, body = subject.kernel, plane.skeleton.body
    at = [i for i, s in enumerate(body) if s.type in LOOPS]
    loop = counted_loop(body[at[0]]) if len(at) == 1 else None
    if loop is None or text_of(loop.start) != "0" or loop.step is not None or departure(loop) is not None:
        return Refusal("the work is not one loop from 0 in steps of 1")
    before = tuple(s for s in body[: at[0]] if s.type != "preproc_call")
    after = body[at[0] + 1 :]
    if any(s.type != "declaration" for s in before) or any(True for s in after for _ in of_type(s, "return_statement")):
        return Refusal("something other than declarations precedes the loop, or a return follows it")
    if {plane.x.name, plane.y.name} & depends_on(kernel, loop.limit):
        return Refusal("the loop's length depends on the element")
    inner = statements_of(loop.body)
    found = list(accumulations(loop.body).values())
    if len(inner) != 1 or len(found) != 1 or found[0].operation is not Operation.SUM:
        return Refusal("the loop is not one sum")
    total, factors = kernel.local(found[0].name), _factors(inner[0], found[0].name)
    if total is None or total.type not in _TYPES or factors is None:
        return Refusal("the loop does not add products to a local of type float, double or int")
    return _sided(subject, plane, _Product(before, loop, tuple(after), total, *factors))


def _sided(subject: Subject, plane: Plane, product: _Product) -> _Product | Refusal:
    """The product with the factor of the rows on the left."""
    x, y = plane.x.name, plane.y.name
    sides = [depends_on(subject.kernel, n) & {x, y} for n in (product.left, product.right)]
    if any(product.loop.variable not in depends_on(subject.kernel, n) for n in (product.left, product.right)):
        return Refusal("a factor does not depend on the loop")
    if any(a.writes for n in (product.loop.body, *product.before) for a in subject.kernel.arrays.accesses(n)):
        return Refusal("memory is written before the sum is complete")
    if sides == [{y}, {x}]:
        return product
    if sides == [{x}, {y}]:
        return replace(product, left=product.right, right=product.left)
    return Refusal("the factors do not belong to a row and to a column")


def _factors(statement: Node, total: str) -> tuple[Node, Node] | None:
    """Both factors of `sum += a * b`, `sum = sum + a * b` or `sum = fmaf(a, b, sum)`."""
    assignment = statement.named_children[0] if statement.type == "expression_statement" else statement
    if assignment.type != "assignment_expression":
        return None
    sign, right = text_of(field(assignment, "operator")), unwrapped(field(assignment, "right"))
    if right.type == "call_expression" and sign == "=" and len(arguments_of(right)) == 3:
        return arguments_of(right)[0], arguments_of(right)[1]
    if sign == "=" and right.type == "binary_expression" and text_of(field(right, "operator")) == "+":
        sides = [unwrapped(field(right, "left")), unwrapped(field(right, "right"))]
        others = [s for s in sides if text_of(s) != total]
        right = others[0] if len(others) == 1 else right
    elif sign != "+=":
        return None
    if right.type != "binary_expression" or text_of(field(right, "operator")) != "*":
        return None
    return field(right, "left"), field(right, "right")


def _work(subject: Subject, plane: Plane, product: _Product, names: dict[str, str]) -> str:
    kernel, loop = subject.kernel, product.loop
    total = product.total
    others = [s for s in product.before if s.id != total.declaration.id]
    left_first = _contiguous(subject, product.left, f"{loop.variable}")
    right_first = not _contiguous(subject, product.right, f"{loop.variable}")
    depth, m, n = names["TILE_K"], names["TILE_M"], names["TILE_N"]
    fresh = {name: kernel.fresh(name) for name in _LOCALS}
    at = fresh["at"]
    return snippet(
        "tile_product.cu",
        **fresh,
        type=total.type,
        m=m, n=n, depth=depth, tm=names["THREAD_M"], tn=names["THREAD_N"],
        x=plane.x.name, y=plane.y.name, k=loop.variable,
        x_type=plane.x.type, y_type=plane.y.type, k_type=loop.type,
        x_limit=_bracketed(plane.limit(plane.x)), y_limit=_bracketed(plane.limit(plane.y)), k_limit=_bracketed(loop.limit),
        left=text_of(product.left), right=text_of(product.right),
        left_row=f"{at} / {depth}" if left_first else f"{at} % {m}",
        left_depth=f"{at} % {depth}" if left_first else f"{at} / {m}",
        right_depth=f"{at} / {n}" if right_first else f"{at} % {depth}",
        right_column=f"{at} % {n}" if right_first else f"{at} / {depth}",
        left_before=_without(subject, others, plane.x.name), right_before=_without(subject, others, plane.y.name),
        before=" ".join(text_of(s) for s in others),
        sum=total.name, sum_start=text_of(total.declaration), after=" ".join(text_of(s) for s in product.after),
    )  # fmt: skip


def _bracketed(node: Node) -> str:
    return text_of(node) if node.type in ("identifier", "number_literal") else f"({text_of(node)})"


def _without(subject: Subject, declarations: list[Node], index: str) -> str:
    """The declarations that do not need the other index, which is unknown while a tile is loaded."""
    return " ".join(text_of(s) for s in declarations if index not in depends_on(subject.kernel, s))


def _contiguous(subject: Subject, factor: Node, variable: str) -> bool:
    """True if the factor's load moves by one element with the loop variable."""
    loads: list[Access] = list(subject.kernel.arrays.accesses(factor))
    strides = [a.index.stride(variable) for a in loads if a.index is not None]
    return any(s is not None and s.value == 1 for s in strides)


MOVE = Move(
    "shared_tile_matmul",
    "a dot product per thread becomes shared tiles and register blocks",
    rewrite,
    ("FG-13", "FG-18"),
)
