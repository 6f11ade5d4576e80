"""What of two profiles of a case may be compared: the same launch, counted in the same way."""

from dataclasses import dataclass

from warpwright.profiler.counters import Quality
from warpwright.profiler.profile import UNNAMED_LAUNCH, CaseProfile, Counter, LaunchCounters, Source


@dataclass(frozen=True, slots=True)
class Pair:
    """The same launch before and after."""

    before: LaunchCounters
    after: LaunchCounters


@dataclass(frozen=True, slots=True)
class Unpaired:
    """Why there is no launch to compare with, in a sentence."""

    reason: str


def paired(before: CaseProfile, after: CaseProfile) -> Pair | Unpaired:
    """The longest launch of `before`, which its diagnosis was about, and the one that does its work now.

    Plans of one launch each need no name for that. In others it is the launch of the same entry, at the same position if
    several have it; where that leaves more than one answer, or none, there is no pair.
    """
    old = before.main
    if before.launch_count == after.launch_count == 1:
        return Pair(old, after.main)
    same = [launch for launch in after.launches if launch.entry == old.entry]
    if UNNAMED_LAUNCH in (old.entry, after.main.entry):
        return Unpaired(f"{UNNAMED_LAUNCH} is none that another can be compared with")
    placed = [launch for launch in same if launch.position == old.position]
    alone = len(same) == 1 and _knows_all(before) and _knows_all(after) and _runs(before, old.entry) == 1
    chosen = placed or (same if alone else [])
    if chosen:
        return Pair(old, chosen[0])
    known = ", ".join(launch.entry for launch in after.launches)
    return Unpaired(
        f"the longest launch before was {old.entry}, launch {old.position + 1} of {before.launch_count}; "
        f"of {after.launch_count} now, with counters of {known}, none is known to be the same"
    )


def incomparable(old: Counter, new: Counter) -> str | None:
    """Why two values of a counter are not of the same thing; None: they may be compared.

    A count is a count whoever took it, unless the emulator did, which counts PTX. An estimate is comparable with one of the
    same origin only: a lower bound beside a measurement would look like a change.
    """
    if (old.source, old.quality) == (new.source, new.quality):
        return None
    counted = Quality.ESTIMATED not in (old.quality, new.quality)
    if counted and (old.source is Source.EMULATOR) == (new.source is Source.EMULATOR):
        return None
    return f"{_origin(old)} before, {_origin(new)} now"


def _knows_all(profile: CaseProfile) -> bool:
    return len(profile.launches) == profile.launch_count


def _runs(profile: CaseProfile, entry: str) -> int:
    return sum(launch.entry == entry for launch in profile.launches)


def _origin(counter: Counter) -> str:
    return f"{counter.quality.value} ({counter.source.value})"
