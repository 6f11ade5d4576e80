"""Make a workload directory from a .cu file; every guess is listed in the report and marked in workload.toml."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from warpwright.candidate.analysis.kernel import KernelModel, read_kernel
from warpwright.candidate.source import Function, SourceFile, parse_source
from warpwright.candidate.validation import read_text
from warpwright.errors import WorkloadError
from warpwright.workload.loader import load_workload
from warpwright.workload.scaffold.device_part import device_part
from warpwright.workload.scaffold.draft import Ask, Draft, DraftArray, DraftScalar, Question
from warpwright.workload.scaffold.launch import launch_of
from warpwright.workload.scaffold.signature import array_of, scalar_of
from warpwright.workload.scaffold.text import Contents, reference_text, workload_text

_HIGH = {1: 2**26, 2: 2**14, 3: 2**9}
"""Largest legal size of a dim, by the number of axes of the largest array."""
_RAGGED = {1: (1003,), 2: (35, 131), 3: (5, 33, 17)}
_TIMED = {1: (2**20,), 2: (512, 2048), 3: (64, 128, 96)}
_MANY = (7, 5, 3, 9)


@dataclass(frozen=True, slots=True)
class ScaffoldReport:
    """What was written. guesses: values a person should check; notes: what was found, left out or is still to do."""

    directory: Path
    entry: str
    files: tuple[str, ...]
    guesses: tuple[str, ...]
    notes: tuple[str, ...]


def scaffold_from_kernel(
    cu_path: Path,
    directory: Path,
    *,
    ask: Ask | None = None,
    oracle: Literal["stub", "kernel"] = "stub",
    entry: str | None = None,
) -> ScaffoldReport:
    """Write workload.toml, kernel.cu and (oracle = "stub") reference.py into `directory`.

    ask: answers questions that the source leaves open; None takes every guess. oracle: "kernel" checks candidates against
    the user's own kernel instead of a NumPy function.
    Raises: WorkloadError if the directory holds files already, or the kernel cannot be described as a workload.
    """
    source = parse_source(read_text(cu_path, WorkloadError), cu_path.name)
    if directory.exists() and any(directory.iterdir()):
        raise WorkloadError(f"{directory} is not empty; name a new directory.")
    draft = Draft(ask)
    function = _choose(source, draft, entry)
    contents = _contents(source, function, draft, directory.name, oracle)
    kernel_text, dropped = device_part(source)
    if dropped:
        draft.notes.append(f"left out of kernel.cu, because only device code is run: {', '.join(dropped)}")
    texts = {"workload.toml": workload_text(contents), "kernel.cu": kernel_text}
    if oracle == "stub":
        texts["reference.py"] = reference_text(contents)
        draft.notes.append("reference.py is a stub: write what the kernel must compute, in NumPy")
    else:
        draft.notes.append(
            "the oracle is the kernel itself: candidates are checked against it, so its own mistakes stay"
        )
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (directory / name).write_text(text, encoding="utf-8", newline="\n")
    try:
        load_workload(directory)
    except WorkloadError:
        for name in texts:  # an answer did not fit; asked again, the directory must be free
            (directory / name).unlink()
        raise
    return ScaffoldReport(directory, function.name, tuple(texts), tuple(draft.guesses), tuple(draft.notes))


def _choose(source: SourceFile, draft: Draft, entry: str | None) -> Function:
    """The kernel to optimise: the one named, the only one, or the first that host code launches."""
    names = [kernel.name for kernel in source.kernels]
    if entry is not None:
        chosen = source.kernel(entry)
    elif not names:
        raise WorkloadError(f"{source.name}: no __global__ function; a workload begins with a CUDA kernel.")
    elif len(names) == 1:
        chosen = source.kernels[0]
    else:
        launched = next((site.kernel for site in source.launches if site.kernel in names), names[0])
        question = Question("entry", f"which kernel is to be optimised? The file has {', '.join(names)}.", launched)
        chosen = source.kernel(draft.decide(question)[0])
    if chosen.broken:
        bad = next((p for p in source.problems), None)
        raise WorkloadError(
            f"{source.name}:{chosen.line if bad is None else bad.line}: {chosen.name} cannot be parsed."
        )
    if chosen.template:
        raise WorkloadError(
            f"{source.name}:{chosen.line}: {chosen.name} is a template; write the instantiation as a kernel of its own."
        )
    return chosen


def _contents(
    source: SourceFile, function: Function, draft: Draft, name: str, oracle: Literal["stub", "kernel"]
) -> Contents:
    kernel = read_kernel(source, function.name, (), named_indices=True)
    scalars = {p.name: scalar_of(draft, p) for p in function.parameters if not p.pointer}
    dims = tuple(s.value.value for s in scalars.values() if s.value.value == s.name)
    if not dims:
        dims = ("n",)
        draft.guesses.append("dims.n: the kernel has no integer parameter for a size, so one dim n stands for it")
    parameters = _parameters(draft, kernel, scalars, dims)
    axes = max([len(dims), *(p.shape.value.count(",") + 1 for p in parameters if isinstance(p, DraftArray))])
    values = {s.name: s.value.value for s in scalars.values()}
    ranges = {dim: _range(draft, dim, axes) for dim in dims}
    launch = launch_of(draft, source, read_kernel(source, function.name, ()), values)
    return Contents(
        name="".join(c if c.isalnum() or c in "_-" else "_" for c in name) or function.name,
        entry=function.name,
        source_name=source.name,
        dims=ranges,
        parameters=parameters,
        launch=launch,
        oracle=oracle,
        cases=tuple(_cases(draft, ranges, axes)),
    )


def _parameters(
    draft: Draft, kernel: KernelModel, scalars: dict[str, DraftScalar], dims: tuple[str, ...]
) -> tuple[DraftArray | DraftScalar, ...]:
    found: tuple[DraftArray | DraftScalar, ...] = tuple(
        array_of(draft, kernel, p, dims) if p.pointer else scalars[p.name] for p in kernel.function.parameters
    )
    if not any(isinstance(p, DraftArray) and p.role.value != "in" for p in found):
        raise WorkloadError(f"{kernel.function.name}: no parameter is written, so there is no result to check.")
    return found


def _range(draft: Draft, dim: str, axes: int) -> str:
    guess = f"1..{_HIGH.get(axes, 64)}"
    return draft.decide(Question(f"dims.{dim}", f"between which sizes must the kernel be right for {dim}?", guess))[0]


def _cases(draft: Draft, dims: Mapping[str, str], axes: int) -> list[tuple[str, str, dict[str, int]]]:
    """Cases as (name, kind, sizes): two to check, one to time; a person may name the timed size."""
    guess = ", ".join(map(str, _sizes(_TIMED.get(axes, (16,)), len(dims))))
    text = f"which size is to be fast? One number each for {', '.join(dims)}."
    answer, _ = draft.decide(Question("cases.perf", text, guess))
    try:
        timed = tuple(int(part) for part in answer.replace("x", ",").split(","))
    except ValueError:
        raise WorkloadError(f"cases.perf: {answer!r} is not a list of whole numbers such as {guess!r}.") from None
    if len(timed) != len(dims):
        raise WorkloadError(
            f"cases.perf: {answer!r} has {len(timed)} sizes; there are {len(dims)} dims: {', '.join(dims)}."
        )
    ragged = _legal(_sizes(_RAGGED.get(axes, _MANY), len(dims)), dims)
    named = [("one", "check", _legal((1,) * len(dims), dims)), ("ragged", "check", ragged), ("timed", "perf", timed)]
    return [(name, kind, dict(zip(dims, size, strict=True))) for name, kind, size in named]


def _legal(sizes: tuple[int, ...], dims: Mapping[str, str]) -> tuple[int, ...]:
    """The sizes moved into the range of their dims, where that range can be read."""
    found = []
    for size, legal in zip(sizes, dims.values(), strict=True):
        low, _, high = (part.strip() for part in legal.partition(".."))
        fits = low.isdigit() and high.isdigit()
        found.append(min(max(size, int(low)), int(high)) if fits else size)
    return tuple(found)


def _sizes(pattern: tuple[int, ...], count: int) -> tuple[int, ...]:
    """As many sizes as there are dims, from the pattern round and round."""
    return tuple(pattern[i % len(pattern)] for i in range(count))
