#include "memory/layout.hpp"

#include <initializer_list>

#include "doctest/doctest.h"
#include "protocol/faults.hpp"

using namespace warpwright;
using namespace warpwright::memory;

namespace {

constexpr std::size_t granule = 2 * 1024 * 1024;

void check_filled(const Layout& layout, std::size_t payload_bytes) {
    CHECK(layout.payload_bytes == payload_bytes);
    CHECK(layout.guard_before + layout.payload_bytes + layout.guard_after == layout.region_bytes);
}

bool exactly(std::uint64_t address, std::size_t align) { return address % align == 0 && address % (2 * align) != 0; }

constexpr std::size_t sizes[] = {0, 1, 3, 256, 4096, granule - 65536, granule - 1, granule, granule + 1, 7 * granule};

}  // namespace

TEST_CASE("start in pages: a 256-byte border and 64 KiB of guard on both sides") {
    for (const std::size_t bytes : sizes) {
        CAPTURE(bytes);
        const Layout layout = layout_in_pages(bytes, {Placement::start, 4, 0}, granule);
        check_filled(layout, bytes);
        CHECK(layout.region_bytes % granule == 0);
        CHECK(layout.guard_before % 256 == 0);
        CHECK(layout.guard_before >= guard_bytes);
        CHECK(layout.guard_after >= guard_bytes);
    }
}

TEST_CASE("end in pages: as near to the unmapped page as exactly that alignment allows") {
    for (const std::size_t bytes : sizes) {
        for (const std::size_t align : {1U, 2U, 4U, 16U, 256U, 4096U, 65536U}) {
            CAPTURE(bytes);
            CAPTURE(align);
            const Layout layout = layout_in_pages(bytes, {Placement::end, align, 0}, granule);
            check_filled(layout, bytes);
            CHECK(layout.region_bytes % granule == 0);
            CHECK(layout.guard_before >= guard_bytes);
            CHECK(exactly(layout.guard_before, align));
            CHECK(layout.guard_after < 2 * align);
        }
    }
}

TEST_CASE("a payload that leaves no odd remainder touches the unmapped page") {
    CHECK(layout_in_pages(4 * 1001, {Placement::end, 4, 0}, granule).guard_after == 0);
    CHECK(layout_in_pages(4 * 1000, {Placement::end, 4, 0}, granule).guard_after == 4);
    CHECK(layout_in_pages(4 * 1001, {Placement::end, 16, 0}, granule).guard_after == 12);
}

TEST_CASE("in an allocation: 64 KiB of guard wherever the allocation begins") {
    for (const std::uint64_t base : {0x7f0000000000ULL, 0x7f0000000100ULL, 0x7f0000000200ULL, 0x7f000000ff00ULL}) {
        for (const std::size_t bytes : sizes) {
            for (const std::size_t align : {1U, 4U, 16U, 256U, 1024U, 65536U}) {
                for (const std::size_t shift : {0U, 256U, 768U}) {
                    CAPTURE(base);
                    CAPTURE(bytes);
                    CAPTURE(align);
                    CAPTURE(shift);
                    const Layout start = layout_in_allocation(bytes, {Placement::start, align, shift}, base);
                    check_filled(start, bytes);
                    CHECK(start.region_bytes == allocation_bytes(bytes, {Placement::start, align, shift}));
                    CHECK((base + start.guard_before) % 256 == 0);
                    CHECK((base + start.guard_before) % align == 0);
                    CHECK(start.guard_before >= guard_bytes + shift);
                    CHECK(start.guard_after >= guard_bytes);

                    const Layout end = layout_in_allocation(bytes, {Placement::end, align, shift}, base);
                    check_filled(end, bytes);
                    CHECK(exactly(base + end.guard_before, align));
                    CHECK(end.guard_before >= guard_bytes + shift);
                    CHECK(end.guard_after >= guard_bytes);
                }
            }
        }
    }
}

TEST_CASE("shifts move an array by exactly that much") {
    const std::uint64_t base = 0x7f0000000000ULL;
    const Layout first = layout_in_allocation(1000, {Placement::start, 16, 256}, base);
    const Layout second = layout_in_allocation(1000, {Placement::start, 16, 768}, base);
    CHECK(second.guard_before - first.guard_before == 512);
}

TEST_CASE("impossible arrays are refused") {
    for (const std::size_t align : {std::size_t{0}, std::size_t{3}, std::size_t{24}, std::size_t{131072}}) {
        CAPTURE(align);
        CHECK_THROWS_AS(static_cast<void>(layout_in_pages(64, {Placement::end, align, 0}, granule)), RequestError);
        CHECK_THROWS_AS(static_cast<void>(allocation_bytes(64, {Placement::start, align, 0})), RequestError);
    }
    CHECK_THROWS_AS(static_cast<void>(layout_in_pages(64, {Placement::end, 4096, 0}, 4096)), RequestError);
    CHECK_THROWS_AS(static_cast<void>(allocation_bytes(64, {Placement::start, 4, 100})), RequestError);
    const std::size_t absurd = ~std::size_t{0} - 10;
    CHECK_THROWS_AS(static_cast<void>(layout_in_pages(absurd, {Placement::start, 4, 0}, granule)), RequestError);
    CHECK_THROWS_AS(static_cast<void>(allocation_bytes(absurd, {Placement::end, 4, 0})), RequestError);
}
