"""Functions that every kernel shares, written in LLVM IR: checks, counts, gather and scatter, scheduling."""
