"""PTX basic blocks to LLVM IR text; needs no llvmlite."""
