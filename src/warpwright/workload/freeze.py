"""Copies a workload into a session, so that later edits of the original change nothing."""

import shutil
from pathlib import Path

from warpwright.errors import WorkloadError
from warpwright.workload.form.own_files import check_own_files
from warpwright.workload.loader import load_workload
from warpwright.workload.model import Workload


def freeze_workload(workload: Workload, directory: Path) -> Workload:
    """Copy every file that defines the workload and load it from there.

    Raises: WorkloadError if the copy differs from what was loaded: a file was edited meanwhile, or is a link by now.
    """
    check_own_files(workload.directory, workload.files)
    for name in workload.files:
        target = directory / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(workload.directory / name, target)
    frozen = load_workload(directory)
    if frozen.content_hash != workload.content_hash:
        raise WorkloadError(f"{workload.directory}: was edited while it was being copied; start again")
    return frozen
