// One request after the other, until there are no more.
#pragma once

#include "protocol/channel.hpp"
#include "service/service.hpp"

namespace warpwright {

// Serves the channel; the process's exit code. Does not return when the context is dead: the driver could wait for ever
// for a kernel that does not end. Throws ProtocolError, std::system_error.
[[nodiscard]] int serve(Channel& channel, Service& service, bool once);

}  // namespace warpwright
