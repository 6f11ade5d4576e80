// Reasons why a GPU does not run at its highest clock.
#pragma once

#include <string>
#include <vector>

namespace warpwright::nvml {

// The reasons in a mask of nvmlClocksEventReasons, in the order of their bits: `sw_power_cap`, `hw_thermal_slowdown`
// ...; a bit without a name is `bit_N`.
[[nodiscard]] std::vector<std::string> throttle_names(unsigned long long bits);

}  // namespace warpwright::nvml
