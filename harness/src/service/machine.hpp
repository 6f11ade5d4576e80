// What an operation works with: the open context and what has been loaded into it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "driver/context.hpp"
#include "driver/device_info.hpp"
#include "driver/module.hpp"
#include "memory/read_back.hpp"
#include "memory/staging.hpp"
#include "nvml/monitor.hpp"
#include "protocol/exchange.hpp"

namespace warpwright {

// The module that holds the harness's own kernels.
inline constexpr const char* own_module = "warpwright";

struct Machine {
    const driver::Api& api;
    driver::DeviceContext& context;
    const driver::DeviceInfo& device;
    const nvml::Monitor& monitor;
    std::map<std::string, driver::LoadedModule>& modules;
    // Why launches may not be held back by a blocker: a profiler or debugger serialises them. None: no such tool.
    std::optional<std::string> profiled;
    const memory::Staging& staging;
    Exchange* exchange = nullptr;  // where large outputs are put; null: they follow the reply

    // For arrays that go back with the reply.
    [[nodiscard]] memory::ReplyArrays reply_arrays() const { return {api, context.stream(), staging, exchange}; }

    // A loaded module. Throws RequestError that names those that are.
    [[nodiscard]] driver::LoadedModule& module(const std::string& name) const;
};

}  // namespace warpwright
