#include "nvml/throttle.hpp"

#include <array>

namespace warpwright::nvml {
namespace {

// By bit number. Source: nvml.h, nvmlClocksEventReasons.
constexpr std::array<const char*, 9> names{
    "gpu_idle",
    "applications_clocks_setting",
    "sw_power_cap",
    "hw_slowdown",
    "sync_boost",
    "sw_thermal_slowdown",
    "hw_thermal_slowdown",
    "hw_power_brake_slowdown",
    "display_clock_setting",
};

}  // namespace

std::vector<std::string> throttle_names(unsigned long long bits) {
    std::vector<std::string> found;
    for (unsigned bit = 0; bit < 64; ++bit) {
        if ((bits >> bit & 1ULL) != 0) {
            found.push_back(bit < names.size() ? names[bit] : "bit_" + std::to_string(bit));
        }
    }
    return found;
}

}  // namespace warpwright::nvml
