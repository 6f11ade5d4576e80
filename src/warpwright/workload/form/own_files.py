"""The files of a workload lie in its directory themselves: no link leads elsewhere, and each has an end."""

import stat
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from warpwright.errors import WorkloadError


def check_own_files(directory: Path, names: Iterable[str]) -> None:
    """Names are relative to the directory and stay inside it. A file that is not there is left to whoever reads it.

    Raises: WorkloadError for a symbolic link on the way to a file, or what is no regular file.
    """
    for name in names:
        path = directory
        for part in PurePosixPath(name).parts:
            path /= part
            if path.is_symlink():
                raise WorkloadError(f"{path}: is a symbolic link; put the file itself there")
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            raise WorkloadError(f"{path}: is no regular file; a workload consists of regular files")
