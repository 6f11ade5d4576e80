// Values of inputs, made or copied without the host: pools lie on the device, since a copy from host memory would wait
// for a stream that the blocker holds. A candidate that finds a pool can write to it, so what comes from one is
// compared with what was uploaded before every launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "memory/device_buffer.hpp"
#include "memory/input_source.hpp"
#include "service/machine.hpp"
#include "time/seal.hpp"
#include "time/sets.hpp"

namespace warpwright::timing {

// Device memory that the pools take.
[[nodiscard]] std::size_t pool_bytes(const std::vector<ArraySpec>& arrays);

class ResidentInputs {
public:
    // Uploads the pools and takes their sums. No candidate runs meanwhile. machine, arrays must outlive this.
    // Throws MemoryShortage, RequestError, DriverError.
    ResidentInputs(const Machine& machine, const std::vector<ArraySpec>& arrays);

    // Queues the making of a launch's inputs in a set. The context dies if what came from a pool is not as uploaded.
    void fill(const Values& values, const ArraySets& sets, std::size_t set) const;
    // Queue entries of that beside one for each input.
    [[nodiscard]] std::size_t checking_entries() const;
    // Whether the context died of that.
    [[nodiscard]] bool changed() const { return seal_ && seal_->broken(); }

private:
    struct Entry {
        memory::DeviceBuffer memory;
        std::uint64_t sum = 0;
    };

    [[nodiscard]] bool is_pooled(std::size_t array) const;
    [[nodiscard]] Entry upload(std::size_t array, std::size_t index) const;

    const Machine& machine_;
    const std::vector<ArraySpec>& specs_;
    memory::InputSource source_;
    std::optional<Seal> seal_;  // none: there is no pool with a byte in it
    std::vector<std::vector<Entry>> pools_;
};

}  // namespace warpwright::timing
