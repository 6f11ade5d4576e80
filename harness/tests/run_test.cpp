#include "run/run.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "memory/device_buffer.hpp"
#include "protocol/faults.hpp"
#include "standin_machine.hpp"

using namespace warpwright;
using warpwright::tests::StandinMachine;

namespace {

constexpr std::size_t n = 1000;

template <class Value>
Bytes bytes_of(const std::vector<Value>& values) {
    Bytes bytes(values.size() * sizeof(Value));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

std::vector<float> floats_of(const HostBytes& bytes) {
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

ArraySpec floats(const std::string& name, Role role, std::size_t count = n) {
    ArraySpec array;
    array.name = name;
    array.role = role;
    array.descr = "<f4";
    array.shape = {count};
    array.item_bytes = sizeof(float);
    array.count = count;
    array.align_bytes = sizeof(float);
    return array;
}

LaunchSpec launch_of(const std::string& symbol, const std::vector<std::string>& args, unsigned blocks = 4) {
    LaunchSpec launch;
    launch.symbol = symbol;
    launch.grid = {blocks, 1, 1};
    launch.block = {256, 1, 1};
    launch.args = args;
    return launch;
}

// y = 2 x from the pool 0, 1, 2 ...
RunRequest scale_request() {
    RunRequest request;
    request.module = "candidate";
    request.plan.launches = {launch_of("scale", {"y", "x", "n"})};
    request.arrays = {floats("x", Role::in), floats("y", Role::out)};
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<float>(i);
    }
    request.arrays[0].pool = {bytes_of(values)};
    request.scalars = {{"n", bytes_of(std::vector<std::int32_t>{static_cast<std::int32_t>(n)})}};
    request.values["x"] = {};
    request.time_limit_s = 20.0;
    request.returned = {"y"};
    return request;
}

RunReply run_scale(const std::string& behaviour, const RunRequest& request, const std::string& settings = "{}") {
    StandinMachine gpu(settings, {"scale"}, "kernel scale " + behaviour);
    return run(gpu.machine(), request);
}

CandidateFault fault_of(StandinMachine& gpu, const RunRequest& request) {
    try {
        static_cast<void>(run(gpu.machine(), request));
    } catch (const CandidateFault& fault) {
        return fault;
    }
    throw std::runtime_error("the run came to its end");
}

std::size_t free_memory(StandinMachine& gpu) { return memory::free_bytes(gpu.api()); }

}  // namespace

TEST_CASE("a plan runs once and gives its outputs back") {
    for (const Placement placement : {Placement::start, Placement::end}) {
        for (const bool plain : {false, true}) {
            CAPTURE(plain);
            RunRequest request = scale_request();
            request.placement = placement;
            request.plain_memory = plain;
            const RunReply reply = run_scale("", request);
            REQUIRE(reply.outputs.size() == 1);
            CHECK(reply.outputs[0].name == "y");
            CHECK(reply.outputs[0].descr == "<f4");
            CHECK(reply.outputs[0].shape == std::vector<std::size_t>{n});
            const std::vector<float> y = floats_of(reply.outputs[0].bytes);
            CHECK(y.front() == 0.0F);
            CHECK(y.back() == 2.0F * static_cast<float>(n - 1));
            CHECK(reply.modified.empty());
            CHECK(reply.guards.empty());
            CHECK(reply.no_pages.has_value() == (plain || !tests::standin_has_pages));
            CHECK(reply.seconds > 0.0);
            REQUIRE(reply.device_us.has_value());
            CHECK(*reply.device_us > 1.0);
        }
    }
}

TEST_CASE("what a kernel does not write keeps the poison, or zero where the workload says zeroed") {
    RunRequest request = scale_request();
    request.poison = 0x7E;
    request.plan.launches[0].grid = {1, 1, 1};
    const HostBytes poisoned = run_scale("", request).outputs[0].bytes;
    CHECK(floats_of(poisoned)[255] == 510.0F);
    CHECK(poisoned.without_front(256 * 4) == HostBytes(Bytes((n - 256) * 4, 0x7E)));

    request.arrays[1].zeroed = true;
    const HostBytes zeroed = run_scale("", request).outputs[0].bytes;
    CHECK(zeroed.without_front(256 * 4) == HostBytes(Bytes((n - 256) * 4, 0)));
}

TEST_CASE("writing past an array changes its guard, and the reply says where") {
    RunRequest request = scale_request();
    const RunReply over = run_scale("overrun=3", request);
    REQUIRE(over.guards.size() == 1);
    CHECK(over.guards[0].name == "y");
    CHECK(over.guards[0].side == "after");
    CHECK(over.guards[0].bytes == 12);
    CHECK(over.guards[0].offset_bytes == 0);

    const RunReply under = run_scale("underrun=2", request);
    REQUIRE(under.guards.size() == 1);
    CHECK(under.guards[0].side == "before");
    CHECK(under.guards[0].bytes == 8);

    request.plain_memory = true;
    request.placement = Placement::end;
    CHECK(run_scale("overrun=3", request).guards.size() == 1);
}

TEST_CASE("writing far past an array hits the unmapped page" * doctest::skip(!tests::standin_has_pages)) {
    for (const char* behaviour : {"overrun=3", "underrun=2000000"}) {
        CAPTURE(behaviour);
        StandinMachine gpu("{}", {"scale"}, std::string("kernel scale ") + behaviour);
        RunRequest request = scale_request();
        request.placement = Placement::end;
        const CandidateFault fault = fault_of(gpu, request);
        CHECK(fault.kind == "illegal_address");
        CHECK(fault.fatal);
        CHECK(fault.launch == std::optional<std::size_t>(0));
    }
}

TEST_CASE("an array at its end has exactly the alignment that the workload guarantees") {
    RunRequest request = scale_request();
    request.placement = Placement::end;
    request.arrays[1].align_bytes = 16;  // 4,000 bytes: 16 more than a multiple of 32 remain
    const RunReply reply = run_scale("overrun=1", request);
    REQUIRE(reply.guards.size() == 1);
    CHECK(reply.guards[0].bytes == 4);
}

TEST_CASE("a value equal to the guard goes unseen, so the guard byte is the caller's choice") {
    RunRequest request = scale_request();
    request.guard = 0x00;
    CHECK(run_scale("overrun=1", request).guards[0].bytes == 2);  // 1.0f is 00 00 80 3F
}

TEST_CASE("changed inputs are found on the GPU and on the host") {
    for (const bool plain : {false, true}) {
        CAPTURE(plain);
        RunRequest request = scale_request();
        request.plain_memory = plain;
        const RunReply reply = run_scale("tamper=2", request);
        REQUIRE(reply.modified.size() == 1);
        CHECK(reply.modified[0].name == "x");
        CHECK(reply.modified[0].bytes == 4);  // 0.0f -> 1.0f -> 2.0f: 00 00 00 00, 00 00 80 3F, 00 00 00 40
        CHECK(reply.modified[0].first_byte == 2);
    }
}

TEST_CASE("inputs by recipe are made on the GPU, and made again for the comparison") {
    RunRequest request = scale_request();
    request.arrays[0].pool.clear();
    Recipe recipe;
    recipe.kind = RecipeKind::uniform;
    recipe.element = Element::f32;
    recipe.first = -1.0;
    recipe.second = 1.0;
    request.arrays[0].recipe = recipe;
    request.values["x"] = {{1, 2}, 0};
    const RunReply first = run_scale("", request);
    CHECK(first.modified.empty());
    const RunReply again = run_scale("", request);
    CHECK(first.outputs[0].bytes == again.outputs[0].bytes);
    request.values["x"] = {{1, 3}, 0};
    CHECK_FALSE(first.outputs[0].bytes == run_scale("", request).outputs[0].bytes);
    CHECK(run_scale("tamper=5", request).modified.size() == 1);
}

TEST_CASE("several launches run in order, by way of scratch") {
    StandinMachine gpu("{}", {"first_half", "second_half"}, "kernel first_half\nkernel second_half");
    RunRequest request = scale_request();
    request.arrays.push_back(floats("t", Role::scratch));
    request.plan.launches = {launch_of("first_half", {"t", "x", "n"}), launch_of("second_half", {"y", "t", "n"})};
    request.returned = {"t", "y"};
    const RunReply reply = run(gpu.machine(), request);
    REQUIRE(reply.outputs.size() == 2);
    CHECK(floats_of(reply.outputs[0].bytes)[7] == 14.0F);
    CHECK(floats_of(reply.outputs[1].bytes)[7] == 15.0F);
}

TEST_CASE("inout arrays may change and come back") {
    StandinMachine gpu("{}", {"saxpy"}, "kernel saxpy");
    RunRequest request = scale_request();
    request.plan.launches = {launch_of("saxpy", {"y", "x", "a", "n"})};
    request.arrays[1].role = Role::inout;
    request.arrays[1].pool = {bytes_of(std::vector<float>(n, 100.0F)), bytes_of(std::vector<float>(n, 200.0F))};
    request.values["y"] = {{}, 1};
    request.scalars.push_back({"a", bytes_of(std::vector<float>{3.0F})});
    const RunReply reply = run(gpu.machine(), request);
    CHECK(floats_of(reply.outputs[0].bytes)[5] == 215.0F);
    CHECK(reply.modified.empty());
}

TEST_CASE("arrays of no elements are legal") {
    RunRequest request = scale_request();
    request.arrays = {floats("x", Role::in, 0), floats("y", Role::out, 0)};
    request.arrays[0].pool = {Bytes()};
    request.scalars = {{"n", bytes_of(std::vector<std::int32_t>{0})}};
    const RunReply reply = run_scale("", request);
    CHECK(reply.outputs[0].bytes.empty());
    CHECK(reply.outputs[0].shape == std::vector<std::size_t>{0});
}

TEST_CASE("a sticky fault names the launch and kills the process") {
    StandinMachine gpu("{}", {"first_half", "second_half"}, "kernel first_half\nkernel second_half fault=misaligned");
    RunRequest request = scale_request();
    request.plan.launches = {launch_of("first_half", {"y", "x", "n"}), launch_of("second_half", {"y", "x", "n"})};
    const CandidateFault fault = fault_of(gpu, request);
    CHECK(fault.kind == "misaligned");
    CHECK(fault.fatal);
    CHECK(fault.launch == std::optional<std::size_t>(1));
    CHECK(fault.entry == "second_half");
    CHECK(fault.code == 716);
}

TEST_CASE("a refused launch leaves the context alive and its memory free") {
    StandinMachine gpu("{}", {"scale"}, "kernel scale refuse=launch_out_of_resources");
    const std::size_t before = free_memory(gpu);
    const CandidateFault fault = fault_of(gpu, scale_request());
    CHECK(fault.kind == "launch_resources");
    CHECK_FALSE(fault.fatal);
    CHECK(fault.launch == std::optional<std::size_t>(0));
    CHECK(free_memory(gpu) == before);
}

TEST_CASE("more shared memory than a block can have is a fault in words") {
    StandinMachine gpu("{}", {"scale"}, "kernel scale");
    RunRequest request = scale_request();
    request.plan.launches[0].shared_bytes = 1 << 20;
    const CandidateFault fault = fault_of(gpu, request);
    CHECK(fault.kind == "launch_resources");
    CHECK_FALSE(fault.fatal);
    CHECK(std::string(fault.what()).find("1048576 bytes of dynamic shared memory") != std::string::npos);
}

TEST_CASE("too large an array is a shortage of memory before anything is launched") {
    const std::string settings = R"({"memory_bytes": 268435456})";
    StandinMachine gpu(settings, {"scale"}, "kernel scale fault=illegal_address");
    RunRequest request = scale_request();
    request.arrays.push_back(floats("t", Role::scratch, std::size_t{1} << 29));
    const std::size_t before = free_memory(gpu);
    try {
        static_cast<void>(run(gpu.machine(), request));
        FAIL("it fitted");
    } catch (const MemoryShortage& shortage) {
        CHECK(shortage.needed_bytes > std::size_t{1} << 31);
        CHECK(shortage.free_bytes == before);
    }
    CHECK(free_memory(gpu) == before);
}

TEST_CASE("without virtual memory there are guards alone, and the reply says why") {
    const RunReply reply = run_scale("overrun=1", scale_request(), R"({"virtual_memory": false})");
    REQUIRE(reply.no_pages.has_value());
    CHECK(*reply.no_pages == "this GPU has no virtual memory management");
    CHECK(reply.guards.size() == 1);
}

TEST_CASE("where mapping is forbidden arrays lie in ordinary memory" * doctest::skip(!tests::standin_has_pages)) {
    const RunReply reply =
        run_scale("", scale_request(), R"({"fail": [{"call": "cuMemCreate", "code": 800, "at": 0, "count": 1000}]})");
    REQUIRE(reply.no_pages.has_value());
    CHECK(reply.no_pages->find("cuMemCreate") != std::string::npos);
    CHECK(reply.outputs.size() == 1);
}

TEST_CASE("runs leave no memory behind") {
    StandinMachine gpu("{}", {"scale"}, "kernel scale");
    const std::size_t before = free_memory(gpu);
    for (int i = 0; i < 3; ++i) {
        static_cast<void>(run(gpu.machine(), scale_request()));
        CHECK(free_memory(gpu) == before);
    }
}

TEST_CASE("requests that do not hold together are refused by name") {
    StandinMachine gpu("{}", {"scale"}, "kernel scale");
    const auto message = [&gpu](const RunRequest& request) -> std::string {
        try {
            static_cast<void>(run(gpu.machine(), request));
        } catch (const RequestError& error) {
            return error.what();
        }
        return "accepted";
    };
    RunRequest request = scale_request();
    request.module = "other";
    CHECK(message(request).find("module other is not loaded") != std::string::npos);
    request = scale_request();
    request.plan.launches[0].symbol = "other";
    CHECK(message(request).find("kernel other") != std::string::npos);
    request = scale_request();
    request.plan.launches.clear();
    CHECK(message(request) == "plan: launches is empty; at least one is needed");
    request = scale_request();
    request.values.clear();
    CHECK(message(request) == "values: none for the input x");
    request = scale_request();
    request.values["x"].pool_index = 1;
    CHECK(message(request) == "values: x asks for number 1 of a pool of 1");
    request = scale_request();
    request.arrays[0].pool[0] = request.arrays[0].pool[0].without_front(1);
    CHECK(message(request) == "pool of x, number 0: 3999 bytes, the array has 4000");
    request = scale_request();
    request.returned = {"z"};
    CHECK(message(request) == "return: there is no array z");
    request = scale_request();
    request.arrays.push_back(request.arrays[0]);
    CHECK(message(request) == "arrays: two are called x");
    request = scale_request();
    request.arrays[1].align_bytes = 3;
    CHECK(message(request) == "array y: align_bytes is 3; powers of two from 1 to 65536 are allowed");
    request = scale_request();
    request.arrays[0].pool.clear();
    request.arrays[0].recipe = Recipe();
    request.arrays[0].align_bytes = 1;
    request.placement = Placement::end;
    CHECK(message(request).find("align_bytes must be that at least, and is 1") != std::string::npos);
    CHECK(message(scale_request()) == "accepted");
}
