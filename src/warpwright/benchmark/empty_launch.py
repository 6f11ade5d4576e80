"""What an empty kernel takes with the launch attributes of a candidate: no kernel can be faster (M25)."""

import math
from collections.abc import Hashable
from dataclasses import dataclass, field, replace

from warpwright.benchmark.schedule import FULL
from warpwright.benchmark.statistics import median, percentile
from warpwright.candidate.resolved import ResolvedPlan
from warpwright.device.measurement import EmptyLaunch
from warpwright.device.measuring import (
    Contestant,
    MeasureRequest,
    MeasuringDevice,
    ScheduledBlock,
    ScheduledLaunch,
)
from warpwright.device.protocol import Faulted

SPIN_MS = 20.0
TIME_LIMIT_S = 10.0
KEPT = 512


@dataclass(slots=True)
class EmptyLaunches:
    """Times empty launches on one device, once for each set of launch attributes.

    The empty kernel has no arguments, so nothing is refilled or flushed between its launches: it runs at its fastest,
    and a floor made of it accuses nobody wrongly.
    """

    device: MeasuringDevice
    _known: dict[Hashable, EmptyLaunch] = field(default_factory=dict)

    def of(self, plan: ResolvedPlan, *, afresh: bool = False) -> EmptyLaunch | None:
        """Time of the plan with empty kernels; None if the device gave none. afresh: time it again."""
        bare = ResolvedPlan(tuple(replace(launch, entry="", args=()) for launch in plan.launches), ())
        key = bare.launches
        known = self._known.get(key)
        if known is not None and not afresh:
            return replace(known, reused=True)
        found = self._take(bare)
        if found is not None:
            while len(self._known) >= KEPT:
                self._known.pop(next(iter(self._known)))
            self._known[key] = found
        return found

    def _take(self, plan: ResolvedPlan) -> EmptyLaunch | None:
        counts = (FULL.warmups, *([FULL.launches] * FULL.rounds))
        blocks = tuple(ScheduledBlock(0, (ScheduledLaunch({}),) * count) for count in counts)
        outcome = self.device.measure(
            MeasureRequest(
                contestants=(Contestant(None, plan),),
                arrays=(),
                scalars=(),
                blocks=blocks,
                sets=1,
                cold_cache=False,
                spin_ms=SPIN_MS,
                time_limit_s=TIME_LIMIT_S,
            )
        )
        if isinstance(outcome, Faulted):
            return None
        samples = [sample for block in outcome.blocks[1:] for sample in block.samples_us]
        if not samples or not all(math.isfinite(sample) and sample > 0 for sample in samples):
            return None
        return EmptyLaunch(median(samples), percentile(samples, 5.0), len(samples))
