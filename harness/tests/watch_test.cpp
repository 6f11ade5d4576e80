#include "launch/watch.hpp"

#include <string>

#include "doctest/doctest.h"
#include "launch/fault.hpp"
#include "memory/lost_context.hpp"

using namespace warpwright;
using namespace warpwright::driver;
using namespace warpwright::launch;

namespace {

int queries_until_ready = 0;
Result last_result = success;
int events_alive = 0;

Result create(driver::Event* event, unsigned) {
    static int storage = 0;
    *event = reinterpret_cast<driver::Event>(&storage);
    ++events_alive;
    return success;
}

Result destroy(driver::Event) {
    --events_alive;
    return success;
}

Result query(driver::Event) { return queries_until_ready-- > 0 ? not_ready : last_result; }

Result query_stream(driver::Stream) { return query(nullptr); }

Result name_of(Result, const char** name) {
    *name = "CUDA_ERROR_SOMETHING";
    return success;
}

Api table() {
    Api api;
    api.error_name = name_of;
    api.event_create = create;
    api.event_destroy = destroy;
    api.event_query = query;
    return api;
}

}  // namespace

TEST_CASE("waiting ends when the event has been reached") {
    const Api api = table();
    const launch::Event event(api);
    queries_until_ready = 3;
    last_result = success;
    await(api, event, Deadline(10.0), Origin{0, "axpb"});
    CHECK(queries_until_ready == -1);
}

TEST_CASE("a kernel that does not end is a fatal timeout, and memory is then left alone") {
    const Api api = table();
    note_candidate_launch();
    events_alive = 0;
    try {
        const launch::Event event(api);
        queries_until_ready = 1'000'000'000;
        await(api, event, Deadline(0.02), Origin{2, "axpb"});
        FAIL("no timeout");
    } catch (const CandidateFault& fault) {
        CHECK(fault.kind == "timeout");
        CHECK(fault.fatal);
        CHECK(fault.launch == std::optional<std::size_t>(2));
        CHECK(fault.entry == "axpb");
        CHECK(std::string(fault.what()) == "launch 2 (axpb) did not end within 0.02 s");
    }
    CHECK(memory::context_is_lost());
    CHECK(events_alive == 1);
    memory::mark_context_lost(false);
}

TEST_CASE("a failed launch is the candidate's fault, with all that is known") {
    const Api api = table();
    note_candidate_launch();
    const launch::Event event(api);
    queries_until_ready = 1;
    last_result = illegal_address;
    try {
        await(api, event, Deadline(10.0), Origin{1, "saxpy"});
        FAIL("no fault");
    } catch (const CandidateFault& fault) {
        CHECK(fault.kind == "illegal_address");
        CHECK(fault.fatal);
        CHECK(fault.call == "cuEventQuery");
        CHECK(fault.code == 700);
        CHECK(fault.code_name == "CUDA_ERROR_SOMETHING");
        CHECK(fault.launch == std::optional<std::size_t>(1));
        CHECK(fault.entry == "saxpy");
        CHECK(std::string(fault.what()).rfind("launch 1 (saxpy): cuEventQuery failed", 0) == 0);
    }
}

TEST_CASE("what the driver does not say how it stands is a driver error, and memory is then left alone") {
    const Api api = table();
    note_candidate_launch();
    const launch::Event event(api);
    for (const Result code : {not_initialized, invalid_value}) {
        queries_until_ready = 0;
        last_result = code;
        CHECK_THROWS_AS(await(api, event, Deadline(10.0), Origin{}), DriverError);
        CHECK(memory::context_is_lost());
        memory::mark_context_lost(false);
    }
}

TEST_CASE("before a candidate was launched nothing is its fault") {
    const Api api = table();
    const launch::Event event(api);
    begin_request();
    SUBCASE("a dead context") {
        queries_until_ready = 0;
        last_result = illegal_address;
        CHECK_THROWS_AS(await(api, event, Deadline(10.0), Origin{}), DriverError);
        CHECK_FALSE(memory::context_is_lost());
    }
    SUBCASE("work that does not end") {
        queries_until_ready = 1'000'000'000;
        CHECK_THROWS_AS(await(api, event, Deadline(0.01), Origin{}), DriverError);
        CHECK(memory::context_is_lost());
        memory::mark_context_lost(false);
    }
}

TEST_CASE("a stream is drained with a deadline") {
    Api api = table();
    api.stream_query = query_stream;
    note_candidate_launch();
    last_result = success;
    queries_until_ready = 3;
    drain(api, nullptr, Deadline(10.0), Origin{});
    CHECK(queries_until_ready == -1);
    queries_until_ready = 1'000'000'000;
    CHECK_THROWS_AS(drain(api, nullptr, Deadline(0.01), Origin{}), CandidateFault);
    CHECK(memory::context_is_lost());
    memory::mark_context_lost(false);
}

TEST_CASE("a failure without a name of its own is called a trap, and the message says what else it may be") {
    const Api api = table();
    const CandidateFault fault = make_fault("trap", "it failed", DriverError(api, launch_failed, "cuEventQuery"), {});
    CHECK(std::string(fault.what()) == "a trap, or an exception that the driver does not name: it failed");
}

TEST_CASE("refused launches are faults that leave the context alive") {
    const Api api = table();
    for (const Result code : {invalid_value, launch_out_of_resources, cooperative_launch_too_large}) {
        CAPTURE(code);
        try {
            throw_fault(DriverError(api, code, "cuLaunchKernelEx"), Origin{});
        } catch (const CandidateFault& fault) {
            CHECK_FALSE(fault.fatal);
            CHECK_FALSE(fault.launch.has_value());
        }
    }
}
