// One side of a comparison, ready to be launched on every set.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "launch/launcher.hpp"
#include "service/machine.hpp"
#include "time/sets.hpp"

namespace warpwright::timing {

// What is known from its launches so far.
struct History {
    bool launched = false;
    // Median of its last block, or its only launch yet.
    std::optional<double> unit_us;
    // Wall clock of its last block per launch, everything around the launches included.
    std::optional<double> wall_s;
};

class TimedContestant {
public:
    // machine must outlive this. Throws RequestError, CandidateFault (limits that the GPU refuses), DriverError.
    TimedContestant(const Machine& machine, const TimeRequest& request, const Contestant& contestant,
                    const ArraySets& sets);

    // Queues the unit: `zeroed` outputs become 0, then the launches. Throws CandidateFault.
    void enqueue(std::size_t set);
    // Queues the copies that give its writable variables their image again.
    void restore_globals() const;

    // The launch that a fault comes from, if there is only one that it can be.
    [[nodiscard]] launch::Origin origin() const;
    [[nodiscard]] std::size_t launches() const { return plans_.front().size(); }
    [[nodiscard]] std::size_t zeroed_arrays() const { return zeroed_.size(); }

    History history;

private:
    const Machine& machine_;
    const driver::LoadedModule& module_;
    const ArraySets& sets_;
    // array index, bytes
    std::vector<std::pair<std::size_t, std::size_t>> zeroed_;
    std::vector<launch::PreparedPlan> plans_;
};

}  // namespace warpwright::timing
