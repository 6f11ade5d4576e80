// Device memory from the driver's ordinary allocator.
#pragma once

#include <cstddef>

#include "driver/api.hpp"

namespace warpwright::memory {

// Owns one allocation; empty buffers own nothing and have address 0. The driver aligns to 256 bytes at least.
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    // Throws MemoryShortage if the driver has not that much, DriverError otherwise.
    DeviceBuffer(const driver::Api& api, std::size_t bytes);
    DeviceBuffer(DeviceBuffer&& other) noexcept;
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    ~DeviceBuffer();

    [[nodiscard]] driver::DevicePointer address() const { return address_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    void release() noexcept;

    const driver::Api* api_ = nullptr;
    driver::DevicePointer address_ = 0;
    std::size_t bytes_ = 0;
};

// Bytes that an allocation could still get.
[[nodiscard]] std::size_t free_bytes(const driver::Api& api);

// Throws MemoryShortage unless that many bytes are free. purpose: what they are for, as in "the arrays of this run".
void require_free(const driver::Api& api, std::size_t needed, const char* purpose);

// a + b, or the largest value where that does not fit: sums of sizes must never wrap around.
[[nodiscard]] std::size_t saturating_add(std::size_t a, std::size_t b);

}  // namespace warpwright::memory
