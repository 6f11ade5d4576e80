"""Compiled candidates on disk, addressed by everything that went into them.

An entry is one file: a JSON header with the SHA-256 of what follows, then PTX, then cubin. It is written to a temporary
name and moved into place, so two processes can share a folder; one that does not check out is compiled again.
"""

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from warpwright.compiler.result import Compiled, CompileRequest, Diagnostic, KernelResources

_FORMAT = 1
_LOGGER = logging.getLogger(__name__)


def cache_key(request: CompileRequest, toolchain: Mapping[str, Any]) -> str:
    """SHA-256 over the whole request and what compiles it."""
    material = {
        "format": _FORMAT,
        "toolchain": dict(toolchain),
        "source": request.source,
        "source_name": request.source_name,
        "arch": request.arch,
        "entries": list(request.entries),
        "defines": dict(request.defines),
        "headers": dict(request.headers),
        "options": list(request.options),
        "line_info": request.line_info,
    }
    return hashlib.sha256(json.dumps(material, sort_keys=True).encode()).hexdigest()


class CompileCache:
    """Entries below one folder; None: nothing is kept."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory

    def load(self, key: str) -> Compiled | None:
        """The entry, or None if it is absent or damaged."""
        if self._directory is None:
            return None
        try:
            content = self._path(key).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            _LOGGER.warning("compile cache entry cannot be read and is compiled again: %s", error)
            return None
        compiled = _decode(content)
        if compiled is None:
            _LOGGER.warning("compile cache entry %s is damaged and is compiled again", key[:12])
        return compiled

    def store(self, key: str, compiled: Compiled) -> None:
        """Keep an entry; a folder that cannot be written costs only the reuse, and a warning says so."""
        if self._directory is None:
            return
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
            try:
                with os.fdopen(handle, "wb") as stream:
                    stream.write(_encode(compiled))
                Path(temporary).replace(path)
            except OSError:
                Path(temporary).unlink(missing_ok=True)
                raise
        except OSError as error:
            _LOGGER.warning("compiled candidate is not kept for reuse: %s", error)

    def _path(self, key: str) -> Path:
        assert self._directory is not None
        return self._directory / key[:2] / f"{key}.bin"


def _encode(compiled: Compiled) -> bytes:
    ptx = compiled.ptx.encode()
    described = {
        "arch": compiled.arch,
        "lowered": dict(compiled.lowered),
        "resources": {entry: asdict(resources) for entry, resources in compiled.resources.items()},
        "diagnostics": [asdict(diagnostic) for diagnostic in compiled.diagnostics],
        "log": compiled.log,
        "compiler": compiled.compiler,
        "seconds": compiled.seconds,
        "ptx_bytes": len(ptx),
    }
    header = json.dumps(described).encode()
    body = len(header).to_bytes(8, "little") + header + ptx + compiled.cubin
    return hashlib.sha256(body).digest() + body


def _decode(content: bytes) -> Compiled | None:
    digest, body = content[:32], content[32:]
    if hashlib.sha256(body).digest() != digest:
        return None
    length = int.from_bytes(body[:8], "little")
    described = json.loads(body[8 : 8 + length])
    code = body[8 + length :]
    return Compiled(
        arch=described["arch"],
        ptx=code[: described["ptx_bytes"]].decode(),
        cubin=code[described["ptx_bytes"] :],
        lowered=described["lowered"],
        resources={entry: KernelResources(**fields) for entry, fields in described["resources"].items()},
        diagnostics=tuple(Diagnostic(**fields) for fields in described["diagnostics"]),
        log=described["log"],
        compiler=described["compiler"],
        seconds=described["seconds"],
        cached=True,
    )
