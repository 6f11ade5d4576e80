"""Sizes in the language of launch plans: what a C expression of the kernel means there, how many elements a launch covers."""

from tree_sitter import Node

from warpwright.candidate.analysis.kernel import AXES
from warpwright.candidate.analysis.polynomial import integer_literal
from warpwright.candidate.expressions import Binary, Call, ExpressionError, Name, Number, evaluate, parse
from warpwright.candidate.expressions import Node as ExpressionNode
from warpwright.candidate.source_nodes import cast_operand, field, text_of, unwrapped
from warpwright.proposer.strategist.rewriting.subject import Subject
from warpwright.workload.model import ArrayParameter, ScalarParameter

INT_MAX = 2**31 - 1
_SIGNS = {"+": "+", "-": "-", "*": "*", "/": "//", "%": "%"}

_C_BYTES = {
    1: ("char", "unsigned char", "signed char", "int8_t", "uint8_t", "bool"),
    2: ("short", "unsigned short", "int16_t", "uint16_t", "__half", "half", "__nv_bfloat16"),
    4: ("int", "unsigned", "unsigned int", "float", "int32_t", "uint32_t"),
    8: ("long long", "unsigned long long", "long long int", "double", "int64_t", "uint64_t", "size_t"),
}
BYTES_OF_TYPE = {name: size for size, names in _C_BYTES.items() for name in names}
"""Size of C types that are the same everywhere."""


def plan_expression(subject: Subject, node: Node) -> str | None:
    """A C expression over scalar parameters, tunables and numbers as a plan expression; None if it has another part."""
    node = unwrapped(node)
    if node.type == "number_literal":
        value = integer_literal(text_of(node))
        return None if value is None else str(value)
    if node.type == "identifier":
        return _named(subject, text_of(node))
    operand = cast_operand(node)
    if operand is not None:
        return plan_expression(subject, operand)
    if node.type == "binary_expression" and text_of(field(node, "operator")) in _SIGNS:
        sign = _SIGNS[text_of(field(node, "operator"))]
        left, right = plan_expression(subject, field(node, "left")), plan_expression(subject, field(node, "right"))
        return None if left is None or right is None else f"{bracketed(left)} {sign} {bracketed(right)}"
    return None


def _named(subject: Subject, name: str) -> str | None:
    if name in subject.candidate.tunables:
        return name
    argument = subject.arguments.get(name)
    if not isinstance(argument, ScalarParameter) or isinstance(argument.value, float):
        local = subject.kernel.local(name)
        fixed = local is not None and local.value is not None and name in subject.kernel.known
        return (
            plan_expression(subject, local.value) if fixed and local is not None and local.value is not None else None
        )
    if any(argument.name in case.scalars for case in subject.workload.cases):
        return None
    return str(argument.value)


def bracketed(expression: str) -> str:
    """The expression, in parentheses unless it is one name or number."""
    return expression if isinstance(parse(expression).root, Name | Number | Call) else f"({expression})"


def covered(subject: Subject, axis: str, limit: Node | None) -> str:
    """How many elements the work spans along an axis, as a plan expression.

    The guard's bound where it is known; else the E of a grid `ceil_div(E, block)`; else grid times block, which is
    as many as the launch has threads.
    """
    bound = None if limit is None else plan_expression(subject, limit)
    if bound is not None:
        return bound
    position = AXES.index(axis)
    grid, block = _size(subject.launch.grid, position), _size(subject.launch.block, position)
    root = parse(grid).root
    if isinstance(root, Call) and root.function == "ceil_div" and root.arguments[1] == parse(block).root:
        return written(root.arguments[0])
    return f"{bracketed(grid)} * {bracketed(block)}"


def _size(sizes: tuple[str, ...], position: int) -> str:
    return sizes[position] if position < len(sizes) else "1"


def written(node: ExpressionNode) -> str:
    """A plan expression as text."""
    match node:
        case Number(value):
            return str(value)
        case Name(name):
            return name
        case Call("-", (operand,)):
            return f"-{bracketed(written(operand))}"
        case Call(function, arguments):
            return f"{function}({', '.join(written(a) for a in arguments)})"
        case Binary(sign, left, right):
            return f"{bracketed(written(left))} {sign} {bracketed(written(right))}"


def upper_bound(subject: Subject, expression: str) -> int | None:
    """Value with every dim at the top of its legal range: the largest, for expressions that grow with their dims."""
    values = {name: legal.high for name, legal in subject.workload.dims.items()}
    try:
        return evaluate(expression, {**values, **subject.candidate.values()})
    except ExpressionError:
        return None


def typical(subject: Subject, expression: str) -> float | None:
    """Geometric mean over the perf cases; None if some case has no positive value."""
    product, count = 1.0, 0
    for case in subject.perf_cases:
        try:
            value = evaluate(expression, {**case.dims, **subject.candidate.values(case.name)})
        except ExpressionError:
            return None
        if value <= 0:
            return None
        product *= value
        count += 1
    return product ** (1 / count) if count else None


def element_bytes(subject: Subject, base: str) -> int | None:
    """Bytes per element of a pointer parameter, by its C type; None if the type's size is not known."""
    parameter = subject.kernel.function.parameter(base)
    return None if parameter is None else BYTES_OF_TYPE.get(parameter.element)


def guaranteed_alignment(subject: Subject, base: str) -> int | None:
    """Bytes to which the caller aligns an array; None if unknown (scratch is not promised anything)."""
    argument = subject.arguments.get(base)
    return argument.align_bytes if isinstance(argument, ArrayParameter) else None
