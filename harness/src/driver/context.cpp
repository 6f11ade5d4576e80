#include "driver/context.hpp"

#include "driver/device_info.hpp"
#include "driver/error.hpp"

namespace warpwright::driver {
namespace {

// CUlimit and CUstream_flags. Source: CUDA Driver API.
constexpr int limit_printf_fifo_bytes = 1;
constexpr int limit_heap_bytes = 2;
constexpr int limit_persisting_l2_bytes = 6;
constexpr unsigned stream_non_blocking = 1;
constexpr Result unsupported_limit = 215;

// As low as the driver goes: it raises a value that is too low to its minimum. Drivers that refuse such a value, and
// GPUs that have no such limit, keep what they have.
void lower_limit(const Api& api, int limit) {
    const Result code = api.context_set_limit(limit, 0);
    if (code != unsupported_limit && code != invalid_value) {
        check(api, code, exported_name("context_set_limit"));
    }
}

}  // namespace

DeviceContext::DeviceContext(const Api& api, int index) : api_(api) {
    WARPWRIGHT_CALL(api, device_get, &device_, index);
    WARPWRIGHT_CALL(api, primary_retain, &context_, device_);
    try {
        WARPWRIGHT_CALL(api, context_set_current, context_);
        set_limits();
        WARPWRIGHT_CALL(api, stream_create, &stream_, stream_non_blocking);
    } catch (const DriverError&) {
        api.primary_release(device_);  // the destructor does not run for an object that was not made
        throw;
    }
}

// Results are not looked at: after a sticky error every call fails, and the process ends next.
DeviceContext::~DeviceContext() {
    api_.stream_destroy(stream_);
    api_.primary_release(device_);
}

int DeviceContext::attribute(int number) const { return driver::attribute(api_, device_, number); }

std::size_t DeviceContext::free_memory_bytes() const {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    WARPWRIGHT_CALL(api_, memory_info, &free_bytes, &total_bytes);
    return free_bytes;
}

void DeviceContext::set_limits() const {
    for (const int limit : {limit_printf_fifo_bytes, limit_heap_bytes, limit_persisting_l2_bytes}) {
        lower_limit(api_, limit);
    }
}

}  // namespace warpwright::driver
