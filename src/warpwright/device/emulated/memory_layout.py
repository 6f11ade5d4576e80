"""Arguments, scratch and module variables of one run, laid out in an arena."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from warpwright.device.emulated.messages import ArrayPlace
from warpwright.device.protocol import Modified
from warpwright.emulator.memory.arena import Allocation, Arena

_ALLOCATOR_ALIGNMENT_BYTES = 256


class Buffers:
    """The named buffers of one run. read_value: fills a view with the next value of the message."""

    def __init__(
        self, places: Sequence[ArrayPlace], variable_sizes_bytes: Iterable[int], *, least_alignment: bool
    ) -> None:
        sizes = [place.size_bytes for place in places] + list(variable_sizes_bytes)
        self.arena = Arena(Arena.capacity_for(sizes))
        self._places = places
        self._allocations: dict[str, Allocation] = {}
        self._constants: dict[str, bytes] = {}
        for place in places:
            offset = _offset_bytes(place.align_bytes) if least_alignment else 0
            self._allocations[place.name] = self.arena.allocate(place.name, place.size_bytes, offset_bytes=offset)

    def fill(self) -> None:
        """Poison or zero whatever has no value of its own."""
        for place in self._places:
            if not place.has_value:
                self.arena.view(self._allocations[place.name])[:] = place.fill

    def with_values(self) -> list[memoryview]:
        """Where the values of the message belong, in its order."""
        return [self._view(place) for place in self._places if place.has_value]

    def outputs(self) -> list[memoryview]:
        """Every output as it is now, in order."""
        return [self._view(place) for place in self._places if place.returned]

    def keep_constants(self) -> None:
        """Remember what inputs hold, for `modified`; once, when all values are in place."""
        self._constants = {
            place.name: self.arena.view(self._allocations[place.name]).tobytes()
            for place in self._places
            if place.constant
        }

    def modified(self) -> tuple[Modified, ...]:
        """Inputs that no longer hold what `keep_constants` found."""
        changed = []
        for name, before in self._constants.items():
            after = self.arena.view(self._allocations[name])
            if after.tobytes() != before:  # a copy and memcmp: four times as fast as comparing elements
                where = np.flatnonzero(np.frombuffer(before, np.uint8) != after)
                changed.append(Modified(name, int(where.size), int(where[0])))
        return tuple(changed)

    def packed(self, names: Iterable[str], scalars: Mapping[str, str]) -> tuple[bytes, ...]:
        """The arguments of a launch: scalars as they came, buffers by device address."""
        return tuple(
            bytes.fromhex(scalars[name]) if name in scalars else self._allocations[name].address.to_bytes(8, "little")
            for name in names
        )

    def _view(self, place: ArrayPlace) -> memoryview:
        return memoryview(self.arena.view(self._allocations[place.name]))


def _offset_bytes(align_bytes: int) -> int:
    """How far behind a 256-byte boundary a buffer begins to have this alignment and no more."""
    return align_bytes if align_bytes < _ALLOCATOR_ALIGNMENT_BYTES else 0
