// Whether the GPU context is beyond use. After a kernel that does not end, freeing memory would wait for that kernel:
// owners of device memory leave everything to the end of the process instead, so that the reply still gets out.
#pragma once

namespace warpwright::memory {

void mark_context_lost(bool lost = true);

[[nodiscard]] bool context_is_lost();

}  // namespace warpwright::memory
