// Everything that the blocks of one request share: memory, own kernels, contestants, events.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "launch/event.hpp"
#include "launch/shared_filler.hpp"
#include "launch/watch.hpp"
#include "nvml/monitor.hpp"
#include "time/blocker.hpp"
#include "time/clocks.hpp"
#include "time/contestant.hpp"
#include "time/flush.hpp"
#include "time/kept.hpp"
#include "time/resident_inputs.hpp"
#include "time/sets.hpp"

namespace warpwright::timing {

// How one launch's own time is taken.
struct EventPair {
    launch::Event start;
    launch::Event stop;
};

class Stage {
public:
    // Compares the need with the free memory, then allocates. machine, request must outlive this.
    // Throws MemoryShortage, RequestError, CandidateFault (limits that the GPU refuses), DriverError.
    Stage(const Machine& machine_, const TimeRequest& request_);

    // Launches every own kernel once, then keeps the GPU busy for spin_ms. Waits.
    void warm_up();
    // Keeps the GPU busy for that long. Waits.
    void keep_busy(double milliseconds) const;
    // Waits for everything queued. origin: whose fault it is if that does not end.
    void finish(const launch::Origin& origin) const;

    // Queues what makes L2 cold or warm, as the request says, for a launch on that set.
    void enqueue_cache_state(std::size_t set) const;

    [[nodiscard]] UnitEntries unit_entries(const Block& block) const;

    const Machine& machine;
    const TimeRequest& request;
    launch::Deadline deadline;
    Flush flush;
    ArraySets sets;
    ResidentInputs inputs;
    KeptOutputs kept;
    Clocks clocks;
    Blocker blocker;
    launch::SharedFiller shared_filler;
    std::vector<TimedContestant> contestants;
    std::vector<EventPair> events;
    // What NVML said behind the last block.
    std::optional<nvml::Reading> last_reading;

private:
    void make_cold(std::size_t set) const;
    void make_warm(std::size_t set) const;

    launch::Event done_;
};

}  // namespace warpwright::timing
