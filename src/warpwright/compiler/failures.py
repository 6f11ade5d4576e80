"""Why a compile gave no binary, in one paragraph for a person or a prompt."""

from warpwright.compiler.binding import ERROR_INVALID_OPTION, ERROR_OUT_OF_MEMORY
from warpwright.compiler.diagnostics import ASSEMBLER, NAME_EXPRESSION, KnownFiles, errors, format_diagnostic, parse_log
from warpwright.compiler.entries import readable_name
from warpwright.compiler.resources import parse_resources
from warpwright.compiler.result import CompileFailed, Diagnostic
from warpwright.isolation.process import Ended, WorkerEnded

STATIC_SHARED_LIMIT_BYTES = 48 * 1024
"""More needs dynamic shared memory with opt-in. Source: CUDA C++ Programming Guide, shared memory."""

_SHOWN_ERRORS = 3
_MEMORY_WORDS = ("bad_alloc", "out of memory", "MemoryError", "Cannot allocate memory", "Out of memory")


def after_worker_end(ended: WorkerEnded, time_limit_s: float, seconds: float) -> CompileFailed:
    """The compiler was killed at its deadline, or ended by itself."""
    if ended.how is Ended.TIMEOUT:
        message = (
            f"compiling took longer than {time_limit_s:g} s and was stopped. "
            "Unroll less, or instantiate fewer templates."
        )
        return CompileFailed("timeout", message, (), "", seconds)
    if any(word in ended.stderr for word in _MEMORY_WORDS):
        message = "the compiler ran out of memory. Unroll less, or instantiate fewer templates."
        return CompileFailed("memory", message, (), "", seconds)
    message = (
        f"the compiler itself ended abnormally (exit code {ended.exit_code}) on this source. Write it differently."
    )
    return CompileFailed("compiler_crash", message, (), "", seconds)


def from_log(status: int, log: str, files: KnownFiles, seconds: float) -> CompileFailed:
    """NVRTC said no; its log says why."""
    parsed = parse_log(log, files)
    failures = errors(parsed.diagnostics)
    if status == ERROR_OUT_OF_MEMORY:
        return CompileFailed("memory", "the compiler ran out of memory.", parsed.diagnostics, parsed.text, seconds)
    shared = _too_much_shared(log)
    if not failures and shared is not None:
        return CompileFailed("resources", f"{files.source_name}: {shared}", parsed.diagnostics, parsed.text, seconds)
    reason = _reason(status, failures)
    message = _message(failures, files.source_name)
    if reason == "entry_not_found":
        message = f"{files.source_name}: an entry does not name a kernel or an instance of one.\n{message}"
    return CompileFailed(reason, message, parsed.diagnostics, parsed.text, seconds)


def _reason(status: int, failures: tuple[Diagnostic, ...]) -> str:
    if status == ERROR_INVALID_OPTION:
        return "policy"
    if any("cannot open source file" in failure.message for failure in failures):
        return "header"
    if any(f.file == ASSEMBLER and "too much" in f.message for f in failures):
        return "resources"
    if failures and all(failure.file == NAME_EXPRESSION for failure in failures):
        return "entry_not_found"
    return "syntax"


def _message(failures: tuple[Diagnostic, ...], source_name: str) -> str:
    if not failures:
        return f"{source_name}: the compiler refused the source without saying why."
    shown = [format_diagnostic(failure) for failure in failures[:_SHOWN_ERRORS]]
    if len(failures) > _SHOWN_ERRORS:
        shown.append(f"... and {len(failures) - _SHOWN_ERRORS} more errors")
    return "\n".join(shown)


def _too_much_shared(log: str) -> str | None:
    for symbol, resources in parse_resources(log).items():
        used = resources.shared_static_bytes
        if used is not None and used > STATIC_SHARED_LIMIT_BYTES:
            return (
                f"kernel {readable_name(symbol)} has {used} bytes of static shared memory; "
                f"{STATIC_SHARED_LIMIT_BYTES} is the limit. Use dynamic shared memory (extern __shared__) for more."
            )
    return None
