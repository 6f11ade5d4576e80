#include "memory/mapped_pages.hpp"

#include <string>
#include <utility>

#include "driver/error.hpp"
#include "memory/device_buffer.hpp"
#include "memory/lost_context.hpp"
#include "protocol/faults.hpp"

namespace warpwright::memory {

namespace {

// Source: CUDA Driver API, CUmemAllocationType, CUmemLocationType, CUmemAccess_flags, CUmemAllocationGranularity_flags.
constexpr int allocation_type_pinned = 1;
constexpr int location_type_device = 1;
constexpr int access_read_write = 3;
constexpr int granularity_minimum = 0;

driver::AllocationProperties properties_of(driver::Device device) {
    driver::AllocationProperties properties{};
    properties.type = allocation_type_pinned;
    properties.location = {location_type_device, device};
    return properties;
}

bool has_virtual_memory(const driver::Api& api) {
    return api.address_reserve != nullptr && api.address_free != nullptr && api.allocation_granularity != nullptr &&
           api.allocation_create != nullptr && api.allocation_release != nullptr && api.allocation_map != nullptr &&
           api.allocation_unmap != nullptr && api.allocation_set_access != nullptr;
}

}  // namespace

std::size_t granule_bytes(const driver::Api& api, driver::Device device) {
    if (!has_virtual_memory(api)) {
        throw driver::DriverError(api, driver::not_supported, driver::exported_name("address_reserve"));
    }
    const driver::AllocationProperties properties = properties_of(device);
    std::size_t bytes = 0;
    WARPWRIGHT_CALL(api, allocation_granularity, &bytes, &properties, granularity_minimum);
    return bytes;
}

MappedPages::MappedPages(const driver::Api& api, driver::Device device, std::size_t bytes, std::size_t granule)
    : api_(&api), bytes_(bytes), granule_(granule) {
    try {
        map(device);
    } catch (...) {  // no destructor runs after a constructor that throws
        release();
        throw;
    }
}

MappedPages::MappedPages(MappedPages&& other) noexcept { swap(other); }

MappedPages& MappedPages::operator=(MappedPages&& other) noexcept {
    if (this != &other) {
        release();
        swap(other);
    }
    return *this;
}

MappedPages::~MappedPages() { release(); }

void MappedPages::map(driver::Device device) {
    const driver::Api& api = *api_;
    WARPWRIGHT_CALL(api, address_reserve, &reserved_, bytes_ + 2 * granule_, granule_, 0, 0);
    const driver::AllocationProperties properties = properties_of(device);
    const driver::Result code = api.allocation_create(&handle_, bytes_, &properties, 0);
    if (code == driver::out_of_memory) {
        const std::size_t available = free_bytes(api);
        throw MemoryShortage("the driver refused " + std::to_string(bytes_) + " bytes of device memory, " +
                                 std::to_string(available) + " are free",
                             bytes_, available);
    }
    driver::check(api, code, driver::exported_name("allocation_create"));
    created_ = true;
    WARPWRIGHT_CALL(api, allocation_map, address(), bytes_, 0, handle_, 0);
    mapped_ = true;
    const driver::AccessDescriptor access{{location_type_device, device}, access_read_write};
    WARPWRIGHT_CALL(api, allocation_set_access, address(), bytes_, &access, 1);
}

// Results are of no use here: after a sticky error they only repeat that error.
void MappedPages::release() noexcept {
    if (reserved_ != 0 && !context_is_lost()) {
        if (mapped_) {
            static_cast<void>(api_->allocation_unmap(address(), bytes_));
        }
        if (created_) {
            static_cast<void>(api_->allocation_release(handle_));
        }
        static_cast<void>(api_->address_free(reserved_, bytes_ + 2 * granule_));
    }
    reserved_ = 0;
    created_ = false;
    mapped_ = false;
}

void MappedPages::swap(MappedPages& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(bytes_, other.bytes_);
    std::swap(granule_, other.granule_);
    std::swap(reserved_, other.reserved_);
    std::swap(handle_, other.handle_);
    std::swap(created_, other.created_);
    std::swap(mapped_, other.mapped_);
}

}  // namespace warpwright::memory
