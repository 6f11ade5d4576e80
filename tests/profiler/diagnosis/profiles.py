"""Profiles made by hand."""

from collections.abc import Mapping

from warpwright.profiler.counters import Quality
from warpwright.profiler.profile import Cache, CaseProfile, Counter, HotLine, LaunchCounters, Source


def profile_of(counters: Mapping[str, float], hot_lines: tuple[HotLine, ...] = ()) -> CaseProfile:
    """One launch whose counters hardware took."""
    taken = {name: Counter(float(value), Source.NCU, Quality.MEASURED) for name, value in counters.items()}
    launch = LaunchCounters(position=0, entry="kernel", counters=taken, hot_lines=hot_lines)
    return CaseProfile(case="case", subject="subject", tool="ncu 2025.3", cache=Cache.COLD, launches=(launch,))


def launch(entry: str, position: int, **counters: float) -> LaunchCounters:
    """One launch of several."""
    taken = {name: Counter(value, Source.NCU, Quality.MEASURED) for name, value in counters.items()}
    return LaunchCounters(position, entry, taken)


def plan_of(*launches: LaunchCounters, planned: int | None = None) -> CaseProfile:
    """A case of several launches."""
    return CaseProfile("case", "subject", "ncu 2025.3", Cache.COLD, launches, planned=planned)
