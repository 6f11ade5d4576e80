"""The LLVM executor: 32-lane vectors, counters and checks inline."""
