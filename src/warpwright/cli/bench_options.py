"""What the environment contributes to a bench."""

from warpwright.cli.environment import environment
from warpwright.evaluation.bench import BenchOptions


def bench_options() -> BenchOptions:
    """Cache folder and NVRTC of this user."""
    found = environment()
    return BenchOptions(cache_directory=found.cache, nvrtc=found.nvrtc)
