"""Expected outputs that were computed before, by content hash."""

import hashlib
import json
import tempfile
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Any
from zipfile import BadZipFile

import numpy as np

from warpwright.workload.values import Array, CaseArguments

_MEMORY_BYTES = 512 * 1024 * 1024
_GENERATOR = "philox4x64-10"


def content_key(body: Mapping[str, Any], arguments: CaseArguments) -> str:
    """SHA-256 over a question: everything that the answer depends on.

    An input with a recipe counts by recipe and key, which make the same bits everywhere; others by their contents.
    """
    total = hashlib.sha256(json.dumps(body, sort_keys=True).encode())
    for name in sorted(arguments.inputs):
        generated = arguments.generated.get(name)
        if generated is not None:
            made = asdict(generated) | {"shape": arguments.shapes[name], "generator": _GENERATOR}
            total.update(f"{name}\0{json.dumps(made, sort_keys=True)}\0".encode())
            continue
        array = arguments.inputs[name]
        total.update(f"{name}\0{array.dtype.name}\0{array.shape}\0".encode())
        total.update(memoryview(np.ascontiguousarray(array).reshape(-1).view(np.uint8)))
    return total.hexdigest()


class ExpectedCache:
    """The last answers in memory (up to 512 MiB), and all of them in a directory if one is given. Safe for threads."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self._kept: OrderedDict[str, dict[str, Array]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def get(self, key: str) -> dict[str, Array] | None:
        """The arrays of that key, or None. A damaged file counts as missing."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        loaded = self._load(key)
        if loaded is not None:
            self._remember(key, loaded)
        return loaded

    def put(self, key: str, arrays: dict[str, Array]) -> None:
        """Keep the arrays."""
        self._remember(key, arrays)
        if self._directory is None:
            return
        self._directory.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self._directory, suffix=".part", delete=False) as file:
            np.savez(file, allow_pickle=False, **arrays)
        Path(file.name).replace(self._directory / f"{key}.npz")

    def _remember(self, key: str, arrays: dict[str, Array]) -> None:
        for array in arrays.values():
            array.flags.writeable = False  # every later comparison sees the same truth
        with self._lock:
            replaced = self._kept.pop(key, {})
            self._kept[key] = arrays
            self._bytes += _size(arrays) - _size(replaced)
            while self._bytes > _MEMORY_BYTES and len(self._kept) > 1:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= _size(oldest)

    def _load(self, key: str) -> dict[str, Array] | None:
        if self._directory is None:
            return None
        try:
            with np.load(self._directory / f"{key}.npz", allow_pickle=False) as file:
                return {name: file[name] for name in file.files}
        except (FileNotFoundError, BadZipFile, ValueError, EOFError):
            return None


def _size(arrays: Mapping[str, Array]) -> int:
    return sum(array.nbytes for array in arrays.values())
