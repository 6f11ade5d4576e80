"""NVRTC by ctypes: the few functions that are used, with errors as values.

Source: NVRTC documentation, `nvrtc.h`. Loading needs neither a GPU nor a driver.
"""

import ctypes
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SUCCESS = 0
ERROR_OUT_OF_MEMORY = 1
ERROR_INVALID_OPTION = 5
ERROR_COMPILATION = 6


@dataclass(frozen=True, slots=True)
class Translation:
    """What NVRTC is given: options as on its command line, headers by include name, name expressions to be lowered."""

    source: str
    source_name: str
    headers: Mapping[str, str]
    options: Sequence[str]
    expressions: Sequence[str]


@dataclass(frozen=True, slots=True)
class Translated:
    """What NVRTC gave; ptx and cubin are empty and lowered is missing unless status is SUCCESS."""

    status: int
    log: str
    ptx: str
    cubin: bytes
    lowered: Mapping[str, str]


def _load_builtins(library: Path) -> list[ctypes.CDLL]:
    """The builtins library beside NVRTC, loaded first: the one of CUDA 13.0 asks the loader for it by name alone."""
    if sys.platform == "win32" or not library.is_absolute():
        return []
    beside = library.resolve().parent.glob("libnvrtc-builtins.so.*")
    return [ctypes.CDLL(str(path)) for path in sorted(beside)]


class NvrtcLibrary:
    """A loaded NVRTC. Raises OSError with the loader's own words if it cannot be loaded."""

    def __init__(self, path: str) -> None:
        if sys.platform == "win32" and Path(path).is_absolute():
            os.add_dll_directory(str(Path(path).parent))
        self._library = ctypes.CDLL(path)
        self._builtins = _load_builtins(Path(path))
        self._library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def version(self) -> tuple[int, int]:
        """Major and minor version."""
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._check(self._library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)), "nvrtcVersion")
        return major.value, minor.value

    def supported_archs(self) -> tuple[int, ...]:
        """Compute capabilities it compiles for, as 10 * major + minor, ascending."""
        count = ctypes.c_int()
        self._check(self._library.nvrtcGetNumSupportedArchs(ctypes.byref(count)), "nvrtcGetNumSupportedArchs")
        archs = (ctypes.c_int * count.value)()
        self._check(self._library.nvrtcGetSupportedArchs(archs), "nvrtcGetSupportedArchs")
        return tuple(sorted(archs))

    def translate(self, translation: Translation) -> Translated:
        """Compile one translation unit to PTX and cubin."""
        program = ctypes.c_void_p()
        headers = _strings(translation.headers.values())
        names = _strings(translation.headers)
        created = self._library.nvrtcCreateProgram(
            ctypes.byref(program),
            translation.source.encode(),
            translation.source_name.encode(),
            len(translation.headers),
            headers,
            names,
        )
        self._check(created, "nvrtcCreateProgram")
        try:
            return self._compile(program, translation)
        finally:
            self._library.nvrtcDestroyProgram(ctypes.byref(program))

    def _compile(self, program: ctypes.c_void_p, translation: Translation) -> Translated:
        for expression in translation.expressions:
            added = self._library.nvrtcAddNameExpression(program, expression.encode())
            self._check(added, "nvrtcAddNameExpression")
        options = _strings(translation.options)
        status = self._library.nvrtcCompileProgram(program, len(translation.options), options)
        log = self._bytes(program, "ProgramLog").rstrip(b"\0").decode("utf-8", "replace")
        if status != SUCCESS:
            return Translated(status, log, "", b"", {})
        ptx = self._bytes(program, "PTX").rstrip(b"\0").decode()
        lowered = {e: self._lowered(program, e) for e in translation.expressions}
        return Translated(status, log, ptx, self._bytes(program, "CUBIN"), lowered)

    def _bytes(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._check(getattr(self._library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)), f"nvrtcGet{what}Size")
        buffer = ctypes.create_string_buffer(size.value)
        self._check(getattr(self._library, f"nvrtcGet{what}")(program, buffer), f"nvrtcGet{what}")
        return buffer.raw

    def _lowered(self, program: ctypes.c_void_p, expression: str) -> str:
        name = ctypes.c_char_p()
        code = self._library.nvrtcGetLoweredName(program, expression.encode(), ctypes.byref(name))
        self._check(code, "nvrtcGetLoweredName")
        return (name.value or b"").decode()

    def _check(self, code: int, call: str) -> None:
        if code != SUCCESS:
            reason = self._library.nvrtcGetErrorString(code)
            raise OSError(f"{call}: {reason.decode() if reason else code}")


def _strings(texts: Iterable[str]) -> ctypes.Array[ctypes.c_char_p]:
    encoded = [text.encode() for text in texts]
    return (ctypes.c_char_p * len(encoded))(*encoded)
