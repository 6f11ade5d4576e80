// Words of the host's memory that kernels see, too: what is told to a kernel that runs, or by one that ends the
// context.
#pragma once

#include <cstddef>
#include <cstdint>

#include "driver/api.hpp"

namespace warpwright::memory {

// Owns page-locked memory, all 0 at first.
class HostWords {
public:
    // The context is current. Throws DriverError.
    HostWords(const driver::Api& api, std::size_t count);
    // Waits for what may still look at them, unless the context is lost.
    ~HostWords();
    HostWords(const HostWords&) = delete;
    HostWords& operator=(const HostWords&) = delete;

    [[nodiscard]] std::uint32_t get(std::size_t index) const { return words_[index]; }
    void set(std::size_t index, std::uint32_t value) noexcept { words_[index] = value; }
    // Where a kernel finds that word.
    [[nodiscard]] driver::DevicePointer address(std::size_t index) const {
        return address_ + index * sizeof(std::uint32_t);
    }

private:
    const driver::Api& api_;
    volatile std::uint32_t* words_ = nullptr;
    driver::DevicePointer address_ = 0;
};

}  // namespace warpwright::memory
