#include "launch/fault.hpp"

namespace warpwright::launch {

CandidateFault make_fault(const std::string& kind, const std::string& message, const driver::DriverError& error,
                          const Origin& origin) {
    std::string where;
    if (origin.launch) {
        where = "launch " + std::to_string(*origin.launch) + " (" + origin.entry + "): ";
    }
    CandidateFault fault(kind, where + message, driver::is_sticky(error.code()));
    fault.call = error.call();
    fault.code = error.code();
    fault.code_name = error.name();
    fault.launch = origin.launch;
    fault.entry = origin.entry;
    return fault;
}

void throw_fault(const driver::DriverError& error, const Origin& origin) {
    const std::optional<std::string> kind = driver::fault_kind(error.code());
    if (!kind) {
        throw error;
    }
    throw make_fault(*kind, error.what(), error, origin);
}

}  // namespace warpwright::launch
