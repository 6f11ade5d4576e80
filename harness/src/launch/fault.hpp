// From a failed driver call to a fault of the candidate.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "driver/error.hpp"
#include "protocol/faults.hpp"

namespace warpwright::launch {

// Which launch of a plan it was; none: unknown.
struct Origin {
    std::optional<std::size_t> launch;
    std::string entry;
};

// A fault with everything that is known about its cause. kind: the wire's word.
[[nodiscard]] CandidateFault make_fault(const std::string& kind, const std::string& message,
                                        const driver::DriverError& error, const Origin& origin);

// Throws CandidateFault if a candidate can cause that failure, else the error itself.
[[noreturn]] void throw_fault(const driver::DriverError& error, const Origin& origin);

}  // namespace warpwright::launch
