"""Finds documentation that other installations left on this disk."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from warpwright.knowledge.documents.index.source import NVIDIA_NOTE, PRIORITY, Source, SourceKind

PUBLIC: Final = {
    "nsight-compute": "https://docs.nvidia.com/nsight-compute/",
    "compute-sanitizer": "https://docs.nvidia.com/compute-sanitizer/",
}
"""Public address of each product's documents: what a citation of the local copy links to."""
_PLACES: Final = {
    "nsight-compute": (
        "opt/nvidia/nsight-compute/*/docs",
        "usr/local/cuda*/nsight-compute-*/docs",
        "usr/local/NVIDIA-Nsight-Compute*/docs",
        "usr/share/doc/nsight-compute",
        "usr/share/doc/nsight-compute/html",
        "Program Files/NVIDIA Corporation/Nsight Compute */docs",
    ),
    "compute-sanitizer": (
        "usr/local/cuda*/compute-sanitizer/docs",
        "opt/cuda/extras/compute-sanitizer/docs",
        "usr/local/cuda*/extras/compute-sanitizer/docs",
        "usr/share/doc/nvidia-cuda-toolkit/compute-sanitizer",
        "Program Files/NVIDIA GPU Computing Toolkit/CUDA/v*/compute-sanitizer/docs",
    ),
}
_WHEELS: Final = ("nvidia/*/compute-sanitizer/docs", "nvidia/*/*/compute-sanitizer/docs")
_RELEASE: Final = re.compile(r"(20\d\d\.\d+(?:\.\d+)?)")
_UPDATE: Final = re.compile(r"updates-(20\d\d)-(\d+)(?:-(\d+))?\.html$")
_NUMBER: Final = re.compile(r"\d+\.\d+(?:\.\d+)?")


def discover(root: Path, programs: Sequence[Path] = (), packages: Sequence[Path] = ()) -> tuple[Source, ...]:
    """Documents of Nsight Compute and compute-sanitizer under the places where installers put them.

    root: of the file system. programs: of ncu or compute-sanitizer, whose installation is looked at too. packages: folders of
    installed Python packages.
    """
    found: dict[Path, Source] = {}
    for product, folder in _candidates(root, programs, packages):
        real = folder.resolve()
        if real not in found and _holds_pages(folder):
            version = _version(product, real)
            name = f"{product}-{version}" if version else product
            taken = {source.name for source in found.values()}
            name = next(n for n in (name, *(f"{name}-{i}" for i in range(2, 1000))) if n not in taken)
            found[real] = Source(
                SourceKind.FOLDER, name, real, product, version, PUBLIC[product], NVIDIA_NOTE, PRIORITY["installed"]
            )
    return tuple(found.values())


def _candidates(root: Path, programs: Sequence[Path], packages: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    for program in programs:
        real = program.resolve()
        product = "nsight-compute" if real.stem.startswith(("ncu", "nv-nsight-cu")) else "compute-sanitizer"
        for folder in (real.parent, *real.parents[:4]):
            yield product, folder / "docs"
    for product, patterns in _PLACES.items():
        for pattern in patterns:
            yield from ((product, folder) for folder in sorted(root.glob(pattern), reverse=True))
    for folder in packages:
        for pattern in _WHEELS:
            yield from (("compute-sanitizer", docs) for docs in sorted(folder.glob(pattern)))


def _holds_pages(folder: Path) -> bool:
    """Every NVIDIA document of this kind has its pages in folders with an index."""
    return folder.is_dir() and next(folder.glob("*/index.html"), None) is not None


def _version(product: str, folder: Path) -> str | None:
    """By the folder's name, the newest release that the notes speak of, or the file VERSION."""
    named = _RELEASE.findall(folder.as_posix())
    if named:
        return str(named[-1])
    if product == "nsight-compute":
        topics = folder.glob("ReleaseNotes/topics/updates-*.html")
        releases = [found.groups() for path in topics if (found := _UPDATE.search(path.name))]
        if releases:
            year, feature, patch = max(releases, key=lambda r: tuple(int(part or 0) for part in r))
            return f"{year}.{feature}.{patch or 0}"
    file = folder / "VERSION"
    stated = _NUMBER.search(file.read_text(encoding="utf-8", errors="replace")) if file.is_file() else None
    return stated[0] if stated else None
