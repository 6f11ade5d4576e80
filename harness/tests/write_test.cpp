#include "protocol/write.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "doctest/doctest.h"

using namespace warpwright;
using nlohmann::ordered_json;

TEST_CASE("doubles come back as the same bits; what is no number is null") {
    for (const double value : {0.1, 1.0 / 3.0, 1e-320, 5e-324, 1.7976931348623157e308, 123456789.125, -0.0, 4.0,
                               std::nextafter(1.0, 2.0), 2.2250738585072014e-308}) {
        const std::string text = ordered_json(value).dump();
        CAPTURE(text);
        const double back = nlohmann::json::parse(text).get<double>();
        CHECK(back == value);
        CHECK(std::signbit(back) == std::signbit(value));
    }
    CHECK(ordered_json(0.1).dump() == "0.1");
    CHECK(ordered_json(std::numeric_limits<double>::quiet_NaN()).dump() == "null");
}

TEST_CASE("a run's reply") {
    RunReply run;
    run.seconds = 0.25;
    run.outputs.push_back({"y", "<f4", {2}, Bytes(8, 1)});
    run.modified.push_back({"x", 3, 16});
    run.guards.push_back({"y", "after", 4, 0});
    const Reply reply = to_reply(run);
    CHECK(reply.body.dump() ==
          R"({"seconds":0.25,"device_us":null,"outputs":["y"],"modified":[{"name":"x","bytes":3,"first_byte":16}],)"
          R"("guards":[{"name":"y","side":"after","bytes":4,"offset_bytes":0}],"pages":true})");
    REQUIRE(reply.attachments.size() == 1);
    CHECK(reply.attachments[0].payload == Bytes(8, 1));
    CHECK(reply.attachments[0].header.find("'<f4', 'fortran_order': False, 'shape': (2,)") != std::string::npos);
    run.no_pages = "plain memory was asked for";
    CHECK(to_reply(run).body["pages"] == "plain memory was asked for");
}

TEST_CASE("a time's reply: unknown is null, never 0") {
    TimeReply time;
    time.blocks.push_back({{1.5, 2.0}, std::nullopt, std::nullopt, std::nullopt, std::nullopt, "on"});
    time.blocks.push_back({{}, 1980.0, std::vector<std::string>{}, 40.0, 300.5, "off: why"});
    time.kept.push_back({1, 0, {"y", "|u1", {}, Bytes(1, 1)}});
    time.sets = 4;
    time.unavailable["throttle"] = "NVML is not there";
    CHECK(to_reply(time).body.dump() ==
          R"({"blocks":[{"samples_us":[1.5,2.0],"sm_mhz":null,"throttle":null,"temperature_c":null,"power_w":null,)"
          R"("blocker":"on"},{"samples_us":[],"sm_mhz":1980.0,"throttle":[],"temperature_c":40.0,"power_w":300.5,)"
          R"("blocker":"off: why"}],"kept":[{"block":1,"launch":0,"name":"y"}],"sets":4,"flush_bytes":0,"guards":[],)"
          R"("truncated":false,"free_memory_bytes":0,"unavailable":{"throttle":"NVML is not there"}})");
}

TEST_CASE("faults and errors") {
    CandidateFault fault("illegal_address", "it reads elsewhere", true);
    CHECK(to_reply(fault).body.dump() ==
          R"({"fault":{"kind":"illegal_address","message":"it reads elsewhere","call":null,"code":null,"name":null,)"
          R"("launch":null,"entry":null},"fatal":true})");
    fault.call = "cuStreamQuery";
    fault.code = 700;
    fault.code_name = "CUDA_ERROR_ILLEGAL_ADDRESS";
    fault.launch = 0;
    fault.entry = "k";
    CHECK(to_reply(fault).body["fault"].dump() ==
          R"({"kind":"illegal_address","message":"it reads elsewhere","call":"cuStreamQuery","code":700,)"
          R"("name":"CUDA_ERROR_ILLEGAL_ADDRESS","launch":0,"entry":"k"})");
    CHECK(to_reply(RequestError("no")).body.dump() == R"({"error":{"kind":"request","message":"no"}})");
    CHECK(to_reply(MemoryShortage("small", 10, 5)).body.dump() ==
          R"({"error":{"kind":"memory","message":"small","needed_bytes":10,"free_bytes":5}})");
    const driver::Api api;
    CHECK(to_reply(driver::DriverError(api, driver::out_of_memory, "cuMemAlloc_v2")).body["error"]["kind"] == "memory");
    CHECK(
        to_reply(driver::DriverError(api, driver::invalid_image, "cuModuleLoadData")).body["error"].dump() ==
        R"({"kind":"driver","message":"cuModuleLoadData failed: CUDA error 200 (200): the driver has no text for this )"
        R"(code","call":"cuModuleLoadData","code":200,"name":"CUDA error 200"})");
}
