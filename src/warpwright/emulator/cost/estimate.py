"""An estimated launch time, always with every term and the one that binds."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from warpwright.emulator.cost.latency import block_lives, life_cycles
from warpwright.emulator.cost.residency import residency
from warpwright.emulator.cost.throughput import throughput_us
from warpwright.emulator.counters.profile import LaunchProfile
from warpwright.hardware import GpuSpec
from warpwright.units import US_PER_S

UNCERTAINTY_RATIO = 0.15
"""Below this predicted gain two estimates cannot be told apart (emulator.md section 9), until calibrated."""

OVERLAP_EXPONENT = 2.0
"""How resources overlap: T = (sum t_i^p)^(1/p); 1 = one after another, infinite = the slowest alone. Chosen once, as the
whole number between 1 and 4 that explains copies, tiled matmuls and transposes on an H200 best; not fitted per kernel."""

_VIEWS = (
    ("issue", "alu", "fma", "half", "fp64", "sfu", "tensor"),
    ("lsu", "l2", "dram"),
    ("latency", "blocks"),
)
"""Terms that are views of the same thing (instructions; bytes on their one path; lives of blocks): the largest counts."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """time_us: launch overhead included.

    terms_us: what each resource would take alone: issue, alu, fma, half, fp64, sfu, tensor, lsu, l2, dram, latency, blocks,
    atomics, launch. binding: name of the largest term. waits_us: the parts of the latency term (`life_cycles`).
    """

    time_us: float
    terms_us: Mapping[str, float]
    binding: str
    waits_us: Mapping[str, float] = field(default_factory=dict)


def estimate(profile: LaunchProfile, gpu: GpuSpec, *, cold_cache: bool = True) -> Estimate:
    """Estimated time of one launch on a GPU.

    cold_cache: L2 holds nothing of the launch's data at its start; False: it holds what fits, as after a previous run.
    Source: docs/emulator.md; constants are data-sheet values and micro-benchmarks, none is fitted to kernels.
    """
    place = residency(profile, gpu)
    terms = throughput_us(profile, gpu, place, cold_cache=cold_cache)
    life, lives = life_cycles(profile, gpu, cold_cache=cold_cache), block_lives(profile, place)
    terms["latency"] = lives * sum(life.values()) / gpu.throughput.clock_hz * US_PER_S
    waits = {name: lives * cycles / gpu.throughput.clock_hz * US_PER_S for name, cycles in life.items()}
    overlapped = _overlap(terms)
    terms["launch"] = gpu.launch_overhead_us
    return Estimate(gpu.launch_overhead_us + overlapped, terms, max(terms, key=lambda name: terms[name]), waits)


def _overlap(terms: Mapping[str, float]) -> float:
    grouped = {name for group in _VIEWS for name in group}
    parts = [term for name, term in terms.items() if name not in grouped]
    parts += [max((terms.get(name, 0.0) for name in group), default=0.0) for group in _VIEWS]
    return float(sum(part**OVERLAP_EXPONENT for part in parts) ** (1 / OVERLAP_EXPONENT))
