#include "memory/guarded_array.hpp"

#include "doctest/doctest.h"
#include "memory/device_buffer.hpp"

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

TEST_CASE("sums of sizes stop at the largest value") {
    const std::size_t largest = ~std::size_t{0};
    CHECK(saturating_add(3, 4) == 7);
    CHECK(saturating_add(largest - 1, 1) == largest);
    CHECK(saturating_add(largest, 1) == largest);
    CHECK(saturating_add(largest / 2 + 1, largest / 2 + 1) == largest);
}
