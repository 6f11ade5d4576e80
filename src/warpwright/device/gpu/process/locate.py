"""Where the program `warpwright-harness` is."""

import shutil
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from importlib.resources import files as package_files
from pathlib import Path

from warpwright.errors import DeviceUnavailable

PROGRAM = "warpwright-harness.exe" if sys.platform == "win32" else "warpwright-harness"


def find_harness(named: Path | None = None) -> Path:
    """The first that is there. named: used alone if given.

    Raises: DeviceUnavailable naming every place tried and the remedy.
    """
    tried: list[str] = []
    for place in dict.fromkeys(_places(named)):
        if place.is_file():
            return place.resolve()
        tried.append(f"  {place}")
    looked = "\n".join(tried)
    remedy = (
        "Check WARPWRIGHT_HARNESS."
        if named is not None
        else "Build it with `warpwright build-harness`, or name it in WARPWRIGHT_HARNESS."
    )
    raise DeviceUnavailable(f"the GPU harness, {PROGRAM}, was not found. Tried:\n{looked}\n{remedy}")


def _places(named: Path | None) -> Iterator[Path]:
    if named is not None:
        yield named
        return
    yield Path(str(package_files("warpwright"))) / "bin" / PROGRAM
    for key in ("platlib", "purelib"):
        yield Path(sysconfig.get_paths()[key]) / "warpwright" / "bin" / PROGRAM
    yield from _installed()
    on_path = shutil.which("warpwright-harness")
    yield Path(on_path) if on_path else Path("PATH") / PROGRAM


def _installed() -> Iterator[Path]:
    """As the installer recorded it: an editable install keeps programs elsewhere."""
    try:
        recorded = files("warpwright") or ()
    except PackageNotFoundError:
        return
    for entry in recorded:
        if entry.name == PROGRAM:
            yield Path(str(entry.locate()))
