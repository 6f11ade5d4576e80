// Bytes on the host: small ones by value, large ones behind an owner, so that they are neither zeroed nor copied.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace warpwright {

using Bytes = std::vector<unsigned char>;

// A range of bytes and a share in whatever holds them: memory or a mapped file. Copies see the same bytes, which are
// written once, by whoever made the range.
class HostBytes {
public:
    HostBytes() = default;
    // Memory of its own, not initialised. Throws std::bad_alloc.
    explicit HostBytes(std::size_t bytes);
    HostBytes(Bytes bytes);
    // Bytes that `owner` holds.
    HostBytes(std::shared_ptr<const void> owner, unsigned char* first, std::size_t bytes);

    [[nodiscard]] unsigned char* data() const { return first_; }
    [[nodiscard]] std::size_t size() const { return bytes_; }
    [[nodiscard]] bool empty() const { return bytes_ == 0; }
    [[nodiscard]] unsigned char operator[](std::size_t index) const { return first_[index]; }
    [[nodiscard]] const unsigned char* begin() const { return first_; }
    [[nodiscard]] const unsigned char* end() const { return first_ + bytes_; }

    // The same bytes but for the first `count`; at most all of them.
    [[nodiscard]] HostBytes without_front(std::size_t count) const;

    friend bool operator==(const HostBytes& a, const HostBytes& b);

private:
    std::shared_ptr<const void> owner_;
    unsigned char* first_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace warpwright
