"""Candidate directories: `candidate.toml` (a `[kernel]` table) beside the source it names."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from warpwright.candidate.candidate import Candidate, CaseOverride, Launch
from warpwright.candidate.schema import CandidateFile
from warpwright.candidate.validation import read_text, read_toml, validate
from warpwright.errors import CandidateError

CANDIDATE_FILE = "candidate.toml"


def load_candidate(path: Path, default: Candidate | None = None) -> Candidate:
    """The candidate in a directory, or a lone CUDA file with the launch plan and tunables of `default`.

    Raises: CandidateError naming file, key, what was found and what is allowed.
    """
    if path.is_dir():
        file = path / CANDIDATE_FILE
        table = validate(CandidateFile, read_toml(file, CandidateError), file, CandidateError)
        return table.kernel.candidate(path, CandidateError)
    if default is None:
        raise CandidateError(f"{path}: not a candidate directory; it must hold {CANDIDATE_FILE} and its source")
    return replace(default, source=read_text(path, CandidateError), source_name=path.name)


def load_candidate_with(launch: Path, source: Path) -> Candidate:
    """A lone CUDA file with the launch plan and tunables of a `candidate.toml`, or of the directory that holds one.

    Headers that it names are read from beside the CUDA file. Raises: CandidateError as `load_candidate`.
    """
    if source.is_dir():
        raise CandidateError(f"{source}: a directory has a launch plan of its own; give a .cu file, or no other plan")
    file = launch / CANDIDATE_FILE if launch.is_dir() else launch
    table = validate(CandidateFile, read_toml(file, CandidateError), file, CandidateError)
    return table.kernel.model_copy(update={"source": source.name}).candidate(source.parent, CandidateError)


def write_candidate(directory: Path, candidate: Candidate) -> None:
    """Write `candidate.toml`, the source and its headers; `load_candidate` gives an equal candidate back."""
    directory.mkdir(parents=True, exist_ok=True)
    files = {candidate.source_name: candidate.source, **candidate.headers, CANDIDATE_FILE: candidate_toml(candidate)}
    for name, text in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text, encoding="utf-8", newline="\n")


def candidate_toml(candidate: Candidate) -> str:
    """The text of `candidate.toml`."""
    plan = candidate.plan
    lines = ["[kernel]", f"source = {_string(candidate.source_name)}"]
    single = len(plan.launches) == 1
    if single:
        lines += _launch_lines(plan.launches[0])
    if candidate.options:
        lines.append(f"options = {_strings(candidate.options)}")
    if candidate.headers:
        lines.append(f"headers = {_strings(candidate.headers)}")
    lines += _table("kernel.tunables", {name: list(allowed) for name, allowed in candidate.tunables.items()})
    lines += _table("kernel.point", candidate.point)
    for name, override in plan.overrides.items():
        lines += _override_lines(name, override)
    if not single:
        for launch in plan.launches:
            lines += ["", "[[kernel.launches]]", *_launch_lines(launch)]
    for scratch in plan.scratch:
        lines += ["", "[[kernel.scratch]]", f"name = {_string(scratch.name)}", f"dtype = {_string(scratch.dtype)}"]
        lines.append(f"shape = {_strings(scratch.shape)}")
    return "\n".join(lines) + "\n"


def _launch_lines(launch: Launch) -> list[str]:
    lines = [f"entry = {_string(launch.entry)}", f"grid = {_strings(launch.grid)}", f"block = {_strings(launch.block)}"]
    lines.append(f"shared = {_string(launch.shared)}")
    if launch.cluster is not None:
        lines.append(f"cluster = {_strings(launch.cluster)}")
    if launch.cooperative:
        lines.append("cooperative = true")
    if launch.args is not None:
        lines.append(f"args = {_strings(launch.args)}")
    return lines


def _override_lines(name: str, override: CaseOverride) -> list[str]:
    key = f"kernel.case.{_string(name)}"
    lines = ["", f"[{key}]"]
    if override.grid is not None:
        lines.append(f"grid = {_strings(override.grid)}")
    if override.block is not None:
        lines.append(f"block = {_strings(override.block)}")
    if override.shared is not None:
        lines.append(f"shared = {_string(override.shared)}")
    return lines + _table(f"{key}.point", override.point)


def _table(key: str, values: Mapping[str, int] | Mapping[str, list[int]]) -> list[str]:
    return ["", f"[{key}]", *(f"{name} = {value}" for name, value in values.items())] if values else []


def _strings(values: Iterable[str]) -> str:
    return "[" + ", ".join(map(_string, values)) + "]"


def _string(text: str) -> str:
    # JSON's escapes are those of a TOML basic string, but for DEL, which TOML wants escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
