"""The arena's layout, and faults in words."""

import pytest

from warpwright.emulator.memory.arena import BASE_ADDRESS, GAP_BYTES, Arena
from warpwright.emulator.memory.fault import FaultKind
from warpwright.emulator.memory.wording import access_message, nearest
from warpwright.emulator.ptx.ir import Space


def arena_of(*sizes: int) -> Arena:
    arena = Arena(Arena.capacity_for(list(sizes)))
    for name, size in zip("abc", sizes, strict=False):
        arena.allocate(name, size)
    return arena


def test_allocations_are_aligned_and_apart() -> None:
    first, second, third = arena_of(100, 1, 4096).allocations
    assert all(allocation.address % 256 == 0 for allocation in (first, second, third))
    assert second.address - first.end >= GAP_BYTES
    assert third.address - second.end >= GAP_BYTES
    assert first.address >= BASE_ADDRESS + GAP_BYTES


def test_an_offset_keeps_only_element_alignment() -> None:
    arena = Arena(Arena.capacity_for([64]))
    assert arena.allocate("a", 60, offset_bytes=4).address % 256 == 4


def test_views_share_the_memory_and_addresses_find_their_buffer() -> None:
    arena = arena_of(16, 16)
    a, b = arena.allocations
    arena.view(b)[3] = 9
    assert arena.bytes[b.address - BASE_ADDRESS + 3] == 9
    assert (arena.find(a.end - 1), arena.find(a.end), arena.find(b.address)) == (a, None, b)


def test_a_full_arena_says_what_was_too_much() -> None:
    with pytest.raises(MemoryError, match=r"^arena of \d+ bytes is full: b needs 100000 more$"):
        arena_of(16).allocate("b", 100000)


def test_the_nearest_buffer_is_the_one_that_was_meant() -> None:
    arena = arena_of(64, 64)
    a, b = arena.allocations
    assert nearest(arena, a.end + 8) == a
    assert nearest(arena, b.address - 8) == b
    assert nearest(arena, b.end + (1 << 21)) is None


@pytest.mark.parametrize(
    ("kind", "distance", "size", "message"),
    [
        (FaultKind.OOB_READ, 62, 4, "out-of-bounds 4-byte read near a of 64 bytes: byte 62, 2 past its end"),
        (FaultKind.OOB_WRITE, -8, 8, "out-of-bounds 8-byte write near a of 64 bytes: 8 bytes before it"),
        (FaultKind.MISALIGNED, 6, 4, "4-byte access at byte 6 of a, whose address is no multiple of 4"),
        (FaultKind.OOB_WRITE, 0, 4, "4-byte write to a, which is constant"),
    ],
    ids=["past", "before", "misaligned", "constant"],
)
def test_accesses_in_words(kind: FaultKind, distance: int, size: int, message: str) -> None:
    arena = arena_of(64)
    (a,) = arena.allocations
    assert access_message(kind, a.address + distance, size, Space.GLOBAL, arena) == (message, "a")


def test_accesses_to_nowhere_and_to_shared_memory() -> None:
    arena = arena_of(64)
    nowhere = access_message(FaultKind.OOB_READ, 16, 4, Space.GLOBAL, arena)
    assert nowhere == ("4-byte read at address 0x10, where no buffer is", None)
    shared = access_message(FaultKind.OOB_WRITE, 128, 4, Space.SHARED, arena)
    assert shared == ("4-byte write at byte 128 of shared memory, beyond its end", None)
