// Result codes of the driver, by the names that settings use. Source: CUDA Driver API, CUresult.
#pragma once

#include <optional>
#include <string>

#include "driver/api.hpp"

namespace warpwright::standin {

using driver::Result;

struct Code {
    Result number;
    const char* name;   // as cuGetErrorName gives it
    const char* text;   // as cuGetErrorString gives it
    const char* alias;  // as settings name it; empty: by number only
    bool sticky;        // kills the context
};

inline constexpr Result success = 0;
inline constexpr Result invalid_value = 1;
inline constexpr Result out_of_memory = 2;
inline constexpr Result not_initialized = 3;
inline constexpr Result invalid_device = 101;
inline constexpr Result invalid_image = 200;
inline constexpr Result invalid_handle = 400;
inline constexpr Result not_found = 500;
inline constexpr Result not_ready = 600;
inline constexpr Result illegal_address = 700;
inline constexpr Result launch_out_of_resources = 701;
inline constexpr Result launch_failed = 719;
inline constexpr Result cooperative_launch_too_large = 720;
inline constexpr Result not_supported = 801;
inline constexpr Result invalid_cluster_size = 912;

// The row of a code; null: unknown.
[[nodiscard]] const Code* find_code(Result number);

// A code by its alias (`illegal_address`) or its driver name; none: unknown.
[[nodiscard]] std::optional<Result> code_by_name(const std::string& name);

}  // namespace warpwright::standin
