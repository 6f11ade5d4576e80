#include "time/readings.hpp"

#include <algorithm>
#include <array>

namespace warpwright::timing {

void add_readings(const nvml::Reading& before, const nvml::Reading& after, BlockReply& reply,
                  std::map<std::string, std::string>& unavailable) {
    reply.throttle = before.throttle;
    if (after.throttle) {
        std::vector<std::string> reasons = before.throttle.value_or(std::vector<std::string>{});
        for (const std::string& reason : *after.throttle) {
            if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
                reasons.push_back(reason);
            }
        }
        reply.throttle = reasons;
    }
    reply.temperature_c = after.temperature_c ? after.temperature_c : before.temperature_c;
    reply.power_w = after.power_w ? after.power_w : before.power_w;
    const std::array<std::pair<const char*, bool>, 3> present{{{"throttle", reply.throttle.has_value()},
                                                               {"temperature_c", reply.temperature_c.has_value()},
                                                               {"power_w", reply.power_w.has_value()}}};
    for (const auto& [name, known] : present) {
        const auto reason = after.unavailable.find(name);
        if (!known && reason != after.unavailable.end()) {
            unavailable[name] = reason->second;
        }
    }
}

}  // namespace warpwright::timing
