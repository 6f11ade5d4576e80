// The primary context of one GPU and the stream on which everything runs.
#pragma once

#include <cstddef>
#include <string>

#include "driver/api.hpp"

namespace warpwright::driver {

// Owns the retained primary context and one non-default stream. (driver::Context is the bare handle.)
class DeviceContext {
public:
    // Creates the context on GPU `index`, makes it current to this thread and sets its limits: no persisting L2, heap
    // and printf buffer at their minimum. init must have succeeded. Throws DriverError.
    DeviceContext(const Api& api, int index);
    ~DeviceContext();
    DeviceContext(const DeviceContext&) = delete;
    DeviceContext& operator=(const DeviceContext&) = delete;

    [[nodiscard]] const Api& api() const { return api_; }
    [[nodiscard]] Device device() const { return device_; }
    [[nodiscard]] Stream stream() const { return stream_; }
    [[nodiscard]] int attribute(int number) const;
    [[nodiscard]] std::size_t free_memory_bytes() const;

private:
    void set_limits() const;

    const Api& api_;
    Device device_ = 0;
    Context context_ = nullptr;
    Stream stream_ = nullptr;
};

}  // namespace warpwright::driver
