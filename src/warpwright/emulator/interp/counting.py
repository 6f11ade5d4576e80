"""Exact counts of one memory request. The rules stand at `MemoryCount`."""

import numpy as np

from warpwright.emulator.counters.raw import Counts, MemoryCount
from warpwright.emulator.interp.exact import Lanes

_BANKS = 32
_PHASE_LANES = {8: 16, 16: 8}
"""Lanes served together by bytes per lane; narrower accesses are served all at once."""


def count_global(row: Counts, addresses: Lanes) -> None:
    """addresses: of the active lanes (at least one). An aligned access never crosses a sector."""
    sectors, lines = len(np.unique(addresses >> 5)), len(np.unique(addresses >> 7))
    row[MemoryCount.REQUESTS] += 1
    row[MemoryCount.LANES] += len(addresses)
    row[MemoryCount.SECTORS] += sectors
    row[MemoryCount.LINES] += lines
    row[MemoryCount.WAVEFRONTS] += max(lines, -(-sectors // 4))


def count_local(row: Counts, offsets: Lanes, lanes: Lanes) -> None:
    """Local memory is interleaved on the GPU: word w of lane l lies at (32 w + l) words."""
    count_global(row, (offsets >> 2 << 7) + (lanes << 2) + (offsets & 3))


def count_shared(row: Counts, offsets: Lanes, lanes: Lanes, bytes_per_lane: int) -> None:
    """A bank gives one word per wavefront; a word that several lanes want is given once."""
    wavefronts = least = 0
    phase = lanes // _PHASE_LANES.get(bytes_per_lane, 32)
    for number in np.unique(phase):
        words = _words(offsets[phase == number], bytes_per_lane)
        wavefronts += int(np.bincount(words % _BANKS).max())
        least += -(-len(words) // _BANKS)
    row[MemoryCount.REQUESTS] += 1
    row[MemoryCount.LANES] += len(offsets)
    row[MemoryCount.WAVEFRONTS] += wavefronts
    row[MemoryCount.CONFLICTS] += wavefronts - least


def _words(offsets: Lanes, bytes_per_lane: int) -> Lanes:
    """Distinct 4-byte words that the lanes touch."""
    spans = np.arange(max(bytes_per_lane // 4, 1))
    return np.unique((offsets[:, None] >> 2) + spans)


def count_serial(row: Counts, addresses: Lanes) -> None:
    """The most lanes that meet on one address."""
    row[MemoryCount.SERIAL] += int(np.unique(addresses, return_counts=True)[1].max())
