// What a GPU and its driver can do beyond the least that is needed.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "driver/api.hpp"
#include "driver/device_info.hpp"
#include "nvml/monitor.hpp"

namespace warpwright {

// capability -> why it is missing; none: it is there. monitor: of this GPU.
[[nodiscard]] std::map<std::string, std::optional<std::string>> capabilities(const driver::Api& api,
                                                                             const driver::DeviceInfo& device,
                                                                             const nvml::Monitor& monitor);

}  // namespace warpwright
