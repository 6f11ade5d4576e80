// How the process ends (docs/harness.md).
#pragma once

namespace warpwright {

inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;  // run-once: a request failed; else: standard error says why
inline constexpr int exit_usage = 2;
inline constexpr int exit_no_request = 64;
inline constexpr int exit_dead_context = 70;
inline constexpr int exit_no_driver = 71;

}  // namespace warpwright
