"""Where compute-sanitizer is: a named program, PATH, the CUDA toolkit's folders, the folder of its wheel."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

PROGRAM = "compute-sanitizer"
_NAMES = ("compute-sanitizer.bat", "compute-sanitizer.exe") if sys.platform == "win32" else (PROGRAM,)
_TOOLKITS = ("/usr/local/cuda", "/opt/cuda")
_VERSIONED = (("/usr/local", "cuda-*"), ("C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA", "v*"))
_WHEEL_FOLDERS = ("cu*/bin", "cu*/compute-sanitizer", "cuda_sanitizer_api/bin", "cuda_sanitizer_api/compute-sanitizer")
REMEDY = (
    "It comes with the CUDA toolkit and as `pip install nvidia-cuda-sanitizer-api`; WARPWRIGHT_COMPUTE_SANITIZER names one "
    "that lies elsewhere."
)


def find_compute_sanitizer(named: Path | None = None) -> Path | str:
    """The first that is there, or why there is none with the remedy. named: used alone if given."""
    if named is not None:
        if _runs(named):
            return named
        return f"{named} is no program that can be run. Check WARPWRIGHT_COMPUTE_SANITIZER."
    found = next((place for place in _places() if _runs(place)), None)
    return found or f"compute-sanitizer was not found. {REMEDY}"


def _places() -> Iterator[Path]:
    for name in _NAMES:
        on_path = shutil.which(name)
        if on_path is not None:
            yield Path(on_path)
    for folder in (*_toolkit_folders(), *_wheel_folders()):
        for name in _NAMES:
            yield folder / name


def _toolkit_folders() -> Iterator[Path]:
    """The newest of several toolkits first."""
    homes = [Path(home) for home in _TOOLKITS]
    for root, pattern in _VERSIONED:
        homes += sorted(Path(root).glob(pattern), key=_version, reverse=True)
    for home in homes:
        yield home / "bin"
        yield home / PROGRAM


def _wheel_folders() -> Iterator[Path]:
    spec = importlib.util.find_spec("nvidia")
    for root in () if spec is None else spec.submodule_search_locations or ():
        for pattern in _WHEEL_FOLDERS:
            yield from sorted(Path(root).glob(pattern), reverse=True)


def _version(folder: Path) -> tuple[int, ...]:
    digits = folder.name.removeprefix("cuda-").removeprefix("v").split(".")
    return tuple(int(part) for part in digits if part.isdecimal())


def _runs(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
