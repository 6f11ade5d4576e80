"""Whether the LLVM executor can work here."""

import functools


@functools.cache
def available() -> str | None:
    """None if it can; else why not, as half a sentence."""
    try:
        import llvmlite.binding as llvm
    except (ImportError, OSError) as problem:
        return f"llvmlite cannot be loaded ({problem})"
    triple = llvm.get_process_triple()
    if not triple.startswith(("x86_64", "aarch64", "arm64")):
        return f"machine code for {triple} is not supported"
    return None
