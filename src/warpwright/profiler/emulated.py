"""The emulator's estimate of a case as a profile: what it counted, and its cost model's terms as counters of their own."""

from warpwright.compiler.result import KernelResources
from warpwright.device.protocol import CountedLaunch, TimeSource, Timing
from warpwright.profiler.counters import Quality, metrics
from warpwright.profiler.profile import Cache, CaseProfile, Counter, LaunchCounters, Source
from warpwright.profiler.worked_out import completed

TOOL = "emulator"
MODEL_PREFIX = "model_"
_EMULATED = "the emulator ran the case, so hardware counted nothing: "
_WHOLE = f"{_EMULATED}counts are exact, throughputs and times are estimates"
_SAMPLED = f"{_EMULATED}counts are exact for the blocks that ran, throughputs and times are estimates"


def emulated_profile(
    case: str,
    subject: str,
    timing: Timing,
    cache: Cache,
    counted: CountedLaunch,
    resources: KernelResources | None = None,
) -> CaseProfile:
    """A case's profile from its estimate, without a further run.

    counted: the launch that `timing.counters` are of, the longest. resources: what ptxas gave its kernel, None unknown.
    Raises: ValueError for a measured time, which has no counters to give.
    """
    if timing.source is not TimeSource.ESTIMATED:
        raise ValueError(f"case {case}: its time was measured, not estimated; profile it with Nsight Compute")
    known = {
        name: _counter(name, value, whole=counted.whole) for name, value in timing.counters.items() if name in metrics()
    }
    return CaseProfile(
        case=case,
        subject=subject,
        tool=TOOL,
        cache=cache,
        launches=(
            LaunchCounters(counted.position, counted.entry, completed(known | _terms(timing) | _spills(resources))),
        ),
        reason=_WHOLE if counted.whole else _SAMPLED,
        notes=timing.notes,
        time_us=timing.median_us,
        time_source=timing.source,
        planned=counted.launches,
        uncertainty_ratio=timing.uncertainty_ratio,
    )


def _spills(resources: KernelResources | None) -> dict[str, Counter]:
    """PTX shows no spills; only the compiler knows."""
    if resources is None or resources.spill_store_bytes is None or resources.spill_load_bytes is None:
        return {}
    spilled = float(resources.spill_store_bytes + resources.spill_load_bytes)
    return {"spill_bytes": Counter(spilled, Source.COMPILER, Quality.EXACT)}


def _counter(name: str, value: float, *, whole: bool = False) -> Counter:
    if name.startswith(MODEL_PREFIX):
        return Counter(value, Source.MODEL, Quality.ESTIMATED)
    quality = metrics()[name].emulator or Quality.ESTIMATED
    return Counter(value, Source.EMULATOR, Quality.EXACT if whole and quality is Quality.SAMPLED else quality)


def _terms(timing: Timing) -> dict[str, Counter]:
    """Shares of the cost model's terms; for estimates recorded without them, those of the whole plan."""
    if any(name.startswith(MODEL_PREFIX) for name in timing.counters):
        return {}
    shares = {f"{MODEL_PREFIX}{name}_ratio": us / timing.median_us for name, us in timing.terms.items()}
    return {name: _counter(name, value) for name, value in shares.items() if name in metrics()}
