"""The one place where commands load a workload that they run."""

from pathlib import Path

from warpwright.cli.output import say
from warpwright.workload.approval import read_approval
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Workload


def open_workload(directory: Path) -> Workload:
    """The workload; a warning if it is no longer what a person approved. Raises: WorkloadError."""
    workload = load_workload(directory)
    void = void_approval(workload)
    if void is not None:
        say(f"warning: {void}")
    return workload


def void_approval(workload: Workload) -> str | None:
    """Why nobody has approved a described workload as it is; None if somebody has, or if it was not described."""
    approval = read_approval(workload)
    if approval is None or approval.valid:
        return None
    directory, changed = workload.directory, ", ".join(approval.changed)
    return (
        f"{directory}: was approved by {approval.by} at {approval.at}, and has been changed since ({changed}): "
        f"nobody has approved it as it is; `warpwright check {directory}` says what to do"
    )
