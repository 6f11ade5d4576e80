// One launch as it really happens: the kernel's answer and what its behaviour makes of it.
#pragma once

#include <cstdint>

#include "module.hpp"

namespace warpwright::standin {

// Runs on the stream's thread. launch: how many of this kernel came before. Returns what the launch did to the context.
[[nodiscard]] Result execute(driver::OpaqueFunction& function, const Call& call, std::uint64_t launch,
                             driver::OpaqueStream& stream);

}  // namespace warpwright::standin
