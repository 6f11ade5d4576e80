"""A workload directory made from a user's kernel: `warpwright new DIR --from-kernel F.cu`."""

from warpwright.workload.scaffold.draft import Question
from warpwright.workload.scaffold.scaffold import ScaffoldReport, scaffold_from_kernel

__all__ = ["Question", "ScaffoldReport", "scaffold_from_kernel"]
