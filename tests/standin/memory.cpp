#include "memory.hpp"

#include "pages.hpp"

namespace warpwright::standin {

namespace {

// What a plain allocation takes from the GPU's memory. Source: allocations of the driver are multiples of 512 bytes.
std::size_t rounded(std::size_t bytes) { return (bytes + 511) / 512 * 512; }

void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }

std::uint64_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

template <class Map>
bool inside(const Map& spans, std::uint64_t address, std::size_t bytes) {
    auto after = spans.upper_bound(address);
    if (after == spans.begin()) {
        return false;
    }
    const auto& [start, length] = *--after;
    return address - start <= length && bytes <= length - (address - start);
}

}  // namespace

void Memory::reset(std::uint64_t total_bytes, std::size_t granule) {
    const std::lock_guard lock(mutex_);
    granule_ = granule;
    total_ = total_bytes;
    used_ = 0;
    plain_.clear();  // what is still there may be in use by a kernel that never ends: it is left alone
    host_.clear();
    ranges_.clear();
    physical_.clear();
    mappings_.clear();
}

std::size_t Memory::granule() const {
    const std::lock_guard lock(mutex_);
    return granule_;
}

std::uint64_t Memory::total_bytes() const {
    const std::lock_guard lock(mutex_);
    return total_;
}

std::uint64_t Memory::free_bytes() const {
    const std::lock_guard lock(mutex_);
    return total_ - used_;
}

std::size_t Memory::alive() const {
    const std::lock_guard lock(mutex_);
    return plain_.size() + host_.size() + ranges_.size() + physical_.size();
}

Result Memory::allocate(std::uint64_t& address, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes == 0) {
        return invalid_value;
    }
    if (bytes > total_ - used_ || rounded(bytes) > total_ - used_) {
        return out_of_memory;
    }
    void* const memory = allocate_plain(rounded(bytes));
    if (memory == nullptr) {
        return out_of_memory;
    }
    address = number(memory);
    plain_[address] = bytes;
    used_ += rounded(bytes);
    return success;
}

Result Memory::free(std::uint64_t address) {
    const std::lock_guard lock(mutex_);
    const auto found = plain_.find(address);
    if (found == plain_.end()) {
        return address == 0 ? success : invalid_value;
    }
    used_ -= rounded(found->second);
    free_plain(pointer(address), rounded(found->second));
    plain_.erase(found);
    return success;
}

Result Memory::allocate_host(void*& address, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes == 0) {
        return invalid_value;
    }
    address = allocate_plain(bytes);
    if (address == nullptr) {
        return out_of_memory;
    }
    host_[number(address)] = bytes;
    return success;
}

Result Memory::free_host(void* address) {
    const std::lock_guard lock(mutex_);
    const auto found = host_.find(number(address));
    if (found == host_.end()) {
        return invalid_value;
    }
    free_plain(address, found->second);
    host_.erase(found);
    return success;
}

bool Memory::is_host(const void* address) const {
    const std::lock_guard lock(mutex_);
    return host_.count(number(address)) == 1;
}

Result Memory::reserve(std::uint64_t& address, std::size_t bytes, std::size_t alignment) {
    const std::lock_guard lock(mutex_);
    if (!has_absent_pages()) {
        return not_supported;
    }
    if (bytes == 0 || bytes % granule_ != 0) {
        return invalid_value;
    }
    void* const range = reserve_range(bytes, alignment < granule_ ? granule_ : alignment);
    if (range == nullptr) {
        return out_of_memory;
    }
    address = number(range);
    ranges_[address] = bytes;
    return success;
}

Result Memory::free_range(std::uint64_t address, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = ranges_.find(address);
    const auto mapped = mappings_.lower_bound(address);
    const bool in_use = mapped != mappings_.end() && mapped->first < address + bytes;
    if (found == ranges_.end() || found->second != bytes || in_use) {
        return invalid_value;
    }
    release_range(pointer(address), bytes);
    ranges_.erase(found);
    return success;
}

Result Memory::create(std::uint64_t& handle, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (!has_absent_pages()) {
        return not_supported;
    }
    if (bytes == 0 || bytes % granule_ != 0) {
        return invalid_value;
    }
    if (bytes > total_ - used_) {
        return out_of_memory;
    }
    handle = next_handle_++;
    physical_[handle] = {bytes, false, false};
    used_ += bytes;
    return success;
}

Result Memory::release(std::uint64_t handle) {
    const std::lock_guard lock(mutex_);
    const auto found = physical_.find(handle);
    if (found == physical_.end() || found->second.released) {
        return invalid_value;
    }
    found->second.released = true;
    drop(handle);
    return success;
}

// Physical memory lives until it is both released and unmapped.
void Memory::drop(std::uint64_t handle) {
    const auto found = physical_.find(handle);
    if (found->second.released && !found->second.mapped) {
        used_ -= found->second.bytes;
        physical_.erase(found);
    }
}

Result Memory::map(std::uint64_t address, std::size_t bytes, std::uint64_t handle) {
    const std::lock_guard lock(mutex_);
    const auto found = physical_.find(handle);
    const bool fits = found != physical_.end() && !found->second.released && found->second.bytes == bytes;
    const auto taken = mappings_.lower_bound(address);
    const bool is_taken = taken != mappings_.end() && taken->first < address + bytes;
    if (!fits || is_taken || address % granule_ != 0 || !inside(ranges_, address, bytes)) {
        return invalid_value;
    }
    if (found->second.mapped) {
        return not_supported;  // pages of this library cannot be seen at two addresses
    }
    if (!put_pages(pointer(address), bytes)) {
        return out_of_memory;
    }
    found->second.mapped = true;
    mappings_[address] = {bytes, handle, false};
    return success;
}

Result Memory::unmap(std::uint64_t address, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = mappings_.find(address);
    if (found == mappings_.end() || found->second.bytes != bytes) {
        return invalid_value;
    }
    remove_pages(pointer(address), bytes);
    physical_[found->second.handle].mapped = false;
    drop(found->second.handle);
    mappings_.erase(found);
    return success;
}

Result Memory::set_access(std::uint64_t address, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = mappings_.find(address);
    if (found == mappings_.end() || found->second.bytes != bytes || !allow_access(pointer(address), bytes)) {
        return invalid_value;
    }
    found->second.accessible = true;
    return success;
}

std::map<std::uint64_t, std::size_t> Memory::allocations() const {
    const std::lock_guard lock(mutex_);
    return plain_;
}

bool Memory::holds(std::uint64_t address, std::size_t bytes) const {
    const std::lock_guard lock(mutex_);
    auto mapped = mappings_.upper_bound(address);
    if (mapped != mappings_.begin()) {
        const auto& [start, mapping] = *--mapped;
        const std::uint64_t offset = address - start;
        if (mapping.accessible && offset <= mapping.bytes && bytes <= mapping.bytes - offset) {
            return true;
        }
    }
    return inside(plain_, address, bytes) || inside(host_, address, bytes);
}

}  // namespace warpwright::standin
