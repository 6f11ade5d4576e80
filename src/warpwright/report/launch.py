"""A launch plan as rows for people."""

from collections.abc import Sequence

from warpwright.candidate.candidate import Candidate, CaseOverride, Launch


def launch_rows(candidate: Candidate) -> Sequence[tuple[str, str]]:
    """(what, value) of everything about a candidate but its source, in the order of the plan."""
    rows: list[tuple[str, str]] = []
    several = len(candidate.plan.launches) > 1
    for position, launch in enumerate(candidate.plan.launches, start=1):
        rows += _launch(launch, f"launch {position}: " if several else "")
    rows += [(f"scratch {s.name}", f"{s.dtype}[{', '.join(s.shape)}]") for s in candidate.plan.scratch]
    rows += [(f"-D{name}", str(value)) for name, value in sorted(candidate.values().items())]
    rows += [("compile options", " ".join(candidate.options))] if candidate.options else []
    for case, override in sorted(candidate.plan.overrides.items()):
        rows.append((f"for case {case}", _override(override)))
    return rows


def _launch(launch: Launch, prefix: str) -> list[tuple[str, str]]:
    rows = [
        (f"{prefix}kernel", launch.entry),
        (f"{prefix}grid", f"({', '.join(launch.grid)})"),
        (f"{prefix}block", f"({', '.join(launch.block)})"),
        (f"{prefix}dynamic shared memory", f"{launch.shared} bytes"),
    ]
    rows += [(f"{prefix}cluster", f"({', '.join(launch.cluster)})")] if launch.cluster is not None else []
    rows += [(f"{prefix}cooperative", "yes")] if launch.cooperative else []
    rows += [(f"{prefix}arguments", ", ".join(launch.args))] if launch.args is not None else []
    return rows


def _override(override: CaseOverride) -> str:
    parts = [f"grid ({', '.join(override.grid)})"] if override.grid is not None else []
    parts += [f"block ({', '.join(override.block)})"] if override.block is not None else []
    parts += [f"shared {override.shared} bytes"] if override.shared is not None else []
    return ", ".join([*parts, *(f"-D{name}={value}" for name, value in sorted(override.point.items()))])
