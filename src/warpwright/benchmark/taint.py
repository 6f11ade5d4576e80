"""Which blocks were measured while the GPU was held back (M24), or without the blocker that should have held it."""

import statistics
from collections.abc import Sequence

from warpwright.device.measurement import BlockRecord, Phase

LEAST_CLOCK_RATIO = 0.9
"""A block whose clock is below this part of its side's median is tainted."""
_INNOCENT = ("idle", "application", "appclock", "displayclock", "none")
"""What NVML also reports as a reason though nothing holds the GPU back: it idles, or a person has set its clocks."""
_GAVE_UP = "off: it gave up"
"""How the harness says that the blocker let launches go before all were queued."""


def tainted_rounds(records: Sequence[BlockRecord]) -> frozenset[int]:
    """Rounds with a measured block that was throttled, ran at a lower clock than its side's others, or lost its blocker.

    What is unknown is no taint.
    """
    counted = [record for record in records if record.phase is Phase.MEASURED and record.round is not None]
    usual: dict[int, float] = {}
    for side in {record.side for record in counted}:
        clocks = [record.sm_mhz for record in counted if record.side == side and record.sm_mhz is not None]
        if clocks:
            usual[side] = statistics.median(clocks)
    return frozenset(
        record.round
        for record in counted
        if record.round is not None and (throttled(record) or gave_up(record) or _slow(record, usual.get(record.side)))
    )


def throttled(record: BlockRecord) -> bool:
    """True if a reason was in force that slows kernels."""
    return any(not _innocent(reason) for reason in record.throttle or ())


def gave_up(record: BlockRecord) -> bool:
    """True if the blocker let the launches go before all of them were queued: samples hold the host's own delays."""
    return record.blocker.startswith(_GAVE_UP)


def _innocent(reason: str) -> bool:
    letters = "".join(letter for letter in reason.lower() if letter.isalpha())
    return any(word in letters for word in _INNOCENT)


def _slow(record: BlockRecord, usual_mhz: float | None) -> bool:
    return record.sm_mhz is not None and usual_mhz is not None and record.sm_mhz < LEAST_CLOCK_RATIO * usual_mhz
