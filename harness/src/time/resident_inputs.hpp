// Values of inputs, made or copied without the host: pools lie on the device, since a copy from host memory would wait
// for a stream that the blocker holds.
#pragma once

#include <cstddef>
#include <vector>

#include "memory/device_buffer.hpp"
#include "memory/input_source.hpp"
#include "service/machine.hpp"

namespace warpwright::timing {

// Device memory that the pools take.
[[nodiscard]] std::size_t pool_bytes(const std::vector<ArraySpec>& arrays);

class ResidentInputs {
public:
    // Uploads the pools. machine, arrays must outlive this. Throws MemoryShortage, RequestError, DriverError.
    ResidentInputs(const Machine& machine, const std::vector<ArraySpec>& arrays);

    // Queues the making of one input's values at that address. array: its index.
    void fill(std::size_t array, const InputValue& value, driver::DevicePointer to) const;

private:
    const Machine& machine_;
    const std::vector<ArraySpec>& specs_;
    memory::InputSource source_;
    std::vector<std::vector<memory::DeviceBuffer>> pools_;
};

}  // namespace warpwright::timing
