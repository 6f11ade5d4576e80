"""What reference.py defines, read without running it."""

import ast
from dataclasses import dataclass
from pathlib import Path

from warpwright.candidate.validation import read_text
from warpwright.errors import WorkloadError

REFERENCE_FILE = "reference.py"


@dataclass(frozen=True, slots=True)
class Function:
    """A function at the top level. parameters: names it can be called with. required: those without a default."""

    line: int
    parameters: tuple[str, ...]
    required: tuple[str, ...]
    takes_any: bool
    """True if it has `**kwargs`."""


def read_functions(path: Path) -> dict[str, Function]:
    """Functions at the top level of reference.py by name. Raises: WorkloadError if missing or not Python."""
    try:
        tree = ast.parse(read_text(path, WorkloadError), filename=path.name)
    except SyntaxError as error:
        raise WorkloadError(f"{path}:{error.lineno}: not valid Python: {error.msg}") from None
    except ValueError as error:
        raise WorkloadError(f"{path}: not valid Python: {error}") from None
    return {node.name: _function(node) for node in tree.body if isinstance(node, ast.FunctionDef)}


def _function(node: ast.FunctionDef) -> Function:
    arguments = node.args
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    keyword = [argument.arg for argument in arguments.kwonlyargs]
    without_default = positional[: len(positional) - len(arguments.defaults)]
    without_default += [name for name, default in zip(keyword, arguments.kw_defaults, strict=True) if default is None]
    return Function(node.lineno, (*positional, *keyword), tuple(without_default), arguments.kwarg is not None)
