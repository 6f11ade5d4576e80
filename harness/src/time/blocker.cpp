#include "time/blocker.hpp"

#include <atomic>

#include "driver/error.hpp"
#include "launch/own_kernel.hpp"

namespace warpwright::timing {
namespace {

constexpr std::uint64_t timeout_ns = 2'000'000'000;
constexpr std::size_t events = 2;
constexpr std::size_t clock_entries = 2;

// What the host and the kernel tell each other.
enum Word : std::size_t { released_word, timed_out_word, word_count };

}  // namespace

std::size_t UnitEntries::total() const { return fills + seals + poisons + cache + events + zeroings + launches; }

std::size_t units_per_part(const UnitEntries& unit) { return (most_entries - clock_entries) / unit.total(); }

Blocker::Blocker(const Machine& machine)
    : api_(machine.api),
      stream_(machine.context.stream()),
      function_(machine.module(own_module).function("ww_block")),
      words_(machine.api, word_count) {
    release();
}

// Before the words wait for the kernel that looks at them.
Blocker::~Blocker() { release(); }

void Blocker::hold() {
    words_.set(timed_out_word, 0);
    words_.set(released_word, 0);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    launch::launch_own(api_, function_, launch::Shape{1, 1, 0}, stream_, words_.address(released_word), timeout_ns,
                       words_.address(timed_out_word));
}

void Blocker::release() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    words_.set(released_word, 1);
}

bool Blocker::timed_out() const { return words_.get(timed_out_word) != 0; }

}  // namespace warpwright::timing
