// A driver call that failed, with its name, its code and what the driver says about it; and which failures kill a
// context.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "driver/api.hpp"

namespace warpwright::driver {

// Result codes that the harness tells apart. Source: CUDA Driver API, CUresult.
enum Code : Result {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    not_initialized = 3,
    no_device = 100,
    invalid_image = 200,
    no_binary_for_gpu = 209,
    not_found = 500,
    not_ready = 600,
    illegal_address = 700,
    launch_out_of_resources = 701,
    launch_timeout = 702,
    assert_failed = 710,
    hardware_stack_error = 714,
    illegal_instruction = 715,
    misaligned_address = 716,
    invalid_address_space = 717,
    invalid_pc = 718,
    launch_failed = 719,
    cooperative_launch_too_large = 720,
    not_supported = 801,
    invalid_cluster_size = 912,
};

class DriverError : public std::runtime_error {
public:
    DriverError(const Api& api, Result code, std::string call);

    [[nodiscard]] Result code() const { return code_; }
    // The exported name of the function: `cuLaunchKernelEx`.
    [[nodiscard]] const std::string& call() const { return call_; }
    // The driver's name of the code: `CUDA_ERROR_ILLEGAL_ADDRESS`.
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    Result code_;
    std::string call_;
    std::string name_;
};

// Throws DriverError unless code is success. call: the exported name.
void check(const Api& api, Result code, const char* call);

// True if the context is dead after this code: every later call would return it again.
[[nodiscard]] bool is_sticky(Result code);

// The wire's word for a failure that a candidate can cause (`illegal_address`, `trap`, `launch_config` ...); none:
// ours.
[[nodiscard]] std::optional<std::string> fault_kind(Result code);

}  // namespace warpwright::driver

// Calls a function of the table and checks it: WARPWRIGHT_CALL(api, launch, configuration, function, parameters,
// nullptr).
#define WARPWRIGHT_CALL(api, member, ...) \
    ::warpwright::driver::check((api), (api).member(__VA_ARGS__), ::warpwright::driver::exported_name(#member))

namespace warpwright::driver {
// The exported name of a member of Api: "launch" -> "cuLaunchKernelEx".
[[nodiscard]] const char* exported_name(const char* member);
}  // namespace warpwright::driver
