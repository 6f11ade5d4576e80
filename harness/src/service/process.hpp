// What the process needs of its operating system, whichever operation it serves.
#pragma once

#include <optional>
#include <string>

namespace warpwright {

// No core dumps (they would hold device memory), no death by a closed pipe or by a file that may not grow so large, and
// an end when the parent ends, even in the middle of a kernel that never does. Call once, first.
void prepare_process();

// What the driver reads in the environment when it is loaded, unless it is set already: modules are loaded at once and
// not at the first launch, which may wait behind a blocker.
void prepare_driver();

// The profiler, sanitizer or debugger under which this process runs, in words; none: none that is known. Such tools
// serialise launches: a launch behind a blocker would wait for it for ever.
[[nodiscard]] std::optional<std::string> launch_serialiser();

}  // namespace warpwright
