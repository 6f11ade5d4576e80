// The log's line for one launch: where, when, on which values.
#pragma once

#include <cstdint>

#include <nlohmann/json.hpp>

#include "module.hpp"

namespace warpwright::standin {

class LaunchRecord {
public:
    // Before the launch: looks at its inputs and at what its outputs hold.
    LaunchRecord(const driver::OpaqueFunction& function, const Call& call, std::uint64_t launch,
                 const driver::OpaqueStream& stream);
    // After it.
    void write(Result code);

private:
    const driver::OpaqueStream& stream_;
    nlohmann::ordered_json line_;
};

}  // namespace warpwright::standin
