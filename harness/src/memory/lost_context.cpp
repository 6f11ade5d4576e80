#include "memory/lost_context.hpp"

#include <atomic>

namespace warpwright::memory {

namespace {
std::atomic<bool> lost_flag{false};
}  // namespace

void mark_context_lost(bool lost) { lost_flag.store(lost); }

bool context_is_lost() { return lost_flag.load(); }

}  // namespace warpwright::memory
