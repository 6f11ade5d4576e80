// Overwrites the shared memory of every SM, so that nothing of an earlier launch is left in it.
#pragma once

#include "driver/context.hpp"
#include "driver/module.hpp"
#include "memory/device_buffer.hpp"

namespace warpwright::launch {

class SharedFiller {
public:
    // own: the module `warpwright`. Raises the kernel's limit to all shared memory that a block can have.
    SharedFiller(const driver::DeviceContext& context, const driver::LoadedModule& own);

    // Queues the kernel: every word of shared memory becomes four times that byte.
    void enqueue(driver::Stream stream, unsigned char value) const;

    // Of one launch.
    [[nodiscard]] unsigned blocks() const { return blocks_; }
    [[nodiscard]] unsigned shared_bytes() const { return shared_bytes_; }

private:
    const driver::Api* api_;
    driver::Function function_;
    memory::DeviceBuffer sink_;
    unsigned shared_bytes_;
    unsigned blocks_;
};

}  // namespace warpwright::launch
