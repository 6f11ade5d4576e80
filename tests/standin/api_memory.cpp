// Memory: allocation, virtual memory management, copies and fills in stream order.
#include <cstring>

#include "exports.hpp"
#include "world.hpp"

namespace {

using namespace warpwright;
using standin::Result;
using standin::World;

void* pointer(driver::DevicePointer address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }

// Freeing waits for everything that runs, as the driver does.
void wait_for_streams() {
    for (const auto& stream : World::get().streams.all()) {
        stream->wait_until_idle();
    }
}

void note(const char* what, std::uint64_t bytes) {
    World& world = World::get();
    world.log.write(
        {{"op", what}, {"bytes", bytes}, {"alive", world.memory.alive()}, {"free_bytes", world.memory.free_bytes()}});
}

double copy_us(std::size_t bytes) { return 1.0 + static_cast<double>(bytes) / 25e3; }  // 25 GB/s
double fill_us(std::size_t bytes) { return 1.0 + static_cast<double>(bytes) / 3e6; }   // 3 TB/s

// A copy in stream order; device ranges have been checked.
Result push_copy(const char* kind, void* to, const void* from, std::size_t bytes, driver::Stream handle) {
    const auto stream = World::get().streams.find(handle);
    if (stream == nullptr) {
        return standin::invalid_handle;
    }
    stream->push([kind, to, from, bytes](driver::OpaqueStream& s) {
        std::memmove(to, from, bytes);
        s.advance_us(copy_us(bytes));
        World::get().log.write({{"op", kind},
                                {"bytes", bytes},
                                {"from", reinterpret_cast<std::uintptr_t>(from)},
                                {"to", reinterpret_cast<std::uintptr_t>(to)}});
        return standin::success;
    });
    return standin::success;
}

}  // namespace

STANDIN_EXPORT int cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
    STANDIN_ENTER("cuMemGetInfo_v2");
    *free_bytes = static_cast<std::size_t>(World::get().memory.free_bytes());
    *total_bytes = static_cast<std::size_t>(World::get().memory.total_bytes());
    return standin::success;
}

STANDIN_EXPORT int cuMemAlloc_v2(driver::DevicePointer* address, std::size_t bytes) {
    STANDIN_ENTER("cuMemAlloc_v2");
    const Result code = World::get().memory.allocate(*address, bytes);
    note("allocate", bytes);
    return code;
}

STANDIN_EXPORT int cuMemFree_v2(driver::DevicePointer address) {
    STANDIN_ENTER("cuMemFree_v2");
    wait_for_streams();
    const Result code = World::get().memory.free(address);
    note("free", 0);
    return code;
}

STANDIN_EXPORT int cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
    STANDIN_ENTER("cuMemHostAlloc");
    const Result code = World::get().memory.allocate_host(*address, bytes);
    note("allocate_host", bytes);
    return code;
}

STANDIN_EXPORT int cuMemHostGetDevicePointer_v2(driver::DevicePointer* address, void* host, unsigned flags) {
    STANDIN_ENTER("cuMemHostGetDevicePointer_v2");
    if (flags != 0 || !World::get().memory.is_host(host)) {
        return standin::invalid_value;
    }
    *address = reinterpret_cast<std::uintptr_t>(host);
    return standin::success;
}

STANDIN_EXPORT int cuMemFreeHost(void* address) {
    STANDIN_ENTER("cuMemFreeHost");
    wait_for_streams();
    const Result code = World::get().memory.free_host(address);
    note("free_host", 0);
    return code;
}

STANDIN_EXPORT int cuMemcpyHtoDAsync_v2(driver::DevicePointer to, const void* from, std::size_t bytes,
                                        driver::Stream stream) {
    STANDIN_ENTER("cuMemcpyHtoDAsync_v2");
    if (!World::get().memory.holds(to, bytes)) {
        return standin::invalid_value;
    }
    if (World::get().memory.is_host(from)) {
        return push_copy("copy_to_device", pointer(to), from, bytes, stream);
    }
    // Pageable memory is staged before the call returns: the caller may change it afterwards.
    const auto* const first = static_cast<const unsigned char*>(from);
    const auto staged = std::make_shared<std::vector<unsigned char>>(first, first + bytes);
    const auto found = World::get().streams.find(stream);
    if (found == nullptr) {
        return standin::invalid_handle;
    }
    found->push([to, staged](driver::OpaqueStream& s) {
        std::memcpy(pointer(to), staged->data(), staged->size());
        s.advance_us(copy_us(staged->size()));
        World::get().log.write({{"op", "copy_to_device"}, {"bytes", staged->size()}});
        return standin::success;
    });
    return standin::success;
}

STANDIN_EXPORT int cuMemcpyDtoHAsync_v2(void* to, driver::DevicePointer from, std::size_t bytes,
                                        driver::Stream stream) {
    STANDIN_ENTER("cuMemcpyDtoHAsync_v2");
    if (!World::get().memory.holds(from, bytes)) {
        return standin::invalid_value;
    }
    return push_copy("copy_to_host", to, pointer(from), bytes, stream);
}

STANDIN_EXPORT int cuMemcpyDtoDAsync_v2(driver::DevicePointer to, driver::DevicePointer from, std::size_t bytes,
                                        driver::Stream stream) {
    STANDIN_ENTER("cuMemcpyDtoDAsync_v2");
    if (!World::get().memory.holds(from, bytes) || !World::get().memory.holds(to, bytes)) {
        return standin::invalid_value;
    }
    return push_copy("copy_on_device", pointer(to), pointer(from), bytes, stream);
}

STANDIN_EXPORT int cuMemsetD8Async(driver::DevicePointer to, unsigned char value, std::size_t count,
                                   driver::Stream handle) {
    STANDIN_ENTER("cuMemsetD8Async");
    const auto stream = World::get().streams.find(handle);
    if (stream == nullptr) {
        return standin::invalid_handle;
    }
    if (!World::get().memory.holds(to, count)) {
        return standin::invalid_value;
    }
    stream->push([to, value, count](driver::OpaqueStream& s) {
        std::memset(pointer(to), value, count);
        s.advance_us(fill_us(count));
        World::get().log.write({{"op", "fill"}, {"address", to}, {"bytes", count}, {"value", value}});
        return standin::success;
    });
    return standin::success;
}

STANDIN_EXPORT int cuMemAddressReserve(driver::DevicePointer* address, std::size_t bytes, std::size_t alignment,
                                       driver::DevicePointer, unsigned long long) {
    STANDIN_ENTER("cuMemAddressReserve");
    return World::get().memory.reserve(*address, bytes, alignment);
}

STANDIN_EXPORT int cuMemAddressFree(driver::DevicePointer address, std::size_t bytes) {
    STANDIN_ENTER("cuMemAddressFree");
    return World::get().memory.free_range(address, bytes);
}

STANDIN_EXPORT int cuMemGetAllocationGranularity(std::size_t* bytes, const driver::AllocationProperties* properties,
                                                 int) {
    STANDIN_ENTER("cuMemGetAllocationGranularity");
    *bytes = World::get().memory.granule();
    return properties == nullptr ? standin::invalid_value : standin::success;
}

STANDIN_EXPORT int cuMemCreate(driver::AllocationHandle* handle, std::size_t bytes,
                               const driver::AllocationProperties* properties, unsigned long long flags) {
    STANDIN_ENTER("cuMemCreate");
    constexpr int pinned = 1;
    constexpr int on_device = 1;
    if (flags != 0 || properties == nullptr || properties->type != pinned || properties->location.type != on_device) {
        return standin::invalid_value;
    }
    if (!World::get().settings().virtual_memory) {
        return standin::not_supported;
    }
    const Result code = World::get().memory.create(*handle, bytes);
    note("create", bytes);
    return code;
}

STANDIN_EXPORT int cuMemRelease(driver::AllocationHandle handle) {
    STANDIN_ENTER("cuMemRelease");
    const Result code = World::get().memory.release(handle);
    note("release_handle", 0);
    return code;
}

STANDIN_EXPORT int cuMemMap(driver::DevicePointer address, std::size_t bytes, std::size_t offset,
                            driver::AllocationHandle handle, unsigned long long flags) {
    STANDIN_ENTER("cuMemMap");
    return offset != 0 || flags != 0 ? standin::invalid_value : World::get().memory.map(address, bytes, handle);
}

STANDIN_EXPORT int cuMemUnmap(driver::DevicePointer address, std::size_t bytes) {
    STANDIN_ENTER("cuMemUnmap");
    wait_for_streams();
    return World::get().memory.unmap(address, bytes);
}

STANDIN_EXPORT int cuMemSetAccess(driver::DevicePointer address, std::size_t bytes,
                                  const driver::AccessDescriptor* access, std::size_t count) {
    STANDIN_ENTER("cuMemSetAccess");
    constexpr int read_write = 3;
    if (count != 1 || access == nullptr || access->flags != read_write) {
        return standin::invalid_value;
    }
    return World::get().memory.set_access(address, bytes);
}
