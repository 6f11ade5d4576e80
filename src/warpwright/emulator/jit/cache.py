"""Machine code kept between processes. A damaged or foreign entry is a miss, never an error."""

import contextlib
import functools
import hashlib
import os
import tempfile
from importlib.resources import files
from pathlib import Path

from warpwright.emulator.jit import native
from warpwright.emulator.jit.codegen.target import HostCpu

_PACKAGES = tuple(f"warpwright.emulator.{name}" for name in ("ops", "flow", "jit", "jit.codegen"))
"""Where the code lies that machine code is made from."""


class ObjectCache:
    """Object files for a CPU under a directory, by a hash of everything they depend on. directory None: keeps nothing."""

    def __init__(self, directory: Path | None, cpu: HostCpu) -> None:
        self._directory = directory
        self._cpu = cpu

    def key(self, kind: str, content: str) -> str:
        """Name of an entry: what was compiled, for which CPU, by which LLVM and which emulator."""
        digest = hashlib.sha256()
        for part in (kind, content, native.versions(self._cpu), emulator_version()):
            digest.update(part.encode())
            digest.update(b"\0")
        return digest.hexdigest()

    def load(self, key: str) -> bytes | None:
        """The object file of that key; None if there is none, or not as it was written."""
        if self._directory is None:
            return None
        try:
            content = (self._directory / f"{key}.o").read_bytes()
        except OSError:
            return None
        digest, object_file = content[:32], content[32:]
        return object_file if hashlib.sha256(object_file).digest() == digest else None

    def save(self, key: str, object_file: bytes) -> None:
        """Write an entry in one step; a directory that cannot be written is left as it is."""
        if self._directory is None:
            return
        with contextlib.suppress(OSError):
            self._directory.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._directory, suffix=".part")
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(object_file).digest() + object_file)
            Path(name).replace(self._directory / f"{key}.o")


@functools.cache
def emulator_version() -> str:
    """A hash of the code that machine code is made from: the operation table and the code generator."""
    digest = hashlib.sha256()
    for package in (
        "warpwright.emulator.ops",
        "warpwright.emulator.flow",
        "warpwright.emulator.jit",
        "warpwright.emulator.jit.codegen",
    ):
        sources = (item for item in files(package).iterdir() if item.name.endswith(".py"))
        for source in sorted(sources, key=lambda item: item.name):
            digest.update(source.read_bytes())
    return digest.hexdigest()
