// The `time` operation: a schedule of blocks (docs/harness.md, "What `time` does").
#pragma once

#include "protocol/replies.hpp"
#include "protocol/requests.hpp"
#include "service/machine.hpp"

namespace warpwright {

// Throws CandidateFault, MemoryShortage, RequestError, driver::DriverError.
[[nodiscard]] TimeReply time(Machine& machine, const TimeRequest& request);

}  // namespace warpwright
