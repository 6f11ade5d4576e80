"""`best/`: the incumbent, ready to use, always whole."""

import shutil
from pathlib import Path

from warpwright.candidate.candidate import Candidate, Launch
from warpwright.candidate.directory import write_candidate
from warpwright.errors import InfrastructureError
from warpwright.record.attempt import Attempt
from warpwright.record.attempt_files.evaluation_files import OUTCOME, encode_evaluation
from warpwright.record.files import read_model
from warpwright.record.schema import OutcomeFile
from warpwright.units import format_us
from warpwright.workload.model import Workload

_BEST, _NEW, _OLD = "best", ".best.new", ".best.old"


def best_number(session_directory: Path) -> int:
    """Attempt that `best/` holds; 0 = none."""
    outcome = session_directory / _BEST / OUTCOME
    return read_model(outcome, OutcomeFile).number if outcome.exists() else 0


def write_best(session_directory: Path, attempt: Attempt, workload: Workload, session: str) -> None:
    """Replace `best/` by an attempt: candidate, outcome and a README with the launch.

    A kill between the two renames leaves no `best/`; opening the session writes it again.
    """
    new, old, best = (session_directory / name for name in (_NEW, _OLD, _BEST))
    try:
        for left in (new, old):
            if left.exists():
                shutil.rmtree(left)
        new.mkdir()
        write_candidate(new, attempt.candidate)
        (new / "README.md").write_text(_readme(attempt, workload, session), encoding="utf-8")
        (new / OUTCOME).write_bytes(encode_evaluation(attempt.number, attempt.evaluation)[OUTCOME])
        if best.exists():
            best.rename(old)
        new.rename(best)
        if old.exists():
            shutil.rmtree(old)
    except OSError as error:
        raise InfrastructureError(f"{best}: cannot be replaced ({error.strerror or error}).") from error


def remove_best(session_directory: Path) -> None:
    """Take `best/` away: nothing passed everything."""
    try:
        if (session_directory / _BEST).exists():
            shutil.rmtree(session_directory / _BEST)
    except OSError as error:
        raise InfrastructureError(
            f"{session_directory / _BEST}: cannot be removed ({error.strerror or error})."
        ) from error


def _readme(attempt: Attempt, workload: Workload, session: str) -> str:
    candidate = attempt.candidate
    options = [*candidate.options, *(f"-D{name}={value}" for name, value in sorted(candidate.values().items()))]
    lines = [
        f"# {workload.name}: attempt {attempt.number}",
        "",
        f"From session {session}. Outcome: {attempt.evaluation.label}. {_time_line(attempt)}",
        "",
        f"Source: `{candidate.source_name}`. Compile with: `{' '.join(options) or 'no options'}`.",
        "",
        "## Launches, in order (expressions over dims, tunables and device.*)",
        *(line for launch in candidate.plan.launches for line in _launch_lines(launch)),
        *_scratch_lines(candidate),
        *_override_lines(candidate),
        "",
        "Check it again: `warpwright evaluate WORKLOAD --kernel THIS_DIRECTORY`.",
    ]
    return "\n".join(lines) + "\n"


def _time_line(attempt: Attempt) -> str:
    geomean_us = attempt.evaluation.geomean_us
    timings = [case.timing for case in attempt.evaluation.cases if case.timing is not None]
    if geomean_us is None or not timings:
        return "No time."
    return f"Geometric mean {format_us(geomean_us)} ({timings[0].source.value}, {timings[0].gpu})."


def _launch_lines(launch: Launch) -> list[str]:
    grid, block = ", ".join(launch.grid), ", ".join(launch.block)
    lines = [f"- `{launch.entry}`: grid ({grid}), block ({block}), dynamic shared memory {launch.shared} bytes"]
    if launch.cluster is not None:
        lines.append(f"  - cluster ({', '.join(launch.cluster)})")
    if launch.cooperative:
        lines.append("  - cooperative launch")
    if launch.args is not None:
        lines.append(f"  - arguments: {', '.join(launch.args)}")
    return lines


def _scratch_lines(candidate: Candidate) -> list[str]:
    return [f"- scratch `{s.name}`: {s.dtype}[{', '.join(s.shape)}]" for s in candidate.plan.scratch]


def _override_lines(candidate: Candidate) -> list[str]:
    lines = []
    for case, override in sorted(candidate.plan.overrides.items()):
        parts = [f"{name} ({', '.join(v)})" for name, v in (("grid", override.grid), ("block", override.block)) if v]
        parts += [f"shared {override.shared}"] if override.shared is not None else []
        parts += [f"-D{name}={value}" for name, value in sorted(override.point.items())]
        lines.append(f"- for the dims of case `{case}`: {', '.join(parts)}")
    return lines
