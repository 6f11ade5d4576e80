"""Command lines of Nsight Compute. Long options only: short ones are ambiguous in both versions that were tried."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from warpwright.device.protocol import RunOnce
from warpwright.profiler.nsight_compute.locate import Ncu
from warpwright.profiler.nsight_compute.tiers import Tier
from warpwright.profiler.profile import Cache

_CACHE_CONTROL = {Cache.COLD: "all", Cache.WARM: "none"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A profile to take. source: whether source lines are asked for; then the program was built with line info."""

    tier: Tier
    cache: Cache
    source: bool
    report: Path


def profile_arguments(ncu: Ncu, once: RunOnce, wanted: Wanted) -> tuple[str, ...]:
    """Profile every launch of the plan and no other, at the clocks that our own times are taken at."""
    names = "|".join(re.escape(name) for name in dict.fromkeys(once.entries))
    return (
        str(ncu.path),
        "--config-file", "off",
        "--target-processes", "all",
        "--clock-control", "none",
        "--cache-control", _CACHE_CONTROL[wanted.cache],
        "--replay-mode", "kernel",
        "--kernel-name-base", "mangled",
        "--kernel-name", f"regex:^({names})$",
        "--launch-skip", "0",
        "--launch-count", str(len(once.entries)),
        *(word for section in wanted.tier.sections for word in ("--section", section)),
        *(("--metrics", ",".join(wanted.tier.metrics)) if wanted.tier.metrics else ()),
        "--import-source", "yes" if wanted.source else "no",
        "--check-exit-code", "yes",
        "--kill", "no",
        "--force-overwrite",
        "--export", str(wanted.report),
        *once.command,
    )  # fmt: skip


def import_arguments(ncu: Ncu, report: Path, page: str, more: Sequence[str] = ()) -> tuple[str, ...]:
    """Print a page of a report as CSV."""
    return (
        str(ncu.path),
        "--config-file", "off",
        "--import", str(report),
        "--csv",
        "--page", page,
        "--print-units", "base",
        "--print-kernel-base", "mangled",
        *more,
    )  # fmt: skip


def tool_environment(environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    """As given, in a home of its own: no settings of the user, nothing copied into the user's documents, no decimal commas."""
    homes = dict.fromkeys(("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TMPDIR", "TEMP", "TMP"), str(folder))
    return {
        **environment,
        **homes,
        "LC_ALL": "C",
        "NV_COMPUTE_PROFILER_DISABLE_STOCK_FILE_DEPLOYMENT": "1",
    }
