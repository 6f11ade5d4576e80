"""What goes into the compiler and what comes out; a failed compile is data."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CompileRequest:
    """One translation unit.

    defines: `-DNAME=value`. arch: exact target, `sm_90`. entries: kernel names or name expressions
    (`kernel<float, 4>`). headers: the workload's own headers by include name. options: from the allow-list.
    """

    source: str
    source_name: str
    arch: str
    entries: tuple[str, ...]
    defines: Mapping[str, int]
    headers: Mapping[str, str]
    options: tuple[str, ...] = ()
    line_info: bool = True


@dataclass(frozen=True, slots=True)
class KernelResources:
    """What ptxas gave one kernel; None is unknown. Bytes per block (shared) or per thread (the rest)."""

    registers: int | None
    shared_static_bytes: int | None
    local_bytes: int | None
    spill_store_bytes: int | None
    spill_load_bytes: int | None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One compiler message, placed in the user's file."""

    file: str
    line: int | None
    severity: str
    """`error`, `warning` or `note`."""
    message: str


@dataclass(frozen=True, slots=True)
class Compiled:
    """A binary for one exact architecture.

    lowered: entry or name expression -> symbol in the binary. resources: by entry.
    """

    arch: str
    ptx: str
    cubin: bytes
    lowered: Mapping[str, str]
    resources: Mapping[str, KernelResources]
    diagnostics: tuple[Diagnostic, ...]
    log: str
    compiler: str
    """`NVRTC 13.5`, and where it was found."""
    seconds: float
    cached: bool


@dataclass(frozen=True, slots=True)
class CompileFailed:
    """Why there is no binary; `reason` is a suffix of `compile_error`: syntax, header, timeout, memory,
    unsupported_arch, entry_not_found, policy, resources (ptxas: too much shared memory), compiler_crash."""

    reason: str
    message: str
    diagnostics: tuple[Diagnostic, ...]
    log: str
    seconds: float


CompileOutcome = Compiled | CompileFailed
