// The arithmetic of `time`: queue entries, sets, cache, clocks, parts.
#include <set>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "nvml/throttle.hpp"
#include "protocol/faults.hpp"
#include "time/blocker.hpp"
#include "time/clocks.hpp"
#include "time/flush.hpp"
#include "time/parts.hpp"
#include "time/readings.hpp"
#include "time/request_check.hpp"
#include "time/sets.hpp"

using namespace warpwright;
using namespace warpwright::timing;

namespace {

constexpr std::size_t mib = 1024 * 1024;

ArraySpec array_of(const std::string& name, Role role, std::size_t count) {
    ArraySpec array;
    array.name = name;
    array.role = role;
    array.descr = "<f4";
    array.shape = {count};
    array.item_bytes = 4;
    array.count = count;
    array.align_bytes = 4;
    return array;
}

Block block_of(std::size_t launches, const std::set<std::size_t>& kept) {
    Block block;
    for (std::size_t launch = 0; launch < launches; ++launch) {
        block.launches.push_back({{}, kept.count(launch) != 0});
    }
    return block;
}

}  // namespace

TEST_CASE("a blocker holds back no more than 100 queue entries") {
    struct Row {
        UnitEntries unit;
        std::size_t total;
        std::size_t units;
    };
    for (const Row& row :
         {Row{{0, 0, 0, 0, 0, 1}, 3, 32}, Row{{0, 0, 0, 2, 0, 1}, 5, 19}, Row{{2, 4, 3, 4, 1, 3}, 19, 5},
          Row{{0, 0, 0, 0, 0, 96}, 98, 1}, Row{{0, 0, 0, 0, 0, 97}, 99, 0}, Row{{0, 0, 0, 0, 0, 400}, 402, 0}}) {
        CAPTURE(row.total);
        CHECK(row.unit.total() == row.total);
        CHECK(units_per_part(row.unit) == row.units);
        CHECK(units_per_part(row.unit) * row.unit.total() + 2 <= most_entries);
    }
}

TEST_CASE("consecutive sets differ by an odd multiple of 256 bytes, all sets differ") {
    std::set<std::size_t> seen;
    for (std::size_t set = 0; set < 40; ++set) {
        const std::size_t step = shift_bytes(set + 1) - shift_bytes(set);
        CHECK(step % 512 == 256);
        CHECK(seen.insert(shift_bytes(set)).second);
    }
}

TEST_CASE("memory of the sets: payload, guards, shifts; nothing wraps around") {
    const std::vector<ArraySpec> arrays{array_of("x", Role::in, 1000), array_of("y", Role::out, 1000)};
    CHECK(needed_bytes(arrays, 1) >= 8000 + 4 * 64 * 1024);
    CHECK(needed_bytes(arrays, 10) >= 10 * needed_bytes(arrays, 1));
    CHECK(needed_bytes({array_of("x", Role::in, std::size_t{1} << 53)}, 1000) == ~std::size_t{0});
}

TEST_CASE("a flush writes two L2, and 64 MiB at least") {
    CHECK(flush_bytes(50 * mib) == 100 * mib);
    CHECK(flush_bytes(4 * mib) == 64 * mib);
    CHECK(Flush::needed_bytes(50 * mib) >= 150 * mib);
}

TEST_CASE("lines are those that hold a byte of the array, as a whole, wherever it begins and ends") {
    struct Row {
        driver::DevicePointer address;
        std::size_t bytes;
        driver::DevicePointer first;
        std::uint64_t count;
    };
    for (const Row& row : {Row{4096, 128, 4096, 1}, Row{4096, 129, 4096, 2}, Row{4096, 1, 4096, 1},
                           Row{4100, 4, 4096, 1}, Row{4220, 4, 4096, 1}, Row{4220, 8, 4096, 2},
                           Row{4100, 4096, 4096, 33}, Row{4096, 0, 0, 0}, Row{0, 0, 0, 0}}) {
        CAPTURE(row.address);
        CAPTURE(row.bytes);
        const Lines lines = lines_of(row.address, row.bytes);
        CHECK(lines.first == row.first);
        CHECK(lines.count == row.count);
    }
}

TEST_CASE("the clock is the median over the SMs that were seen at both borders") {
    const std::vector<ClockSlot> before{{1000, 5000}, {1000, 7000}, {0, 0}, {1000, 0}, {1000, 10}};
    const std::vector<ClockSlot> after{
        {1001000, 1705000}, {1001000, 1757000}, {1001000, 9}, {1001000, 1800000}, {0, 0}};
    CHECK(compare_clocks(before, after).mhz == doctest::Approx(1750.0));
}

TEST_CASE("no clock for spans under 200 us, and none without SMs; the reading says which") {
    const ClockReading short_span = compare_clocks({{1000, 0}}, {{200999, 300000}});
    CHECK_FALSE(short_span.mhz.has_value());
    CHECK(short_span.why_unknown == "it took 199 us; the GPU's timer is too coarse for less than 200 us");
    CHECK(compare_clocks({{1000, 0}}, {{201000, 300000}}).mhz == doctest::Approx(1500.0));
    CHECK(compare_clocks({{1000, 0}}, {{201000, 300000}}).why_unknown.empty());
    for (const std::vector<ClockSlot>& slots : {std::vector<ClockSlot>{}, std::vector<ClockSlot>{{0, 0}}}) {
        CHECK_FALSE(compare_clocks(slots, slots).mhz.has_value());
        CHECK(compare_clocks(slots, slots).why_unknown == "no SM was seen at both borders");
    }
}

TEST_CASE("a block is queued in parts: a kept launch is the last of its part, parts between are of like size") {
    using Ends = std::vector<std::size_t>;
    CHECK(part_ends(block_of(10, {}), 0, 10) == Ends{10});
    CHECK(part_ends(block_of(10, {}), 1, 4) == Ends{4, 7, 10});
    CHECK(part_ends(block_of(10, {}), 0, 7) == Ends{5, 10});
    CHECK(part_ends(block_of(10, {3}), 0, 10) == Ends{4, 10});
    CHECK(part_ends(block_of(10, {0, 1, 9}), 0, 5) == Ends{1, 2, 6, 10});
    CHECK(part_ends(block_of(10, {0}), 1, 100) == Ends{10});
    CHECK(part_ends(block_of(10, {9}), 10, 1).empty());
}

TEST_CASE("throttle reasons have NVML's names") {
    CHECK(nvml::throttle_names(0).empty());
    CHECK(nvml::throttle_names(0x1 | 0x4 | 0x40) ==
          std::vector<std::string>{"gpu_idle", "sw_power_cap", "hw_thermal_slowdown"});
    CHECK(nvml::throttle_names(1ULL << 63) == std::vector<std::string>{"bit_63"});
}

TEST_CASE("readings of both borders are joined; what neither has gets its reason") {
    nvml::Reading before;
    before.throttle = std::vector<std::string>{"gpu_idle"};
    before.temperature_c = 40.0;
    nvml::Reading after;
    after.throttle = std::vector<std::string>{"gpu_idle", "sw_power_cap"};
    after.temperature_c = 50.0;
    after.unavailable["power_w"] = "Not Supported (3)";
    BlockReply reply;
    std::map<std::string, std::string> unavailable;
    add_readings(before, after, reply, unavailable);
    CHECK(*reply.throttle == std::vector<std::string>{"gpu_idle", "sw_power_cap"});
    CHECK(*reply.temperature_c == 50.0);
    CHECK_FALSE(reply.power_w.has_value());
    CHECK(unavailable == std::map<std::string, std::string>{{"power_w", "Not Supported (3)"}});
}

namespace {

std::string refusal(const TimeRequest& request) {
    try {
        check_request(request);
    } catch (const RequestError& error) {
        return error.what();
    }
    return "accepted";
}

TimeRequest small_request() {
    TimeRequest request;
    request.arrays = {array_of("x", Role::in, 4), array_of("y", Role::out, 4)};
    request.arrays[0].recipe = warpwright::Recipe{};
    LaunchSpec launch;
    launch.symbol = "scale";
    launch.args = {"y", "x"};
    request.contestants = {{"candidate", {{launch}}}};
    request.blocks = {block_of(1, {})};
    request.blocks[0].launches[0].values["x"] = {};
    request.time_limit_s = 1.0;
    return request;
}

}  // namespace

TEST_CASE("requests that make no sense are refused with the field") {
    CHECK(refusal(small_request()) == "accepted");
    TimeRequest request = small_request();
    request.sets = 0;
    CHECK(refusal(request) == "time: sets is 0; at least 1 is needed");
    request = small_request();
    request.flushes = 0;
    CHECK(refusal(request) == "time: flushes is 0 with cold true; at least 1 is needed");
    request = small_request();
    request.blocks[0].contestant = 1;
    CHECK(refusal(request) == "time: block 0 names contestant 1 of 1");
    request = small_request();
    request.blocks[0].launches[0].values.clear();
    CHECK(refusal(request) == "values: none for the input x");
    request = small_request();
    request.blocks[0].launches[0].values["y"] = {};
    CHECK(refusal(request) == "values: y is no input of this request");
    request = small_request();
    request.blocks[0].launches.clear();
    CHECK(refusal(request) == "time: block 0 has no launches");
    request = small_request();
    request.time_limit_s = 0.0;
    CHECK(refusal(request) == "time: time_limit_s is not above 0");
}

TEST_CASE("an input that the plan does not take needs no values") {
    TimeRequest request = small_request();
    request.contestants[0].plan.launches[0].args = {};
    request.blocks[0].launches[0].values.clear();
    CHECK(refusal(request) == "accepted");
}
