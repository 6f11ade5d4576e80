// An array between two guards: bytes that belong to nobody and must not change.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "driver/api.hpp"
#include "memory/device_buffer.hpp"
#include "memory/layout.hpp"
#include "memory/mapped_pages.hpp"
#include "memory/staging.hpp"
#include "protocol/host_bytes.hpp"

namespace warpwright::memory {

enum class Side { before, after };

// Guard bytes that are not as they were. offset_bytes: distance of the nearest one from the array's edge, 0 = adjacent.
struct GuardChange {
    Side side = Side::before;
    std::size_t bytes = 0;
    std::size_t offset_bytes = 0;
};

// Changed bytes of a guard that lies before or after its array; none: as filled.
[[nodiscard]] std::optional<GuardChange> inspect_guard(const HostBytes& guard, Side side, unsigned char expected);

class GuardedArray {
public:
    // In an ordinary allocation. Throws RequestError, MemoryShortage, DriverError.
    static GuardedArray in_allocation(const driver::Api& api, std::size_t payload_bytes, const Placing& placing);
    // With unmapped pages around it. Throws the same.
    static GuardedArray in_pages(const driver::Api& api, driver::Device device, std::size_t payload_bytes,
                                 const Placing& placing);

    // Of the first element; legal also for an array of no bytes.
    [[nodiscard]] driver::DevicePointer address() const { return base() + layout_.guard_before; }
    [[nodiscard]] std::size_t bytes() const { return layout_.payload_bytes; }
    [[nodiscard]] const Layout& layout() const { return layout_; }

    // Both queue work on the stream and return.
    void fill_guards(driver::Stream stream, unsigned char value) const;
    void fill(driver::Stream stream, unsigned char value) const;

    // Copies the guards to the host and compares them. Waits for the device; the stream must not hang.
    [[nodiscard]] std::vector<GuardChange> check_guards(const Staging& staging, driver::Stream stream,
                                                        unsigned char expected) const;

private:
    GuardedArray(const driver::Api& api, DeviceBuffer buffer, MappedPages pages, Layout layout);

    [[nodiscard]] driver::DevicePointer base() const;

    const driver::Api* api_;
    DeviceBuffer buffer_;
    MappedPages pages_;
    Layout layout_;
};

}  // namespace warpwright::memory
