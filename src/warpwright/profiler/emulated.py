"""The emulator's estimate of a case as a profile: what it counted, and its cost model's terms as counters of their own."""

from warpwright.device.protocol import TimeSource, Timing
from warpwright.profiler.counters import Quality, metrics
from warpwright.profiler.profile import Cache, CaseProfile, Counter, LaunchCounters, Source

TOOL = "emulator"
MODEL_PREFIX = "model_"
_NO_HARDWARE = (
    "the emulator ran the case, so hardware counted nothing: counts are exact, throughputs and times are estimates"
)


def emulated_profile(case: str, subject: str, timing: Timing, cache: Cache, entry: str) -> CaseProfile:
    """A case's profile from its estimate, without a further run.

    entry: the kernel that `timing.counters` are of, the longest launch. Raises: ValueError for a measured time, which has no
    counters to give.
    """
    if timing.source is not TimeSource.ESTIMATED:
        raise ValueError(f"case {case}: its time was measured, not estimated; profile it with Nsight Compute")
    counters = {name: _counter(name, value) for name, value in timing.counters.items() if name in metrics()}
    return CaseProfile(
        case=case,
        subject=subject,
        tool=TOOL,
        cache=cache,
        launches=(LaunchCounters(position=0, entry=entry, counters=counters | _terms(timing)),),
        reason=_NO_HARDWARE,
        notes=timing.notes,
        time_us=timing.median_us,
    )


def _counter(name: str, value: float) -> Counter:
    if name.startswith(MODEL_PREFIX):
        return Counter(value, Source.MODEL, Quality.ESTIMATED)
    return Counter(value, Source.EMULATOR, metrics()[name].emulator or Quality.ESTIMATED)


def _terms(timing: Timing) -> dict[str, Counter]:
    """Shares of the cost model's terms; for estimates recorded without them, those of the whole plan."""
    if any(name.startswith(MODEL_PREFIX) for name in timing.counters):
        return {}
    shares = {f"{MODEL_PREFIX}{name}_ratio": us / timing.median_us for name, us in timing.terms.items()}
    return {name: _counter(name, value) for name, value in shares.items() if name in metrics()}
