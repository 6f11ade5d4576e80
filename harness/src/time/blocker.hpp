// Holds the stream until the host has queued a whole block, so that no sample contains a wait for the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory/host_words.hpp"
#include "service/machine.hpp"

namespace warpwright::timing {

// Entries that may stand behind a blocker. The driver's queue holds about 1,000; a full one would never drain.
inline constexpr std::size_t most_entries = 100;

// What one unit puts into the queue beside its two events: counts of entries.
struct UnitEntries {
    std::size_t fills = 0;     // inputs made before it
    std::size_t seals = 0;     // comparisons of those that came from a pool
    std::size_t poisons = 0;   // outputs, scratch and shared memory poisoned before it
    std::size_t cache = 0;     // flushes with one demotion for each array, or reads, before it
    std::size_t zeroings = 0;  // `zeroed` outputs
    std::size_t launches = 0;  // of the plan

    [[nodiscard]] std::size_t total() const;
};

// Units that may be queued behind one blocker, the clock's entries behind them included; 0: not even one.
[[nodiscard]] std::size_t units_per_part(const UnitEntries& unit);

// Owns the flag, in host memory that the GPU sees. Its destructor lets the stream go.
class Blocker {
public:
    // Throws RequestError if the own kernels are missing, DriverError.
    explicit Blocker(const Machine& machine);
    ~Blocker();
    Blocker(const Blocker&) = delete;
    Blocker& operator=(const Blocker&) = delete;

    // Queues the kernel that waits. The kernel of the hold before must have ended.
    void hold();
    // Lets the stream go; harmless if nothing holds it.
    void release() noexcept;
    // Whether the kernel gave up since the last hold: the host took longer than 2 s. Only after it has ended.
    [[nodiscard]] bool timed_out() const;

private:
    const driver::Api& api_;
    driver::Stream stream_;
    driver::Function function_;
    memory::HostWords words_;
};

}  // namespace warpwright::timing
