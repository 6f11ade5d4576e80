#include "memory/staging.hpp"

#include "driver/error.hpp"
#include "memory/lost_context.hpp"

namespace warpwright::memory {

Staging::Staging(const driver::Api& api) : api_(api) {
    WARPWRIGHT_CALL(api, host_allocate, &memory_, capacity_bytes, 0U);
}

// The result is of no use here: after a sticky error it only repeats that error.
Staging::~Staging() {
    if (!context_is_lost()) {
        static_cast<void>(api_.host_free(memory_));
    }
}

HostBytes Staging::read(driver::Stream stream, driver::DevicePointer from, std::size_t bytes) const {
    if (bytes != 0) {
        WARPWRIGHT_CALL(api_, copy_to_host, memory_, from, bytes, stream);
        WARPWRIGHT_CALL(api_, context_synchronize, );
    }
    return {nullptr, static_cast<unsigned char*>(memory_), bytes};
}

}  // namespace warpwright::memory
