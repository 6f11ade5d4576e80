"""Killable worker processes: framed messages, a built environment, limits. Knows nothing of kernels."""

from warpwright.isolation.process import Ended, Reply, WorkerEnded, WorkerProcess

__all__ = ["Ended", "Reply", "WorkerEnded", "WorkerProcess"]
