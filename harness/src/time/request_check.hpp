// What must hold in a `time` request beyond the types of its fields.
#pragma once

#include "protocol/requests.hpp"

namespace warpwright::timing {

// Throws RequestError that names the field: indices out of range, an input without values, values for what is no input.
void check_request(const TimeRequest& request);

// Whether a launch of the plan takes that array.
[[nodiscard]] bool uses(const Plan& plan, const std::string& array);

}  // namespace warpwright::timing
