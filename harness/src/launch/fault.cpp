#include "launch/fault.hpp"

namespace warpwright::launch {

void throw_fault(const driver::DriverError& error, const Origin& origin) {
    const std::optional<std::string> kind = driver::fault_kind(error.code());
    if (!kind) {
        throw error;
    }
    std::string where;
    if (origin.launch) {
        where = "launch " + std::to_string(*origin.launch) + " (" + origin.entry + "): ";
    }
    CandidateFault fault(*kind, where + error.what(), driver::is_sticky(error.code()));
    fault.call = error.call();
    fault.code = error.code();
    fault.code_name = error.name();
    fault.launch = origin.launch;
    fault.entry = origin.entry;
    throw fault;
}

}  // namespace warpwright::launch
