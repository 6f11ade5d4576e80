// What `properties` prints.
#pragma once

#include <string>

#include "driver/api.hpp"

namespace warpwright {

// Every GPU of this machine as one indented JSON document: {"harness", "build", "driver_version", "devices": [...]}.
// Throws DriverError if the driver does not start: it has no GPU, or its kernel module is another version.
[[nodiscard]] std::string properties(const driver::Api& api);

}  // namespace warpwright
