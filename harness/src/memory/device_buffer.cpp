#include "memory/device_buffer.hpp"

#include <limits>
#include <string>
#include <utility>

#include "driver/error.hpp"
#include "memory/lost_context.hpp"
#include "protocol/faults.hpp"

namespace warpwright::memory {

DeviceBuffer::DeviceBuffer(const driver::Api& api, std::size_t bytes) : api_(&api), bytes_(bytes) {
    if (bytes == 0) {
        return;
    }
    const driver::Result code = api.memory_allocate(&address_, bytes);
    if (code == driver::out_of_memory) {
        const std::size_t available = free_bytes(api);
        throw MemoryShortage("the driver refused " + std::to_string(bytes) + " bytes of device memory; " +
                                 std::to_string(available) + " are free, not all of them in one piece",
                             bytes, available);
    }
    driver::check(api, code, driver::exported_name("memory_allocate"));
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : api_(other.api_), address_(std::exchange(other.address_, 0)), bytes_(std::exchange(other.bytes_, 0)) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
    if (this != &other) {
        release();
        api_ = other.api_;
        address_ = std::exchange(other.address_, 0);
        bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
}

DeviceBuffer::~DeviceBuffer() { release(); }

// The result is of no use here: after a sticky error it only repeats that error.
void DeviceBuffer::release() noexcept {
    if (address_ != 0 && !context_is_lost()) {
        static_cast<void>(api_->memory_free(address_));
    }
    address_ = 0;
    bytes_ = 0;
}

std::size_t free_bytes(const driver::Api& api) {
    std::size_t available = 0;
    std::size_t total = 0;
    WARPWRIGHT_CALL(api, memory_info, &available, &total);
    return available;
}

void require_free(const driver::Api& api, std::size_t needed, const char* purpose) {
    const std::size_t available = free_bytes(api);
    if (needed > available) {
        throw MemoryShortage(std::string(purpose) + " need " + std::to_string(needed) + " bytes of device memory, " +
                                 std::to_string(available) + " are free",
                             needed, available);
    }
}

std::size_t saturating_add(std::size_t a, std::size_t b) {
    const std::size_t largest = (std::numeric_limits<std::size_t>::max)();
    return a > largest - b ? largest : a + b;
}

}  // namespace warpwright::memory
