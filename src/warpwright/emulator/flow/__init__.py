"""Kernels as basic blocks: inlining, order, liveness."""
