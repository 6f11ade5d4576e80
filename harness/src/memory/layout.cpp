#include "memory/layout.hpp"

#include <string>

#include "protocol/faults.hpp"

namespace warpwright::memory {

namespace {

// Larger than any GPU's memory, and small enough that no sum below wraps around.
constexpr std::uint64_t largest_array = std::uint64_t{1} << 56;

void check_array(std::size_t payload_bytes, const Placing& placing) {
    if (payload_bytes > largest_array) {
        throw RequestError("an array of " + std::to_string(payload_bytes) + " bytes; at most 2^56 are allowed");
    }
    const std::size_t align = placing.align_bytes;
    if (align == 0 || (align & (align - 1)) != 0 || align > guard_bytes) {
        throw RequestError("align_bytes is " + std::to_string(align) + "; powers of two from 1 to " +
                           std::to_string(guard_bytes) + " are allowed");
    }
    if (placing.shift_bytes % allocator_alignment != 0 || placing.shift_bytes > largest_array) {
        throw RequestError("an array is to be shifted by " + std::to_string(placing.shift_bytes) +
                           " bytes; multiples of " + std::to_string(allocator_alignment) + " are allowed");
    }
}

std::uint64_t round_down(std::uint64_t value, std::uint64_t unit) { return value - value % unit; }

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return round_down(value + unit - 1, unit); }

// The highest address up to limit that is a multiple of align and not of twice that.
std::uint64_t highest_exact(std::uint64_t limit, std::uint64_t align) {
    const std::uint64_t address = round_down(limit, align);
    return address % (2 * align) == 0 ? address - align : address;
}

// The lowest address from limit on that is a multiple of align and not of twice that.
std::uint64_t lowest_exact(std::uint64_t limit, std::uint64_t align) {
    const std::uint64_t address = round_up(limit, align);
    return address % (2 * align) == 0 ? address + align : address;
}

Layout fill_region(std::size_t region_bytes, std::uint64_t offset, std::size_t payload_bytes) {
    const std::size_t before = static_cast<std::size_t>(offset);
    return {region_bytes, before, payload_bytes, region_bytes - before - payload_bytes};
}

}  // namespace

Layout layout_in_pages(std::size_t payload_bytes, const Placing& placing, std::size_t granule_bytes) {
    check_array(payload_bytes, placing);
    if (2 * placing.align_bytes > granule_bytes) {
        throw RequestError("align_bytes is " + std::to_string(placing.align_bytes) + "; with pages of " +
                           std::to_string(granule_bytes) + " bytes at most half of that is allowed");
    }
    if (placing.placement == Placement::start) {
        const std::uint64_t region = round_up(guard_bytes + payload_bytes + guard_bytes, granule_bytes);
        return fill_region(static_cast<std::size_t>(region), guard_bytes, payload_bytes);
    }
    const std::uint64_t region = round_up(guard_bytes + payload_bytes + 2 * placing.align_bytes, granule_bytes);
    const std::uint64_t offset = highest_exact(region - payload_bytes, placing.align_bytes);
    return fill_region(static_cast<std::size_t>(region), offset, payload_bytes);
}

std::size_t allocation_bytes(std::size_t payload_bytes, const Placing& placing) {
    check_array(payload_bytes, placing);
    const std::size_t room =
        2 * placing.align_bytes > allocator_alignment ? 2 * placing.align_bytes : allocator_alignment;
    return static_cast<std::size_t>(
        round_up(2 * guard_bytes + placing.shift_bytes + room + payload_bytes, allocator_alignment));
}

Layout layout_in_allocation(std::size_t payload_bytes, const Placing& placing, std::uint64_t base) {
    const std::size_t region = allocation_bytes(payload_bytes, placing);
    const std::uint64_t lowest = base + guard_bytes + placing.shift_bytes;
    const std::size_t unit = placing.align_bytes > allocator_alignment ? placing.align_bytes : allocator_alignment;
    const std::uint64_t address =
        placing.placement == Placement::start ? round_up(lowest, unit) : lowest_exact(lowest, placing.align_bytes);
    return fill_region(region, address - base, payload_bytes);
}

}  // namespace warpwright::memory
