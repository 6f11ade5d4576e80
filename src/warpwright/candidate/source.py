"""The one reader of CUDA source: kernels, device functions and launches of a file, from a real parse tree."""

import re
from dataclasses import dataclass
from functools import lru_cache

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser, Tree

from warpwright.candidate.source_nodes import arguments_of, declared_name, field, line_of, of_type, text_of, walk
from warpwright.errors import CandidateError


@dataclass(frozen=True, slots=True)
class SourceParameter:
    """A function parameter. element: type without pointer, const and restrict (`float`); const: of the pointee."""

    name: str
    element: str
    pointer: bool
    const: bool
    restrict: bool
    node: Node

    @property
    def text(self) -> str:
        """The declaration as written."""
        return text_of(self.node)


@dataclass(frozen=True, slots=True)
class Function:
    """A kernel or device function. node: the definition; outer: the top-level node it lies in."""

    name: str
    parameters: tuple[SourceParameter, ...]
    template: tuple[str, ...]
    extern_c: bool
    launch_bounds: tuple[str, ...] | None
    node: Node
    body: Node
    outer: Node

    @property
    def line(self) -> int:
        """Line of the definition, from 1."""
        return line_of(self.node)

    @property
    def broken(self) -> bool:
        """True if the parser did not understand a part of it."""
        return self.node.has_error

    def parameter(self, name: str) -> SourceParameter | None:
        """The parameter of that name."""
        return next((p for p in self.parameters if p.name == name), None)


@dataclass(frozen=True, slots=True)
class LaunchSite:
    """`kernel<<<grid, block, shared, stream>>>(arguments)` in host code, as written. shared: None if not given."""

    kernel: str
    grid: Node
    block: Node
    shared: Node | None
    arguments: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """A place that the parser does not understand."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A parsed CUDA file. host: definitions that are neither kernels nor device functions (`main`, launchers)."""

    name: str
    text: str
    tree: Tree
    kernels: tuple[Function, ...]
    device_functions: tuple[Function, ...]
    host: tuple[Node, ...]
    launches: tuple[LaunchSite, ...]
    problems: tuple[SyntaxProblem, ...]

    def kernel(self, name: str) -> Function:
        """The kernel of that name; template arguments in `name` are ignored.

        Raises: CandidateError naming the kernels that the file has.
        """
        plain = name.split("<", 1)[0].strip().rsplit("::", 1)[-1]
        found = next((k for k in self.kernels if k.name == plain), None)
        if found is None:
            known = ", ".join(k.name for k in self.kernels) or "none"
            raise CandidateError(f"{self.name}: no kernel {plain!r}; kernels in this file: {known}.")
        return found


@lru_cache(maxsize=1)
def _parser() -> Parser:
    return Parser(Language(tree_sitter_cuda.language()))


@lru_cache(maxsize=64)
def parse_source(text: str, name: str = "kernel.cu") -> SourceFile:
    """Read a CUDA file; places the parser does not understand are listed in `problems`, not raised."""
    tree = _parser().parse(text.encode())
    if tree.root_node.has_error:
        tree = _parser().parse(_without_pragmas(text))
    functions = [f for node in of_type(tree.root_node, "function_definition") if (f := _function(node)) is not None]
    device = tuple(f for f in functions if _has(f.node, "__device__"))
    kernels = tuple(f for f in functions if _has(f.node, "__global__"))
    known = {f.node.id for f in (*device, *kernels)}
    return SourceFile(
        name=name,
        text=text,
        tree=tree,
        kernels=kernels,
        device_functions=device,
        host=tuple(f.node for f in functions if f.node.id not in known),
        launches=tuple(_launch_site(n) for n in of_type(tree.root_node, "call_expression") if _is_launch(n)),
        problems=tuple(_problems(tree.root_node)),
    )


def _without_pragmas(text: str) -> bytes:
    """The source with blanks for `#pragma` lines: the grammar knows none between a `for` and its body, nvcc does."""
    return re.sub(rb"^[ \t]*#[ \t]*pragma[^\n]*", lambda line: b" " * len(line[0]), text.encode(), flags=re.MULTILINE)


def require_valid(source: SourceFile) -> SourceFile:
    """The file itself. Raises: CandidateError with the line of the first place that is not understood."""
    if source.problems:
        first = source.problems[0]
        raise CandidateError(f"{source.name}:{first.line}: this is not CUDA that can be read: {first.text!r}.")
    return source


def _problems(root: Node) -> list[SyntaxProblem]:
    if not root.has_error:
        return []
    bad = [n for n in walk(root) if n.is_error or n.is_missing]
    return [SyntaxProblem(line_of(n), (text_of(n) or f"missing {n.type}")[:60]) for n in bad]


def _has(node: Node, qualifier: str) -> bool:
    """True if a qualifier stands before the function's declarator."""
    return any(child.type == qualifier for child in node.children)


def _function(node: Node) -> Function | None:
    body = node.child_by_field_name("body")
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    if body is None or declarator is None:
        return None
    parameters = [n for n in field(declarator, "parameters").named_children if n.type.endswith("parameter_declaration")]
    bounds = next((n for n in node.children if n.type == "launch_bounds"), None)
    return Function(
        name=text_of(field(declarator, "declarator")),
        parameters=tuple(_parameter(n) for n in parameters if text_of(n) != "void"),
        template=_template(node),
        extern_c=_enclosing(node, "linkage_specification") is not None,
        launch_bounds=None if bounds is None else tuple(text_of(n) for n in bounds.named_children),
        node=node,
        body=body,
        outer=_outer(node),
    )


def _parameter(node: Node) -> SourceParameter:
    declarator = node.child_by_field_name("declarator")
    element = text_of(field(node, "type"))
    pointer = declarator is not None and declarator.type in ("pointer_declarator", "array_declarator")
    qualifiers = {text_of(child) for child in node.children if child.type == "type_qualifier"}
    inner = set() if declarator is None else {text_of(n) for n in of_type(declarator, "type_qualifier")}
    return SourceParameter(
        name=(declared_name(declarator) if declarator is not None else None) or "",
        element=element,
        pointer=pointer,
        const="const" in qualifiers,
        restrict=bool(inner & {"__restrict__", "__restrict"}),
        node=node,
    )


def _template(node: Node) -> tuple[str, ...]:
    template = _enclosing(node, "template_declaration")
    if template is None:
        return ()
    return tuple(text_of(n) for n in field(template, "parameters").named_children)


def _enclosing(node: Node, kind: str) -> Node | None:
    parent = node.parent
    while parent is not None and parent.type != kind:
        parent = parent.parent
    return parent


def _outer(node: Node) -> Node:
    while node.parent is not None and node.parent.type != "translation_unit":
        node = node.parent
    return node


def _is_launch(call: Node) -> bool:
    return any(child.type == "kernel_call_syntax" for child in call.children)


def _launch_site(call: Node) -> LaunchSite:
    configuration = next(child for child in call.children if child.type == "kernel_call_syntax").named_children
    function = field(call, "function")
    return LaunchSite(
        kernel=text_of(field(function, "name") if function.type == "template_function" else function),
        grid=configuration[0],
        block=configuration[1],
        shared=configuration[2] if len(configuration) > 2 else None,
        arguments=tuple(text_of(a) for a in arguments_of(call)),
        line=line_of(call),
    )
