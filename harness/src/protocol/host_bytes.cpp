#include "protocol/host_bytes.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

namespace warpwright {

HostBytes::HostBytes(std::size_t bytes) : bytes_(bytes) {
    if (bytes > static_cast<std::size_t>(PTRDIFF_MAX)) {  // sanitizers end a process that asks
        throw std::bad_alloc();
    }
    if (bytes != 0) {
        const std::shared_ptr<unsigned char[]> memory(new unsigned char[bytes]);
        first_ = memory.get();
        owner_ = std::shared_ptr<const void>(memory, first_);
    }
}

HostBytes::HostBytes(Bytes bytes) {
    const auto memory = std::make_shared<Bytes>(std::move(bytes));
    first_ = memory->data();
    bytes_ = memory->size();
    owner_ = memory;
}

HostBytes::HostBytes(std::shared_ptr<const void> owner, unsigned char* first, std::size_t bytes)
    : owner_(std::move(owner)), first_(first), bytes_(bytes) {}

HostBytes HostBytes::without_front(std::size_t count) const {
    const std::size_t left_out = (std::min)(count, bytes_);
    return {owner_, first_ + left_out, bytes_ - left_out};
}

bool operator==(const HostBytes& a, const HostBytes& b) {
    return a.bytes_ == b.bytes_ && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace warpwright
