// Device memory with unmapped pages on both sides: whatever reaches further than its guards faults at once.
#pragma once

#include <cstddef>

#include "driver/api.hpp"

namespace warpwright::memory {

// The unit in which a device maps memory (2 MiB on today's GPUs). Throws DriverError, also if the driver has no virtual
// memory management (`not_supported`).
[[nodiscard]] std::size_t granule_bytes(const driver::Api& api, driver::Device device);

// Owns a range of addresses of which the middle is mapped and one granule on either side is not.
class MappedPages {
public:
    MappedPages() = default;
    // bytes: a multiple of the granule. Throws MemoryShortage or DriverError.
    MappedPages(const driver::Api& api, driver::Device device, std::size_t bytes, std::size_t granule);
    MappedPages(MappedPages&& other) noexcept;
    MappedPages& operator=(MappedPages&& other) noexcept;
    MappedPages(const MappedPages&) = delete;
    MappedPages& operator=(const MappedPages&) = delete;
    ~MappedPages();

    // Of the first mapped byte.
    [[nodiscard]] driver::DevicePointer address() const { return reserved_ + granule_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    void map(driver::Device device);
    void release() noexcept;
    void swap(MappedPages& other) noexcept;

    const driver::Api* api_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t granule_ = 0;
    driver::DevicePointer reserved_ = 0;
    driver::AllocationHandle handle_ = 0;
    bool created_ = false;
    bool mapped_ = false;
};

}  // namespace warpwright::memory
