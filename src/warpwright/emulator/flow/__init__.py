"""Kernels as basic blocks: inlining, order, liveness."""

from warpwright.emulator.flow.build import build_graph
from warpwright.emulator.flow.graph import BasicBlock, KernelGraph, Node

__all__ = ["BasicBlock", "KernelGraph", "Node", "build_graph"]
