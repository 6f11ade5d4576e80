// What NVML said at the borders of a block, as the reply gives it.
#pragma once

#include <map>
#include <string>

#include "nvml/monitor.hpp"
#include "protocol/replies.hpp"

namespace warpwright::timing {

// Throttle reasons that held at either border; temperature and power at the end, or at the beginning if only that is
// known. What is missing at both gets its reason in `unavailable`.
void add_readings(const nvml::Reading& before, const nvml::Reading& after, BlockReply& reply,
                  std::map<std::string, std::string>& unavailable);

}  // namespace warpwright::timing
