// Schedules of blocks on the stand-in GPU: what the launches saw, what the reply says.
#include "time/time.hpp"

#include <chrono>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "doctest/doctest.h"
#include "protocol/faults.hpp"
#include "time_schedule.hpp"

using namespace warpwright;
using namespace warpwright::tests;

namespace {

// Every launch of `scale` saw other values at another address than those of its block, and poisoned outputs.
void check_rotation(const std::vector<nlohmann::json>& launches, std::size_t sets, std::size_t block_launches) {
    std::set<std::string> values;
    for (std::size_t i = 0; i < launches.size(); ++i) {
        CAPTURE(i);
        const nlohmann::json& launch = launches[i];
        CHECK(values.insert(launch["inputs"][0]["hash"].dump()).second);
        CHECK(launch["outputs"][0]["before"] == 0xFF);
        const std::size_t in_block = i % block_launches;
        for (std::size_t other = 0; other < in_block; ++other) {
            const bool same = launches[i - in_block + other]["inputs"][0]["address"] == launch["inputs"][0]["address"];
            CHECK(same == ((in_block - other) % sets == 0));
        }
    }
}

void keep(TimeRequest& request, std::size_t block, const std::vector<std::size_t>& launches) {
    for (const std::size_t launch : launches) {
        request.blocks[block].launches[launch].keep = true;
    }
}

void check_kept(const TimeReply& reply, const TimeRequest& request, std::size_t count) {
    REQUIRE(reply.kept.size() == count);
    for (const KeptOutput& kept : reply.kept) {
        CAPTURE(kept.block);
        CAPTURE(kept.launch);
        CHECK(kept.output.name == "y");
        CHECK(kept.output.bytes == expected_scale(request, kept.block, kept.launch));
    }
}

// The launch of that kernel that keeps the host for longer than the blocker waits.
driver::Function delayed_function = nullptr;
int launches_until_delay = 0;
driver::Result (*real_launch)(const driver::LaunchConfiguration*, driver::Function, void**, void**) = nullptr;

driver::Result delayed_launch(const driver::LaunchConfiguration* configuration, driver::Function function,
                              void** parameters, void** extra) {
    if (function == delayed_function && launches_until_delay-- == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2300));
    }
    return real_launch(configuration, function, parameters, extra);
}

CandidateFault fault_of(LoggedMachine& gpu, const TimeRequest& request) {
    try {
        static_cast<void>(gpu.time(request));
    } catch (const CandidateFault& fault) {
        return fault;
    }
    FAIL("no fault");
    return CandidateFault("", "", false);
}

}  // namespace

TEST_CASE("a schedule: every launch has its own values, address and poison; kept outputs are right") {
    LoggedMachine gpu("scale", "duration_us=100 noise=0");
    TimeRequest request = scale_schedule({10, 10, 10});
    keep(request, 1, {0, 7});
    keep(request, 2, {9});
    const TimeReply reply = gpu.time(request);
    REQUIRE(reply.blocks.size() == 3);
    for (const BlockReply& block : reply.blocks) {
        CHECK(block.samples_us.size() == 10);
        CHECK(block.samples_us[4] == doctest::Approx(102.0).epsilon(0.05));
        CHECK(block.blocker == "on");
        REQUIRE(block.sm_mhz.has_value());
        CHECK(*block.sm_mhz == doctest::Approx(1755.0).epsilon(0.01));
    }
    CHECK(reply.sets == 10);
    CHECK(reply.flush_bytes == 64 * 1024 * 1024);
    CHECK_FALSE(reply.truncated);
    CHECK(reply.guards.empty());
    CHECK(reply.free_memory_bytes > 0);
    check_kept(reply, request, 3);
    const std::vector<nlohmann::json> launches = gpu.launches("scale");
    CHECK(launches.size() == 30);
    check_rotation(launches, 10, 10);
}

TEST_CASE("fewer sets than launches: values are made before each launch, kept outputs are those of their launch") {
    for (const std::size_t sets : {std::size_t{1}, std::size_t{3}}) {
        CAPTURE(sets);
        LoggedMachine gpu("scale", "");
        TimeRequest request = scale_schedule({10, 10});
        request.sets = sets;
        keep(request, 0, {0, 1, 5, 9});
        keep(request, 1, {2});
        const TimeReply reply = gpu.time(request);
        check_kept(reply, request, 5);
        check_rotation(gpu.launches("scale"), sets, 10);
        CHECK(reply.blocks[1].blocker == "on");
    }
}

TEST_CASE("values from a pool: copied on the device, so that the blocker never waits for the host") {
    LoggedMachine gpu("scale", "");
    TimeRequest request = scale_schedule({10, 10});
    request.sets = 4;
    request.arrays[0].recipe.reset();
    for (std::size_t entry = 0; entry < 3; ++entry) {
        request.arrays[0].pool.push_back(expected_scale(request, 0, entry));
    }
    for (std::size_t i = 0; i < 10; ++i) {
        request.blocks[1].launches[i].values["x"].pool_index = i % 3;
    }
    keep(request, 1, {2, 4});
    const TimeReply reply = gpu.time(request);
    CHECK(reply.blocks[1].blocker == "on");
    REQUIRE(reply.kept.size() == 2);
    for (const KeptOutput& kept : reply.kept) {
        std::vector<float> from(timed_elements);
        std::vector<float> got(timed_elements);
        std::memcpy(from.data(), request.arrays[0].pool[kept.launch % 3].data(), timed_elements * sizeof(float));
        std::memcpy(got.data(), kept.output.bytes.data(), timed_elements * sizeof(float));
        CHECK(got[17] == 2.0F * from[17]);
    }
}

TEST_CASE("inout arrays are made afresh for each launch, and come back") {
    LoggedMachine gpu("saxpy", "");
    TimeRequest request = scale_schedule({10, 10});
    request.contestants[0].plan.launches[0].symbol = "saxpy";
    request.contestants[0].plan.launches[0].args = {"y", "x", "a", "n"};
    request.scalars.push_back({"a", Bytes{0, 0, 0x80, 0x3F}});  // 1.0f
    request.arrays[1].role = Role::inout;
    request.arrays[1].recipe = request.arrays[0].recipe;
    for (Block& block : request.blocks) {
        for (ScheduledLaunch& launch : block.launches) {
            launch.values["y"] = launch.values["x"];
        }
    }
    keep(request, 1, {8});
    check_kept(gpu.time(request), request, 1);  // y = x + x
    std::set<std::string> values;
    for (const nlohmann::json& launch : gpu.launches("saxpy")) {
        CHECK(values.insert(launch["inputs"][1]["hash"].dump()).second);
    }
}

TEST_CASE("pools of inout arrays, and of arrays without a byte") {
    LoggedMachine gpu("saxpy", "");
    TimeRequest request = pooled_schedule({10, 10}, 3);
    request.contestants[0].plan.launches[0].symbol = "saxpy";
    request.contestants[0].plan.launches[0].args = {"y", "x", "a", "n"};
    request.scalars.push_back({"a", Bytes{0, 0, 0x80, 0x3F}});  // 1.0f
    ArraySpec nothing = request.arrays[0];
    nothing.name = "nothing";
    nothing.count = 0;
    nothing.shape = {0};
    nothing.pool.assign(1, Bytes{});
    request.arrays[1].role = Role::inout;
    request.arrays[1].pool = request.arrays[0].pool;
    request.arrays.push_back(nothing);
    for (Block& block : request.blocks) {
        for (ScheduledLaunch& launch : block.launches) {
            launch.values["y"] = launch.values["x"];
            launch.values["nothing"] = {};
        }
    }
    keep(request, 1, {8});
    const TimeReply reply = gpu.time(request);
    CHECK(reply.blocks[1].blocker == "on");
    REQUIRE(reply.kept.size() == 1);
    const std::size_t entry = request.blocks[1].launches[8].values["x"].pool_index;
    float x = 0.0F;
    float y = 0.0F;
    std::memcpy(&x, request.arrays[0].pool[entry].data() + 17 * sizeof x, sizeof x);
    std::memcpy(&y, reply.kept[0].output.bytes.data() + 17 * sizeof y, sizeof y);
    CHECK(y == 2.0F * x);
    CHECK(gpu.launches("ww_seal_check").size() == 2 * 3 + 20);  // at the upload, and before each launch
}

TEST_CASE("`zeroed` outputs are zeroed inside the timed unit") {
    LoggedMachine gpu("scale", "duration_us=100 noise=0");
    TimeRequest request = scale_schedule({10});
    request.arrays[1].zeroed = true;
    const TimeReply reply = gpu.time(request);
    for (const nlohmann::json& launch : gpu.launches("scale")) {
        CHECK(launch["outputs"][0]["before"] == 0);
    }
    LoggedMachine other("scale", "duration_us=100 noise=0");
    CHECK(reply.blocks[0].samples_us[5] > other.time(scale_schedule({10})).blocks[0].samples_us[5]);
}

TEST_CASE("the empty kernel of the harness is a contestant like any other") {
    LoggedMachine gpu("scale", "");
    TimeRequest request = scale_schedule({10, 10});
    LaunchSpec empty = request.contestants[0].plan.launches[0];
    empty.symbol = "ww_empty";
    empty.args = {};
    request.contestants.push_back({own_module, {{empty}}});
    request.blocks[1].contestant = 1;
    for (ScheduledLaunch& launch : request.blocks[1].launches) {
        launch.values.clear();
    }
    const TimeReply reply = gpu.time(request);
    CHECK(reply.blocks[1].samples_us.size() == 10);
    CHECK(reply.blocks[1].samples_us[3] < reply.blocks[0].samples_us[3]);
}

TEST_CASE("the blocker is off where it would do harm or no good, and the reply says why") {
    TimeRequest request = scale_schedule({10, 10});
    SUBCASE("the request") {
        LoggedMachine gpu("scale", "");
        request.blocker = false;
        CHECK(gpu.time(request).blocks[1].blocker == "off: the request says so");
        CHECK(gpu.launches("ww_block").size() == 1);  // while warming up
    }
    SUBCASE("a profiler") {
        LoggedMachine gpu("scale", "");
        gpu.machine().profiled = "Nsight Compute is attached";
        CHECK(gpu.time(request).blocks[0].blocker == "off: Nsight Compute is attached");
    }
    SUBCASE("a long unit") {
        LoggedMachine gpu("scale", "duration_us=7000 noise=0 ");
        CHECK(gpu.time(request).blocks[1].blocker.find("off: a unit takes 7.0") == 0);
    }
    SUBCASE("a unit of many launches") {
        LoggedMachine gpu("scale", "");
        Plan& plan = request.contestants[0].plan;
        plan.launches.assign(97, plan.launches[0]);
        CHECK(gpu.time(request).blocks[1].blocker ==
              "off: a unit has 106 queue entries, a blocker holds back 100 at most");
    }
}

TEST_CASE("a blocker that gave up is told, in words that callers look for") {
    LoggedMachine gpu("scale", "");
    Machine& machine = gpu.machine();
    driver::Api api = machine.api;
    real_launch = api.launch;
    api.launch = delayed_launch;
    delayed_function = machine.module("candidate").function("scale");
    launches_until_delay = 13;  // in the second block
    Machine slow{api, machine.context, machine.device, machine.monitor, machine.modules, std::nullopt, machine.staging};
    const TimeReply reply = warpwright::time(slow, scale_schedule({10, 10, 10}));
    CHECK(reply.blocks[0].blocker == "on");
    CHECK(reply.blocks[1].blocker.find("off: it gave up") == 0);
    CHECK(reply.blocks[2].blocker == "on");
}

TEST_CASE("a schedule that takes too long is truncated between blocks, or after a contestant's first launch") {
    SUBCASE("between blocks") {
        LoggedMachine gpu("scale", "real_ms=10");
        TimeRequest request = scale_schedule({10, 10, 10, 10, 10, 10, 10, 10});
        request.time_limit_s = 0.35;
        const TimeReply reply = gpu.time(request);
        CHECK(reply.truncated);
        CHECK(reply.blocks.size() >= 1);
        CHECK(reply.blocks.size() <= 3);
    }
    SUBCASE("after the first launch") {
        LoggedMachine gpu("scale", "duration_us=300000 noise=0");
        TimeRequest request = scale_schedule({10, 10});
        request.time_limit_s = 2.0;
        const TimeReply reply = gpu.time(request);
        CHECK(reply.truncated);
        CHECK(reply.blocks.empty());
        CHECK(gpu.launches("scale").size() == 1);
    }
}

TEST_CASE("a crash is the candidate's fault, fatal, with its launch, entry and block") {
    LoggedMachine gpu("scale", "fault=illegal_address at=14");
    const CandidateFault fault = fault_of(gpu, scale_schedule({10, 10}));
    CHECK(fault.kind == "illegal_address");
    CHECK(fault.fatal);
    CHECK(fault.launch == 0);
    CHECK(fault.entry == "scale");
    CHECK(std::string(fault.what()).find("block 1 (contestant 0): launch 0 (scale): ") == 0);
}

TEST_CASE("a launch that the driver refuses is not fatal, and the stream is let go") {
    LoggedMachine gpu("scale", "refuse=launch_out_of_resources at=3");
    const CandidateFault fault = fault_of(gpu, scale_schedule({10}));
    CHECK(fault.kind == "launch_resources");
    CHECK_FALSE(fault.fatal);
    LoggedMachine again("scale", "");
    CHECK(again.time(scale_schedule({10})).blocks.size() == 1);
}

TEST_CASE("writing past an array changes the guards of its sets") {
    LoggedMachine gpu("scale", "overrun=2");
    const TimeReply reply = gpu.time(scale_schedule({10}));
    REQUIRE(reply.guards.size() == 1);
    CHECK(reply.guards[0].name == "y");
    CHECK(reply.guards[0].side == "after");
    CHECK(reply.guards[0].bytes == 10 * 8);
    CHECK(reply.guards[0].offset_bytes == 0);
}

TEST_CASE("sets that do not fit are refused with the numbers before anything is allocated") {
    LoggedMachine gpu("scale", "", R"(, "memory_bytes": 104857600)");
    TimeRequest request = scale_schedule({10});
    request.sets = 400;
    try {
        static_cast<void>(gpu.time(request));
        FAIL("no shortage");
    } catch (const MemoryShortage& shortage) {
        CHECK(shortage.needed_bytes > shortage.free_bytes);
        CHECK(std::string(shortage.what()).find("the sets, pools and flush regions of this schedule need ") == 0);
    }
    request.sets = 10;
    CHECK(gpu.time(request).blocks.size() == 1);
}

TEST_CASE("throttling, temperature and power come from NVML, the clock from the GPU's counters") {
    LoggedMachine gpu("scale", "", R"(, "nvml": {"temperature_c": 51, "power_mw": 412500},
                                      "throttle": {"from_launch": 11, "clock_ratio": 0.5, "reasons": 4})");
    const TimeReply reply = gpu.time(scale_schedule({10, 10}));
    CHECK(reply.blocks[0].throttle == std::vector<std::string>{});
    CHECK(reply.blocks[1].throttle == std::vector<std::string>{"sw_power_cap"});
    CHECK(reply.blocks[0].temperature_c == 51.0);
    CHECK(reply.blocks[0].power_w == 412.5);
    REQUIRE(reply.blocks[1].sm_mhz.has_value());
    CHECK(*reply.blocks[1].sm_mhz < 1400.0);
    CHECK(reply.unavailable.empty());
}

TEST_CASE("a value that NVML does not give is null, and the reply says why") {
    LoggedMachine gpu("scale", "", R"(, "nvml": {"unsupported": ["nvmlDeviceGetPowerUsage"]})");
    const TimeReply reply = gpu.time(scale_schedule({10}));
    CHECK_FALSE(reply.blocks[0].power_w.has_value());
    CHECK(reply.blocks[0].temperature_c.has_value());
    CHECK(reply.unavailable.size() == 1);
    CHECK_FALSE(reply.unavailable.at("power_w").empty());
}

TEST_CASE("without NVML all of its values are null, and the reply says why") {
    LoggedMachine gpu("scale", "", R"(, "nvml": {"init": 9})");
    const TimeReply reply = gpu.time(scale_schedule({10}));
    CHECK_FALSE(reply.blocks[0].throttle.has_value());
    CHECK(reply.unavailable.at("throttle").find("nvmlInit_v2 failed: ") == 0);
    CHECK(reply.unavailable.at("temperature_c").find("nvmlInit_v2 failed: ") == 0);
}

TEST_CASE("a block too short for the timer has no clock, and the reply says so") {
    LoggedMachine gpu("scale", "duration_us=1 noise=0", R"(, "attributes": {"38": 16384})");
    TimeRequest request = scale_schedule({2, 2});
    request.blocker = false;
    const TimeReply reply = gpu.time(request);
    CHECK_FALSE(reply.blocks[1].sm_mhz.has_value());
    CHECK(reply.unavailable.at("sm_mhz") ==
          "block 1: it took 91 us; the GPU's timer is too coarse for less than 200 us");
}
