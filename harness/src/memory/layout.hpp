// Where an array lies inside its region of device memory: pure arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/requests.hpp"

namespace warpwright::memory {

// Least guard on either side of an array where no unmapped page takes its place.
inline constexpr std::size_t guard_bytes = 64 * 1024;

// Alignment of what an allocator gives, and of `Placement::start`.
inline constexpr std::size_t allocator_alignment = 256;

// How an array wants to lie. align_bytes: of its first element, a power of two up to 64 KiB. shift_bytes: moves it
// further up, a multiple of 256 (ordinary allocations only).
struct Placing {
    Placement placement = Placement::start;
    std::size_t align_bytes = 1;
    std::size_t shift_bytes = 0;
};

// [guard_before][payload_bytes][guard_after], in this order, fill region_bytes.
struct Layout {
    std::size_t region_bytes = 0;
    std::size_t guard_before = 0;
    std::size_t payload_bytes = 0;
    std::size_t guard_after = 0;
};

// For a region of whole granules that begins at a granule's border, with unmapped pages around it. `end`: as near to
// the end as exactly align_bytes of alignment allow: less than 2 * align_bytes before the unmapped page.
// Throws RequestError if the array cannot lie like that.
[[nodiscard]] Layout layout_in_pages(std::size_t payload_bytes, const Placing& placing, std::size_t granule_bytes);

// For an ordinary allocation of at least that size. `start`: a multiple of 256 bytes (of align_bytes if that is more);
// `end`: exactly align_bytes of alignment. At least 64 KiB of guard on both sides. Throws RequestError.
[[nodiscard]] std::size_t allocation_bytes(std::size_t payload_bytes, const Placing& placing);
[[nodiscard]] Layout layout_in_allocation(std::size_t payload_bytes, const Placing& placing, std::uint64_t base);

}  // namespace warpwright::memory
