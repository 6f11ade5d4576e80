// Outputs of the launches that are to be verified.
#pragma once

#include <cstddef>
#include <vector>

#include "memory/device_buffer.hpp"
#include "protocol/replies.hpp"
#include "service/machine.hpp"
#include "time/sets.hpp"

namespace warpwright::timing {

// Device memory for what one block puts aside, the largest of all blocks.
[[nodiscard]] std::size_t aside_bytes(const TimeRequest& request);

// Arrays that come back of one launch.
[[nodiscard]] std::size_t output_count(const std::vector<ArraySpec>& arrays);

class KeptOutputs {
public:
    // machine, request, sets must outlive this. Throws MemoryShortage, DriverError.
    KeptOutputs(const Machine& machine, const TimeRequest& request, const ArraySets& sets);

    // Queues the copies of a launch's outputs to where later launches do not reach.
    void put_aside(const Block& block, std::size_t launch) const;
    // Queues the overwriting of what was put aside: outputs that are right must not lie in reach of a later launch.
    void scrub() const;
    // Copies the outputs of a block's kept launches to the host. Waits for the stream.
    void collect(std::size_t block_index, std::vector<KeptOutput>& into) const;

private:
    [[nodiscard]] driver::DevicePointer slot(const Block& block, std::size_t launch) const;

    const Machine& machine_;
    const TimeRequest& request_;
    const ArraySets& sets_;
    memory::DeviceBuffer aside_;
};

}  // namespace warpwright::timing
