#include "memory/guarded_array.hpp"

#include <utility>

#include "doctest/doctest.h"
#include "driver/error.hpp"
#include "memory/device_buffer.hpp"
#include "memory/read_back.hpp"
#include "protocol/faults.hpp"
#include "standin_machine.hpp"

using namespace warpwright;
using namespace warpwright::memory;

TEST_CASE("an untouched guard has nothing to tell, an empty one neither") {
    CHECK_FALSE(inspect_guard(std::vector<unsigned char>(1000, 0xA5), Side::before, 0xA5).has_value());
    CHECK_FALSE(inspect_guard({}, Side::after, 0xA5).has_value());
}

TEST_CASE("changed bytes behind an array count from its end") {
    std::vector<unsigned char> guard(100, 0xA5);
    guard[7] = 0;
    guard[8] = 1;
    guard[99] = 2;
    const auto change = inspect_guard(guard, Side::after, 0xA5);
    REQUIRE(change.has_value());
    CHECK(change->bytes == 3);
    CHECK(change->offset_bytes == 7);
}

TEST_CASE("changed bytes before an array count back from its start") {
    std::vector<unsigned char> guard(100, 0xA5);
    guard[0] = 0;
    guard[95] = 0;
    const auto change = inspect_guard(guard, Side::before, 0xA5);
    REQUIRE(change.has_value());
    CHECK(change->side == Side::before);
    CHECK(change->bytes == 2);
    CHECK(change->offset_bytes == 4);

    guard.assign(100, 0xA5);
    guard[99] = 0;
    CHECK(inspect_guard(guard, Side::before, 0xA5)->offset_bytes == 0);
}

TEST_CASE("guards that are larger than the staging buffer are looked at in pieces") {
    tests::StandinMachine gpu("{}", {"scale"}, "kernel scale");
    const driver::Api& api = gpu.api();
    const driver::Stream stream = gpu.machine().context.stream();
    const std::size_t far = 2 * Staging::capacity_bytes + 1024;
    const GuardedArray array = GuardedArray::in_allocation(api, 1000, {Placement::start, 4, far});
    array.fill_guards(stream, 0xA5);
    const Staging& staging = gpu.machine().staging;
    CHECK(array.check_guards(staging, stream, 0xA5).empty());
    for (const std::size_t distance : {std::size_t{10}, far}) {
        const driver::DevicePointer changed = array.address() - 1 - distance;
        WARPWRIGHT_CALL(api, fill_bytes, changed, static_cast<unsigned char>(1), 1, stream);
    }
    const std::vector<GuardChange> changes = array.check_guards(staging, stream, 0xA5);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].side == Side::before);
    CHECK(changes[0].bytes == 2);
    CHECK(changes[0].offset_bytes == 10);
}

TEST_CASE("sums of sizes stop at the largest value") {
    const std::size_t largest = ~std::size_t{0};
    CHECK(saturating_add(3, 4) == 7);
    CHECK(saturating_add(largest - 1, 1) == largest);
    CHECK(saturating_add(largest, 1) == largest);
    CHECK(saturating_add(largest / 2 + 1, largest / 2 + 1) == largest);
}

TEST_CASE("an array lies where its layout says, and its guards tell what happened around it") {
    tests::StandinMachine gpu("{}", {"scale"}, "kernel scale");
    const driver::Api& api = gpu.api();
    const driver::Stream stream = gpu.machine().context.stream();
    const Staging& staging = gpu.machine().staging;
    const driver::Device device = gpu.machine().context.device();
    for (const Placement placement : {Placement::start, Placement::end}) {
        for (const bool pages : {false, true}) {
            CAPTURE(pages);
            if (pages && !tests::standin_has_pages) {
                continue;
            }
            const Placing placing{placement, 4, 0};
            const GuardedArray array = pages ? GuardedArray::in_pages(api, device, 1000, placing)
                                             : GuardedArray::in_allocation(api, 1000, placing);
            CHECK(array.bytes() == 1000);
            CHECK(array.address() % 256 == (placement == Placement::start ? 0 : array.address() % 256));
            if (placement == Placement::end) {
                CHECK(array.address() % 4 == 0);
                CHECK(array.address() % 8 != 0);
            }
            array.fill_guards(stream, 0xA5);
            array.fill(stream, 0xFF);
            CHECK(array.check_guards(staging, stream, 0xA5).empty());
            CHECK(read_back(api, stream, array.address(), 1000) == std::vector<unsigned char>(1000, 0xFF));

            WARPWRIGHT_CALL(api, fill_bytes, array.address() - 3, static_cast<unsigned char>(1), 3, stream);
            const std::vector<GuardChange> changes = array.check_guards(staging, stream, 0xA5);
            REQUIRE(changes.size() == 1);
            CHECK(changes[0].side == Side::before);
            CHECK(changes[0].bytes == 3);
            CHECK(changes[0].offset_bytes == 0);
        }
    }
}

TEST_CASE("memory is owned once, however often its owner moves") {
    tests::StandinMachine gpu("{}", {"scale"}, "kernel scale");
    const driver::Api& api = gpu.api();
    const std::size_t before = free_bytes(api);
    {
        DeviceBuffer first(api, 1 << 20);
        DeviceBuffer second = std::move(first);
        DeviceBuffer third(api, 1 << 20);
        third = std::move(second);
        CHECK(third.address() != 0);
        CHECK(free_bytes(api) + (1 << 20) == before);
    }
    CHECK(free_bytes(api) == before);
    require_free(api, before, "all of it");
    CHECK_THROWS_AS(require_free(api, before + 1, "more than there is"), MemoryShortage);
    CHECK_THROWS_AS(DeviceBuffer(api, before + 1), MemoryShortage);
}

TEST_CASE("mapped pages are owned once too" * doctest::skip(!tests::standin_has_pages)) {
    tests::StandinMachine gpu("{}", {"scale"}, "kernel scale");
    const driver::Api& api = gpu.api();
    const driver::Device device = gpu.machine().context.device();
    const std::size_t before = free_bytes(api);
    const std::size_t granule = granule_bytes(api, device);
    {
        MappedPages pages(api, device, granule, granule);
        MappedPages moved = std::move(pages);
        pages = std::move(moved);
        CHECK(pages.bytes() == granule);
        CHECK(free_bytes(api) + granule == before);
    }
    CHECK(free_bytes(api) == before);
    CHECK_THROWS_AS(MappedPages(api, device, 100 * before / granule * granule, granule), MemoryShortage);
    CHECK(free_bytes(api) == before);
}

TEST_CASE("an empty buffer asks the driver for nothing") {
    const DeviceBuffer none;
    CHECK(none.address() == 0);
    CHECK(none.bytes() == 0);
}
