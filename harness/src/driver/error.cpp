#include "driver/error.hpp"

#include <cstring>
#include <utility>

namespace warpwright::driver {
namespace {

std::string name_of(const Api& api, Result code) {
    const char* text = nullptr;
    if (api.error_name == nullptr || api.error_name(code, &text) != success || text == nullptr) {
        return "CUDA error " + std::to_string(code);
    }
    return text;
}

std::string text_of(const Api& api, Result code) {
    const char* text = nullptr;
    if (api.error_string == nullptr || api.error_string(code, &text) != success || text == nullptr) {
        return "the driver has no text for this code";
    }
    return text;
}

struct FaultRow {
    Result code;
    const char* kind;
    bool sticky;
};

// Failures that a candidate can cause. Source: CUDA Driver API, CUresult: those after which "the process must be
// terminated and relaunched" are sticky. 718 and 717 are wild pointers of other kinds than 700; 719 is what a trap
// gives, and every exception that has no code of its own.
constexpr FaultRow fault_rows[] = {
    {invalid_value, "launch_config", false},
    {illegal_address, "illegal_address", true},
    {launch_out_of_resources, "launch_resources", false},
    {launch_timeout, "display_watchdog", true},
    {assert_failed, "assert", true},
    {hardware_stack_error, "stack", true},
    {illegal_instruction, "illegal_instruction", true},
    {misaligned_address, "misaligned", true},
    {invalid_address_space, "illegal_address", true},
    {invalid_pc, "illegal_instruction", true},
    {launch_failed, "trap", true},
    {cooperative_launch_too_large, "cooperative", false},
    {invalid_cluster_size, "launch_config", false},
};

const FaultRow* find_fault(Result code) {
    for (const FaultRow& row : fault_rows) {
        if (row.code == code) {
            return &row;
        }
    }
    return nullptr;
}

}  // namespace

DriverError::DriverError(const Api& api, Result code, std::string call)
    : std::runtime_error(call + " failed: " + name_of(api, code) + " (" + std::to_string(code) +
                         "): " + text_of(api, code)),
      code_(code),
      call_(std::move(call)),
      name_(name_of(api, code)) {}

void check(const Api& api, Result code, const char* call) {
    if (code != success) {
        throw DriverError(api, code, call);
    }
}

bool is_sticky(Result code) {
    const FaultRow* row = find_fault(code);
    return row != nullptr && row->sticky;
}

std::optional<std::string> fault_kind(Result code) {
    const FaultRow* row = find_fault(code);
    return row == nullptr ? std::nullopt : std::optional<std::string>(row->kind);
}

const char* exported_name(const char* member) {
#define WARPWRIGHT_NAME(field, name, parameters) \
    if (std::strcmp(member, #field) == 0) {      \
        return name;                             \
    }
    WARPWRIGHT_DRIVER_FUNCTIONS(WARPWRIGHT_NAME)
#undef WARPWRIGHT_NAME
    return member;
}

}  // namespace warpwright::driver
