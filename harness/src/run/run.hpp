// The `run` operation: a plan once, between guards (docs/harness.md, "What `run` does").
#pragma once

#include "protocol/replies.hpp"
#include "protocol/requests.hpp"
#include "service/machine.hpp"

namespace warpwright {

// Throws CandidateFault, MemoryShortage, RequestError, driver::DriverError.
[[nodiscard]] RunReply run(Machine& machine, const RunRequest& request);

}  // namespace warpwright
