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

// Nothing is a candidate's fault before a kernel of its own has been launched: what fails until then is ours.
// A process carries out one request at a time.
void begin_request();
void note_candidate_launch();
[[nodiscard]] bool candidate_was_launched();

// Throws CandidateFault if a candidate has caused that failure, else the error itself.
[[noreturn]] void throw_fault(const driver::DriverError& error, const Origin& origin);

}  // namespace warpwright::launch
