#include "memory/guarded_array.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "driver/error.hpp"

namespace warpwright::memory {

namespace {

// Compares memory with itself, one byte further on: as fast as memory can be read.
bool is_filled(const HostBytes& bytes, unsigned char value) {
    return bytes.empty() || (bytes[0] == value && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

// A guard where it lies on the device.
struct Guard {
    driver::DevicePointer address;
    std::size_t bytes;
    Side side;
};

// In pieces that fit in the staging buffer.
std::optional<GuardChange> check_guard(const Staging& staging, driver::Stream stream, const Guard& guard,
                                       unsigned char expected) {
    std::optional<GuardChange> found;
    for (std::size_t begin = 0; begin < guard.bytes; begin += Staging::capacity_bytes) {
        const std::size_t count = (std::min)(Staging::capacity_bytes, guard.bytes - begin);
        const auto change = inspect_guard(staging.read(stream, guard.address + begin, count), guard.side, expected);
        if (change) {
            const std::size_t nearer = guard.side == Side::before ? guard.bytes - begin - count : begin;
            const std::size_t offset = nearer + change->offset_bytes;
            found = {guard.side, change->bytes + (found ? found->bytes : 0),
                     found ? (std::min)(found->offset_bytes, offset) : offset};
        }
    }
    return found;
}

}  // namespace

std::optional<GuardChange> inspect_guard(const HostBytes& guard, Side side, unsigned char expected) {
    if (is_filled(guard, expected)) {
        return std::nullopt;
    }
    GuardChange change{side, 0, guard.size()};
    for (std::size_t i = 0; i < guard.size(); ++i) {
        if (guard[i] == expected) {
            continue;
        }
        const std::size_t distance = side == Side::before ? guard.size() - 1 - i : i;
        change.bytes += 1;
        change.offset_bytes = distance < change.offset_bytes ? distance : change.offset_bytes;
    }
    return change;
}

GuardedArray::GuardedArray(const driver::Api& api, DeviceBuffer buffer, MappedPages pages, Layout layout)
    : api_(&api), buffer_(std::move(buffer)), pages_(std::move(pages)), layout_(layout) {}

GuardedArray GuardedArray::in_allocation(const driver::Api& api, std::size_t payload_bytes, const Placing& placing) {
    DeviceBuffer buffer(api, allocation_bytes(payload_bytes, placing));
    const Layout layout = layout_in_allocation(payload_bytes, placing, buffer.address());
    return GuardedArray(api, std::move(buffer), MappedPages(), layout);
}

GuardedArray GuardedArray::in_pages(const driver::Api& api, driver::Device device, std::size_t payload_bytes,
                                    const Placing& placing) {
    const std::size_t granule = granule_bytes(api, device);
    const Layout layout = layout_in_pages(payload_bytes, placing, granule);
    MappedPages pages(api, device, layout.region_bytes, granule);
    return GuardedArray(api, DeviceBuffer(), std::move(pages), layout);
}

driver::DevicePointer GuardedArray::base() const {
    return buffer_.address() != 0 ? buffer_.address() : pages_.address();
}

void GuardedArray::fill_guards(driver::Stream stream, unsigned char value) const {
    const driver::Api& api = *api_;
    if (layout_.guard_before != 0) {
        WARPWRIGHT_CALL(api, fill_bytes, base(), value, layout_.guard_before, stream);
    }
    if (layout_.guard_after != 0) {
        WARPWRIGHT_CALL(api, fill_bytes, address() + layout_.payload_bytes, value, layout_.guard_after, stream);
    }
}

void GuardedArray::fill(driver::Stream stream, unsigned char value) const {
    const driver::Api& api = *api_;
    if (layout_.payload_bytes != 0) {
        WARPWRIGHT_CALL(api, fill_bytes, address(), value, layout_.payload_bytes, stream);
    }
}

std::vector<GuardChange> GuardedArray::check_guards(const Staging& staging, driver::Stream stream,
                                                    unsigned char expected) const {
    std::vector<GuardChange> changes;
    const Guard before{base(), layout_.guard_before, Side::before};
    const Guard after{address() + layout_.payload_bytes, layout_.guard_after, Side::after};
    for (const Guard& guard : {before, after}) {
        if (const auto change = check_guard(staging, stream, guard, expected)) {
            changes.push_back(*change);
        }
    }
    return changes;
}

}  // namespace warpwright::memory
