// The ways in which a request ends without a result (docs/harness.md): the candidate's fault, or an error that is not
// its own.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace warpwright {

// The candidate's: becomes {"fault": ...}. fatal: the context is dead, the process exits with 70 after the reply.
struct CandidateFault : std::runtime_error {
    CandidateFault(std::string kind_, const std::string& message, bool fatal_)
        : std::runtime_error(message), kind(std::move(kind_)), fatal(fatal_) {}

    std::string kind;
    bool fatal;
    std::string call;  // exported name of the driver function that reported it; empty: none did
    int code = 0;
    std::string code_name;
    std::optional<std::size_t> launch;  // index in the plan
    std::string entry;                  // symbol of that launch; empty: unknown
};

// A request that is no request, or asks for something that is not there: becomes {"error": {"kind": "request"}}.
struct RequestError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// What came is no request, and nothing after it can be understood. The process exits with 64.
struct ProtocolError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Not enough device memory for what was asked: becomes {"error": {"kind": "memory"}}.
struct MemoryShortage : std::runtime_error {
    MemoryShortage(const std::string& message, std::size_t needed, std::size_t free)
        : std::runtime_error(message), needed_bytes(needed), free_bytes(free) {}

    std::size_t needed_bytes;
    std::size_t free_bytes;
};

}  // namespace warpwright
