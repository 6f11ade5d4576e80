"""L1 and L2 as least-recently-used sets of 128-byte lines whose 32-byte sectors are filled one by one.

L1 is written through: a store takes room in it and saves nothing. (H200: rows of 128 KB in all, read three times and written
once, hit half as often as they would if stores took no room.) Atomics pass it by. L2 takes everything, reads DRAM by granules
and writes back what it evicts.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from warpwright.emulator.counters.trace import LINE_BYTES, SECTOR_BYTES

LOAD, BYPASS, STORE, ATOMIC = range(4)
"""Kinds of access; BYPASS is a load that asks L1 for nothing (`.cg`, volatile)."""

NEAR, L2, FAR = range(3)
"""Where a load is served: L1, L2, DRAM."""

_SECTORS = LINE_BYTES // SECTOR_BYTES


@dataclass(frozen=True, slots=True)
class CacheSizes:
    """Capacities in bytes, as far as they belong to the traced blocks, and DRAM's granule."""

    l1_bytes: float
    l2_bytes: float
    granule_bytes: int


@dataclass(slots=True)
class CacheCounts:
    """Sectors by what happened to them."""

    loads: int = 0
    l1_misses: int = 0
    l2_accesses: int = 0
    l2_misses: int = 0


class TwoLevels:
    """Feed it accesses in order, `finish`, then read `counts` and DRAM traffic by region, `read_bytes`, `write_bytes`."""

    def __init__(self, sizes: CacheSizes, regions: int) -> None:
        self.counts = CacheCounts()
        self.read_bytes = [0.0] * regions
        self.write_bytes = [0.0] * regions
        self._l1: OrderedDict[int, int] = OrderedDict()
        self._l2: OrderedDict[int, list[int]] = OrderedDict()
        self._filled: dict[int, tuple[int, int]] = {}
        self._l1_lines = max(1, int(sizes.l1_bytes / LINE_BYTES))
        self._l2_lines = max(1, int(sizes.l2_bytes / LINE_BYTES))
        self._granule_bytes = max(sizes.granule_bytes, SECTOR_BYTES)
        self._granules = _granule_masks(self._granule_bytes // SECTOR_BYTES)

    def run(
        self, sectors: Sequence[int], kinds: Sequence[int], regions: Sequence[int], steps: Sequence[int]
    ) -> list[int]:
        """One access after another. Of each, where its data is waited for: NEAR, L2 or FAR.

        A hit on what another warp asked for in the same step waits as long as that one.
        """
        served = []
        for sector, kind, region, step in zip(sectors, kinds, regions, steps, strict=True):
            line, bit = sector >> 2, 1 << (sector & 3)
            if kind <= BYPASS:
                self.counts.loads += 1
                if kind == LOAD and self._l1_holds(line, bit):
                    filled, place = self._filled.get(sector, (-1, NEAR))
                    served.append(place if filled == step else NEAR)
                    continue
                self.counts.l1_misses += 1
            elif kind == STORE:
                self._l1_holds(line, bit)
            place = self._l2_access(line, sector & 3, kind, region)
            if kind <= BYPASS:
                self._filled[sector] = step, place
            served.append(place)
        return served

    def finish(self) -> None:
        """Write back what L2 still holds."""
        while self._l2:
            self._evict()

    def _l1_holds(self, line: int, bit: int) -> bool:
        held = self._l1.get(line)
        if held is None:
            self._l1[line] = bit
            if len(self._l1) > self._l1_lines:
                self._l1.popitem(last=False)
            return False
        self._l1.move_to_end(line)
        if held & bit:
            return True
        self._l1[line] = held | bit
        return False

    def _l2_access(self, line: int, index: int, kind: int, region: int) -> int:
        self.counts.l2_accesses += 1
        entry = self._l2.get(line)  # [valid sectors, dirty sectors, region]
        if entry is None:
            entry = self._l2[line] = [0, 0, region]
            if len(self._l2) > self._l2_lines:
                self._evict()
        else:
            self._l2.move_to_end(line)
        bit, place = 1 << index, L2
        if not entry[0] & bit:
            place = FAR
            self.counts.l2_misses += 1
            if kind == STORE:
                entry[0] |= bit
            else:
                entry[0] |= self._granules[index]
                self.read_bytes[region] += self._granule_bytes
        if kind >= STORE:
            entry[1] |= bit
        return place

    def _evict(self) -> None:
        _, (_, dirty, region) = self._l2.popitem(last=False)
        written = {self._granules[index] for index in range(_SECTORS) if dirty >> index & 1}
        self.write_bytes[region] += len(written) * self._granule_bytes


def _granule_masks(sectors: int) -> tuple[int, ...]:
    """For each sector of a line: all sectors that DRAM moves with it."""
    width = min(sectors, _SECTORS)
    return tuple(((1 << width) - 1) << (index // width * width) for index in range(_SECTORS))
