#include "memory/guarded_array.hpp"

#include <utility>

#include "driver/error.hpp"

namespace warpwright::memory {

std::optional<GuardChange> inspect_guard(const std::vector<unsigned char>& guard, Side side, unsigned char expected) {
    GuardChange change{side, 0, guard.size()};
    for (std::size_t i = 0; i < guard.size(); ++i) {
        if (guard[i] == expected) {
            continue;
        }
        const std::size_t distance = side == Side::before ? guard.size() - 1 - i : i;
        change.bytes += 1;
        change.offset_bytes = distance < change.offset_bytes ? distance : change.offset_bytes;
    }
    return change.bytes == 0 ? std::nullopt : std::optional<GuardChange>(change);
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

std::vector<GuardChange> GuardedArray::check_guards(driver::Stream stream, unsigned char expected) const {
    std::vector<GuardChange> changes;
    const std::vector<unsigned char> before = read_back(*api_, stream, base(), layout_.guard_before);
    if (const auto change = inspect_guard(before, Side::before, expected)) {
        changes.push_back(*change);
    }
    const driver::DevicePointer end = address() + layout_.payload_bytes;
    const std::vector<unsigned char> after = read_back(*api_, stream, end, layout_.guard_after);
    if (const auto change = inspect_guard(after, Side::after, expected)) {
        changes.push_back(*change);
    }
    return changes;
}

std::vector<unsigned char> read_back(const driver::Api& api, driver::Stream stream, driver::DevicePointer from,
                                     std::size_t bytes) {
    std::vector<unsigned char> copy(bytes);
    if (bytes != 0) {
        WARPWRIGHT_CALL(api, copy_to_host, copy.data(), from, bytes, stream);
        WARPWRIGHT_CALL(api, context_synchronize, );
    }
    return copy;
}

}  // namespace warpwright::memory
