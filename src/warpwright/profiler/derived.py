"""What is known of a run without any counter: the compiler's figures, the launch, occupancy, compulsory bytes over time."""

from dataclasses import dataclass

from warpwright.candidate.resolved import ResolvedLaunch
from warpwright.compiler.resources import UNKNOWN
from warpwright.compiler.result import KernelResources
from warpwright.device.protocol import RunRequest, TimeSource
from warpwright.hardware.gpu_spec import GpuSpec
from warpwright.hardware.occupancy import Limiter, theoretical_occupancy
from warpwright.profiler.counters import Quality
from warpwright.profiler.profile import Cache, CaseProfile, Counter, LaunchCounters, Source
from warpwright.units import US_PER_S

TOOL = "compiler report and launch plan"
LOWER_BOUND = (
    "dram_throughput_ratio is the least that it can be: the case's compulsory bytes over what DRAM could have moved in "
    "the measured time"
)
_NS_PER_US = 1000.0


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run and what is known of it; None is unknown. time_us, time_source: of the case. unique_bytes: the compulsory ones."""

    case: str
    subject: str
    request: RunRequest
    gpu: GpuSpec
    cache: Cache
    time_us: float | None = None
    unique_bytes: float | None = None
    time_source: TimeSource | None = None


def derived_profile(facts: RunFacts, reason: str) -> CaseProfile:
    """The profile of a case whose counters cannot be had. reason: why, with the remedy.

    Everything in it is from the compiler or worked out; what cannot be is unknown.
    """
    alone = len(facts.request.plan.launches) == 1
    timed = _timed(facts) if alone else {}
    launches = tuple(
        LaunchCounters(position, launch.entry, {**launch_counters(facts.request, launch, facts.gpu), **timed})
        for position, launch in enumerate(facts.request.plan.launches)
    )
    return CaseProfile(
        case=facts.case,
        subject=facts.subject,
        tool=TOOL,
        cache=facts.cache,
        launches=launches,
        reason=reason,
        notes=(LOWER_BOUND,) if "dram_throughput_ratio" in timed else (),
        time_us=facts.time_us,
        time_source=facts.time_source,
    )


def launch_counters(request: RunRequest, launch: ResolvedLaunch, gpu: GpuSpec) -> dict[str, Counter]:
    """One launch from its plan and the compiler's report; what the compiler does not say is left out."""
    resources = request.program.resources.get(launch.entry, UNKNOWN)
    return {**_of_plan(launch, gpu), **_of_compiler(resources), **_of_occupancy(resources, launch, gpu)}


def _of_plan(launch: ResolvedLaunch, gpu: GpuSpec) -> dict[str, Counter]:
    values = {
        "grid_blocks": launch.grid_blocks,
        "block_threads": launch.block_threads,
        "sm_count": gpu.sm_count,
        "shared_dynamic_bytes": launch.shared_bytes,
    }
    return {name: Counter(float(value), Source.MODEL, Quality.EXACT) for name, value in values.items()}


def _of_compiler(resources: KernelResources) -> dict[str, Counter]:
    stores, loads = resources.spill_store_bytes, resources.spill_load_bytes
    values = {
        "registers_per_thread": resources.registers,
        "shared_static_bytes": resources.shared_static_bytes,
        "spill_bytes": None if stores is None or loads is None else stores + loads,
    }
    known = {name: value for name, value in values.items() if value is not None}
    return {name: Counter(float(value), Source.COMPILER, Quality.EXACT) for name, value in known.items()}


def _of_occupancy(resources: KernelResources, launch: ResolvedLaunch, gpu: GpuSpec) -> dict[str, Counter]:
    """Nothing where registers or static shared memory are unknown: the limit would be guessed."""
    if resources.registers is None or resources.shared_static_bytes is None:
        return {}
    shared_bytes = resources.shared_static_bytes + launch.shared_bytes
    occupancy = theoretical_occupancy(gpu, launch.block_threads, resources.registers, shared_bytes)
    values = {
        "occupancy_theoretical_ratio": occupancy.ratio,
        "occupancy_limit_registers_blocks": occupancy.limits[Limiter.REGISTERS],
        "occupancy_limit_shared_blocks": occupancy.limits[Limiter.SHARED],
        "occupancy_limit_blocks_blocks": occupancy.limits[Limiter.BLOCKS],
        "occupancy_limit_warps_blocks": occupancy.limits[Limiter.WARPS],
    }
    if occupancy.blocks_per_sm:
        values["waves_per_sm"] = launch.grid_blocks / (occupancy.blocks_per_sm * gpu.sm_count)
    return {name: Counter(float(value), Source.MODEL, Quality.ESTIMATED) for name, value in values.items()}


def _timed(facts: RunFacts) -> dict[str, Counter]:
    """From the measured time of a plan of one launch; a time says nothing of DRAM where L2 held the data."""
    if facts.time_us is None:
        return {}
    values = {"duration_ns": facts.time_us * _NS_PER_US}
    if facts.cache is Cache.COLD and facts.unique_bytes is not None:
        movable = facts.gpu.throughput.dram_bytes_per_s * facts.time_us / US_PER_S
        values["dram_throughput_ratio"] = facts.unique_bytes / movable
    return {name: Counter(value, Source.MODEL, Quality.ESTIMATED) for name, value in values.items()}
