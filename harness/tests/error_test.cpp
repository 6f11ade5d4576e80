#include "driver/error.hpp"

#include <string>

#include "doctest/doctest.h"

using namespace warpwright;
using namespace warpwright::driver;

namespace {

Result name_of(Result code, const char** name) {
    *name = code == illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS" : nullptr;
    return code == illegal_address ? success : invalid_value;
}

Result text_of(Result, const char** text) {
    *text = "an illegal memory access was encountered";
    return success;
}

Result synchronize() { return illegal_address; }

Api table() {
    Api api;
    api.error_name = name_of;
    api.error_string = text_of;
    api.context_synchronize = synchronize;
    return api;
}

}  // namespace

TEST_CASE("a failed call names itself, its code and the driver's words") {
    const Api api = table();
    try {
        WARPWRIGHT_CALL(api, context_synchronize, );
        FAIL("no error");
    } catch (const DriverError& error) {
        CHECK(error.call() == "cuCtxSynchronize");
        CHECK(error.code() == illegal_address);
        CHECK(error.name() == "CUDA_ERROR_ILLEGAL_ADDRESS");
        CHECK(std::string(error.what()) ==
              "cuCtxSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered");
    }
}

TEST_CASE("a code that the driver has no name for is still told") {
    const Api api = table();
    CHECK(DriverError(api, 4711, "cuInit").name() == "CUDA error 4711");
}

TEST_CASE("faults of a candidate, and which of them kill the context") {
    struct Row {
        Result code;
        std::string kind;
        bool sticky;
    };
    for (const Row& row :
         {Row{illegal_address, "illegal_address", true}, Row{misaligned_address, "misaligned", true},
          Row{assert_failed, "assert", true}, Row{hardware_stack_error, "stack", true},
          Row{illegal_instruction, "illegal_instruction", true}, Row{launch_failed, "trap", true},
          Row{launch_timeout, "display_watchdog", true}, Row{launch_out_of_resources, "launch_resources", false},
          Row{cooperative_launch_too_large, "cooperative", false}, Row{invalid_cluster_size, "launch_config", false},
          Row{invalid_value, "launch_config", false}}) {
        CAPTURE(row.code);
        CHECK(fault_kind(row.code) == row.kind);
        CHECK(is_sticky(row.code) == row.sticky);
    }
}

TEST_CASE("other failures are not a candidate's") {
    for (const Result code :
         {success, out_of_memory, not_initialized, no_device, invalid_image, not_found, not_ready}) {
        CAPTURE(code);
        CHECK_FALSE(fault_kind(code).has_value());
        CHECK_FALSE(is_sticky(code));
    }
}

TEST_CASE("members of the table have the driver's names") {
    CHECK(std::string(exported_name("launch")) == "cuLaunchKernelEx");
    CHECK(std::string(exported_name("copy_to_host")) == "cuMemcpyDtoHAsync_v2");
}
