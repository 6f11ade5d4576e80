"""workload.toml and reference.py as text."""

import json
from dataclasses import dataclass
from keyword import iskeyword
from typing import Literal

from warpwright.workload.scaffold.draft import DraftArray, DraftLaunch, DraftScalar, Field

_GUESS = "  # guess: check this"


@dataclass(frozen=True, slots=True)
class Contents:
    """Everything that the files say. dims: name -> legal range. cases: (name, kind, sizes)."""

    name: str
    entry: str
    source_name: str
    dims: dict[str, str]
    parameters: tuple[DraftArray | DraftScalar, ...]
    launch: DraftLaunch
    oracle: Literal["stub", "kernel"]
    cases: tuple[tuple[str, str, dict[str, int]], ...]


def workload_text(contents: Contents) -> str:
    """workload.toml; guessed values end in a comment that says so."""
    lines = [
        f"name = {_quoted(contents.name)}",
        f"summary = {_quoted(f'{contents.entry} from {contents.source_name}')}",
        "",
        "[dims]  # legal sizes; hidden cases are drawn from them",
        *(f"{name} = {_quoted(legal)}" for name, legal in contents.dims.items()),
    ]
    for parameter in contents.parameters:
        lines += ["", "[[params]]", *_parameter(parameter)]
    lines += ["", *_kernel(contents)]
    if contents.oracle == "kernel":
        lines += ["", "[oracle]  # candidates are compared with the initial kernel itself", 'kind = "kernel"']
    for name, kind, sizes in contents.cases:
        dims = ", ".join(f"{dim} = {size}" for dim, size in sizes.items())
        lines += ["", "[[cases]]", f"name = {_quoted(name)}", f"kind = {_quoted(kind)}", f"dims = {{ {dims} }}"]
        if name == "ragged":
            lines += _other_numbers(contents)
    return "\n".join(lines) + "\n"


def _kernel(contents: Contents) -> list[str]:
    launch = contents.launch
    mark = _GUESS if launch.guessed else ""
    lines = [
        "[kernel]",
        'source = "kernel.cu"',
        f"entry = {_quoted(contents.entry)}",
        f"grid = {_listed(launch.grid)}{mark}",
        f"block = {_listed(launch.block)}{mark}",
    ]
    if launch.shared != "0":
        lines.append(f"shared = {_quoted(launch.shared)}")
    if launch.tunables:
        lines += ["[kernel.tunables]", *(f"{name} = {list(values)}" for name, values in launch.tunables.items())]
    return lines


def _parameter(parameter: DraftArray | DraftScalar) -> list[str]:
    lines = [f"name = {_quoted(parameter.name)}"]
    if isinstance(parameter, DraftScalar):
        value = parameter.value.value
        number = _number(value)
        shown = _quoted(value) if number is None else number
        return [*lines, f"dtype = {_quoted(parameter.dtype)}", f"value = {shown}{_mark(parameter.value)}"]
    sizes = tuple(size.strip() for size in parameter.shape.value.split(","))
    lines += [
        f"role = {_quoted(parameter.role.value)}{_mark(parameter.role)}",
        f"dtype = {_quoted(parameter.dtype)}",
        f"shape = {_listed(sizes)}{_mark(parameter.shape)}",
    ]
    if parameter.align_bytes is not None:
        lines.append(f"align = {parameter.align_bytes}")
    if parameter.zeroed:
        lines.append(f"zeroed = true{_GUESS}")
    if parameter.values is not None:
        lines.append(f"values = {_quoted(parameter.values.value)}{_mark(parameter.values)}")
    return lines


def _other_numbers(contents: Contents) -> list[str]:
    """Half of every float scalar for one case, so that a kernel with the number built in is found out."""
    scalars = [p for p in contents.parameters if isinstance(p, DraftScalar) and p.dtype.startswith(("float", "bfloat"))]
    numbers = [(s.name, float(s.value.value) / 2) for s in scalars if _number(s.value.value) is not None]
    listed = ", ".join(f"{name} = {number!r}" for name, number in numbers if number)
    return [f"scalars = {{ {listed} }}"] if listed else []


def _number(text: str) -> str | None:
    """The text if TOML reads it as a number."""
    try:
        value = float(text)
    except ValueError:
        return None
    return text if text.lstrip("+-").isdigit() else repr(value)


def reference_text(contents: Contents) -> str:
    """reference.py: a function that says what to fill in."""
    arrays = [p for p in contents.parameters if isinstance(p, DraftArray)]
    names = [a.name for a in arrays if a.role.value != "out"]
    names += [p.name for p in contents.parameters if not isinstance(p, DraftArray) and p.name not in contents.dims]
    plain = [n for n in (*names, *(d for d in contents.dims if d not in names)) if not iskeyword(n)]
    arguments = ", ".join([*plain, *(["**others"] if len(plain) < len({*names, *contents.dims}) else [])])
    outputs = [a for a in arrays if a.role.value != "in"]
    shapes = "; ".join(f"{a.name} of shape ({a.shape.value})" for a in outputs)
    returned = ", ".join(f'"{a.name}": ...' for a in outputs)
    message = f"reference.py: compute {shapes} with NumPy and return {{{returned}}}"
    return (
        "import numpy as np  # noqa: F401\n\n\n"
        f"def reference({arguments}):\n"
        f'    """What {contents.entry} must compute, from inputs in float64: {shapes}."""\n'
        f"    raise NotImplementedError({json.dumps(message)})\n"
    )


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _listed(items: tuple[str, ...]) -> str:
    return "[" + ", ".join(_quoted(item) for item in items) + "]"


def _mark(value: Field) -> str:
    return _GUESS if value.guessed else ""
