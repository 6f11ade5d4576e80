// Page-locked host memory that small copies go through: the GPU writes into it without the driver's help.
#pragma once

#include <cstddef>

#include "driver/api.hpp"
#include "protocol/host_bytes.hpp"

namespace warpwright::memory {

// One buffer, for as long as the context lives. Larger than both guards of an array together.
class Staging {
public:
    static constexpr std::size_t capacity_bytes = std::size_t{4} << 20;

    // The context is current. Throws DriverError.
    explicit Staging(const driver::Api& api);
    ~Staging();
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    // Copies device memory here and waits for it; bytes: capacity_bytes at most. Valid until the next call.
    // Throws DriverError.
    [[nodiscard]] HostBytes read(driver::Stream stream, driver::DevicePointer from, std::size_t bytes) const;

private:
    const driver::Api& api_;
    void* memory_ = nullptr;
};

}  // namespace warpwright::memory
