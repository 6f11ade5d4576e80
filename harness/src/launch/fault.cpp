#include "launch/fault.hpp"

namespace warpwright::launch {

namespace {

bool launched_flag = false;

std::string explained(const std::string& message, driver::Result code) {
    return code == driver::launch_failed ? "a trap, or an exception that the driver does not name: " + message
                                         : message;
}

}  // namespace

void begin_request() { launched_flag = false; }

void note_candidate_launch() { launched_flag = true; }

bool candidate_was_launched() { return launched_flag; }

CandidateFault make_fault(const std::string& kind, const std::string& message, const driver::DriverError& error,
                          const Origin& origin) {
    std::string where;
    if (origin.launch) {
        where = "launch " + std::to_string(*origin.launch) + " (" + origin.entry + "): ";
    }
    CandidateFault fault(kind, where + explained(message, error.code()), driver::is_sticky(error.code()));
    fault.call = error.call();
    fault.code = error.code();
    fault.code_name = error.name();
    fault.launch = origin.launch;
    fault.entry = origin.entry;
    return fault;
}

void throw_fault(const driver::DriverError& error, const Origin& origin) {
    const std::optional<std::string> kind = driver::fault_kind(error.code());
    if (!kind || (driver::is_sticky(error.code()) && !candidate_was_launched())) {
        throw error;
    }
    throw make_fault(*kind, error.what(), error, origin);
}

}  // namespace warpwright::launch
