"""Where NVRTC and the CUDA headers are: PyPI wheels first, an installed toolkit when asked or when nothing else is there."""

import importlib.util
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from warpwright.compiler.binding import NvrtcLibrary
from warpwright.errors import ToolchainUnavailable

_PATTERNS = ("nvrtc64_*_0.dll",) if sys.platform == "win32" else ("libnvrtc.so.*", "libnvrtc.so")
_FOLDERS = (
    "lib64", "lib", "bin", "bin/x64", "bin/x86_64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib",
)  # fmt: skip
_LOADER_NAMES = (
    ("nvrtc64_130_0.dll", "nvrtc64_120_0.dll")
    if sys.platform == "win32"
    else ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so")
)
_REMEDY = "Install it with: pip install 'warpwright[cuda13]' (drivers older than 580: 'warpwright[cuda12]')."
TOOLKIT = "toolkit"
"""Value of `nvrtc` that asks for the installed CUDA toolkit instead of the wheels."""


@dataclass(frozen=True, slots=True)
class Nvrtc:
    """A compiler that was found and loaded.

    origin: in words, without a path: `nvidia-cuda-nvrtc wheel`. supported_archs: 10 * major + minor, ascending.
    include_directories: CUDA headers, most specific first; empty if none lie beside it.
    """

    path: str
    origin: str
    version: tuple[int, int]
    include_directories: tuple[Path, ...]
    supported_archs: tuple[int, ...]

    @property
    def label(self) -> str:
        """`NVRTC 13.5 (nvidia-cuda-nvrtc wheel)`."""
        return f"NVRTC {self.version[0]}.{self.version[1]} ({self.origin})"


@dataclass(frozen=True, slots=True)
class _Place:
    """Somewhere to look. library is None where there is none."""

    origin: str
    where: str
    library: str | None
    includes: tuple[Path, ...]


@lru_cache(maxsize=8)
def find_nvrtc(nvrtc: str | None = None, cuda_home: Path | None = None, newest: tuple[int, int] | None = None) -> Nvrtc:
    """The first NVRTC that loads and whose binaries the driver understands.

    nvrtc: a library file, a toolkit folder, or `toolkit`; then nothing else is tried. None: cu13 wheel, cu12 wheel, CUDA
    home (`cuda_home`, else the usual folders), loader path (`packaging.md` section 4). newest: CUDA version that the driver
    serves; a compiler of a newer major version is passed over, since its binaries do not load there. None: any will do.
    Raises: ToolchainUnavailable naming every place tried and what the loader said.
    """
    tried = []
    for place in _places(nvrtc, cuda_home):
        if place.library is None:
            tried.append(f"  {place.origin}: none in {place.where}")
            continue
        try:
            found = _load(place, place.library)
        except OSError as error:
            tried.append(f"  {place.origin}: {place.library} does not load: {error}")
            continue
        if newest is None or found.version[0] <= newest[0]:
            return found
        have, need = f"{found.version[0]}.{found.version[1]}", f"{newest[0]}.{newest[1]}"
        tried.append(
            f"  {place.origin}: {place.library} is of CUDA {have}; the driver serves CUDA {need} and no newer major"
        )
    raise ToolchainUnavailable("\n".join(["NVRTC, the CUDA compiler library, was not found. Tried:", *tried, _REMEDY]))


def _load(place: _Place, name: str) -> Nvrtc:
    library = NvrtcLibrary(name)
    path = name if Path(name).is_absolute() else _mapped_file(name)
    includes = place.includes or _toolkit_includes(Path(path))
    return Nvrtc(path, place.origin, library.version(), includes, library.supported_archs())


def _mapped_file(name: str) -> str:
    """Where the loader found a library that was asked for by name; the name itself where that cannot be seen."""
    maps = Path("/proc/self/maps")
    if not maps.exists():
        return name
    paths = (line.split(maxsplit=5)[-1] for line in maps.read_text(encoding="utf-8").splitlines())
    return next((path for path in paths if Path(path).name.startswith(name)), name)


def _places(nvrtc: str | None, cuda_home: Path | None) -> Iterator[_Place]:
    if nvrtc == TOOLKIT:
        yield from _toolkits(cuda_home)
    elif nvrtc is not None:
        yield _explicit(Path(nvrtc))
    else:
        yield from _wheels()
        yield from _toolkits(cuda_home)
        for name in _LOADER_NAMES:
            yield _Place("loader path", "the library search path", name, ())


def _explicit(path: Path) -> _Place:
    if path.is_dir():
        return _toolkit(path, f"toolkit {path.name}")
    if not path.is_file():
        return _Place("named library", str(path), None, ())
    return _Place("named library", str(path), str(path), _toolkit_includes(path))


def _wheels() -> Iterator[_Place]:
    spec = importlib.util.find_spec("nvidia")
    roots = [Path(p) for p in (spec.submodule_search_locations or ())] if spec is not None else []
    where = ", ".join(map(str, roots)) or "site-packages (no nvidia package)"
    for root in roots:
        home = root / "cu13"
        includes = _existing(home / "include", home / "include/cccl")
        yield _Place("nvidia-cuda-nvrtc wheel", str(home), _library_in(home), includes)
    for root in roots:
        home = root / "cuda_nvrtc"
        includes = _existing(root / "cuda_runtime/include", root / "cuda_cccl/include", home / "include")
        yield _Place("nvidia-cuda-nvrtc-cu12 wheel", str(home), _library_in(home), includes)
    if not roots:
        yield _Place("NVRTC wheels", where, None, ())


def _toolkits(cuda_home: Path | None) -> Iterator[_Place]:
    homes = [cuda_home] if cuda_home is not None else _usual_homes()
    for home in homes:
        yield _toolkit(home, f"toolkit {home.resolve().name}")


def _usual_homes() -> list[Path]:
    if sys.platform == "win32":
        root = Path("C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA")
        return sorted(root.glob("v*"), key=_version_key, reverse=True) or [root]
    return [Path("/usr/local/cuda"), Path("/opt/cuda")]


def _toolkit(home: Path, origin: str) -> _Place:
    return _Place(origin, str(home), _library_in(home), _existing(home / "include", home / "include/cccl"))


def _library_in(home: Path) -> str | None:
    for folder in _FOLDERS:
        for pattern in _PATTERNS:
            found = [p for p in (home / folder).glob(pattern) if "alt" not in p.name and "builtins" not in p.name]
            if found:
                return str(max(found, key=_version_key))
    return None


def _toolkit_includes(library: Path) -> tuple[Path, ...]:
    for parent in library.resolve().parents[:4]:
        found = _existing(parent / "include", parent / "include/cccl")
        if found:
            return found
    return ()


def _existing(*folders: Path) -> tuple[Path, ...]:
    return tuple(folder for folder in folders if folder.is_dir())


def _version_key(path: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", path.name))
